/** What happens while an exchange does not keep the stop of a position: pure functions of what the books know. */
import type { LegStatus, OnUnprotected } from '../../db/schema.ts'

/** What a bot does about it. */
export type UnprotectedRules = { seconds: number; action: OnUnprotected }

/**
 * A bot watches unless its owner says otherwise: a bot from before this setting closes nothing that it did not close then,
 * and while the service is running, it closes at the stop anyway.
 */
export const defaultUnprotected: UnprotectedRules = { seconds: 60, action: 'watch' }

/** `since`: since when no stop rests at the exchange, in Unix milliseconds; `null`: one does. `last`: the newest stop. */
export type Unprotected = { since: number | null; last: LegStatus | null }

/** Whether the exchange has refused the stop for so long that the bot closes the position. */
export function isTooLong(
  { since, last }: Unprotected,
  { seconds, action }: UnprotectedRules,
  now: number,
): boolean {
  return action === 'close' && last === 'REJECTED' && since !== null && now - since >= seconds * 1_000
}
