import type { ActionOptions, GivenEntry, GivenProtection } from '@tickwright/sandbox'
import type { ErrorDetail } from '../base/errors.ts'
import type { SignalOptions } from '../db/schema.ts'
import { readSignalEntry } from '../trading/entries/settings.ts'
import { type ProtectionChanges, readProtection } from '../trading/protection/settings.ts'

/** @throws {TypeError} names every field of the protection or the entry that is wrong */
export function checkOptions(given: ActionOptions): void {
  signalOptions(given)
}

/**
 * The options of a signal, from those that code gave its action. Levels get their one spelling.
 * @throws {TypeError} as {@link checkOptions}
 */
export function signalOptions({ protection, entry, ...options }: ActionOptions): SignalOptions {
  const asked = protection === undefined ? {} : readAsked(protection)
  const way = entry === undefined ? undefined : readWay(entry)
  return {
    ...options,
    ...(Object.keys(asked).length > 0 && { protection: asked }),
    ...(way !== undefined && { entry: way }),
  }
}

/** As in a payload, `null` counts as absent: a level that code failed to compute must not take away the bot's stop. */
function readAsked(given: GivenProtection): ProtectionChanges {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const { changes, problems } = readProtection(present, 'options.protection.')
  demandNone(problems)
  return changes
}

/** In a payload, a price without a limit is what its sender sees. In code, it is a mistake. */
function readWay(given: GivenEntry): SignalOptions['entry'] {
  const { entry, problems } = readSignalEntry(given, 'options.entry.')
  if (problems.length === 0 && given.price != null && entry?.price === undefined) {
    problems.push({ field: 'options.entry.price', message: 'needs the type limit or post_only' })
  }
  demandNone(problems)
  return entry
}

function demandNone(problems: readonly ErrorDetail[]): void {
  if (problems.length === 0) return
  throw new TypeError(problems.map(({ field, message }) => `${field} ${message}`).join('; '))
}
