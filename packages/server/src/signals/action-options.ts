import type { ActionOptions, GivenProtection } from '@tickwright/sandbox'
import type { SignalOptions } from '../db/schema.ts'
import { type ProtectionChanges, readProtection } from '../trading/protection/settings.ts'

/** @throws {TypeError} names every field of the protection that is wrong */
export function checkProtection(given: GivenProtection): void {
  readAsked(given)
}

/**
 * The options of a signal, from those that code gave its action. Levels get their one spelling.
 * @throws {TypeError} as {@link checkProtection}
 */
export function signalOptions({ protection, ...options }: ActionOptions): SignalOptions {
  if (protection === undefined) return options
  const asked = readAsked(protection)
  return Object.keys(asked).length === 0 ? options : { ...options, protection: asked }
}

/** As in a payload, `null` counts as absent: a level that code failed to compute must not take away the bot's stop. */
function readAsked(given: GivenProtection): ProtectionChanges {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const { changes, problems } = readProtection(present, 'options.protection.')
  if (problems.length > 0) {
    throw new TypeError(problems.map(({ field, message }) => `${field} ${message}`).join('; '))
  }
  return changes
}
