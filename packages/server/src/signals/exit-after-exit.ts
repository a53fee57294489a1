/** The one place that says what counts as `EXIT` after `EXIT`: for code, for SQL, and as the violation of a run. */

import { type ActionName, violations } from '@tickwright/sandbox'

/** @param lastAction the strategy's most recent action; `null` if it has none */
export function isExitAfterExit(action: ActionName, lastAction: ActionName | null | undefined): boolean {
  return action === 'EXIT' && lastAction === 'EXIT'
}

/** The same as an SQL condition that is never null. Both are SQL expressions; `lastAction` may be null. */
export function exitAfterExitSql(action: string, lastAction: string): string {
  return `(${action} = 'EXIT' and ${lastAction} is not distinct from 'EXIT')`
}

/** @throws {RunViolation} for an `EXIT` after an `EXIT` */
export function refuseExitAfterExit(action: ActionName, lastAction: ActionName | null | undefined): void {
  if (isExitAfterExit(action, lastAction)) throw violations.consecutive_exit()
}
