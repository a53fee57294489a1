/**
 * A close stays wanted until the position is flat: exchanges also refuse closes for reasons that pass, such as price
 * bands in a crash, a halted market or maintenance. These functions decide when the bot tries again, and what it says
 * meanwhile.
 */

import { type Decimal, decimal, floorToStep, least, plain, zero } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import { type PlannedOrder, planClose } from './plan.ts'
import type { BookedOrder, Position } from './types.ts'

/** `rest`: the order that closes what is left; `null` if nothing is left that an order could close. */
export type CloseProgress = { wanted: string; filled: string; rest: PlannedOrder | null; isFlat: boolean }

/** This many closes follow each other at once, as long as each of them executes a part. */
const promptCloses = 3
/** After this time, the last pause doubles. */
const patientAfterMs = 600_000
/** From this pause on, the account may have changed meanwhile, so the books are compared with it before the next close. */
export const longPauseMs = 60_000

export type CloseState = {
  /** The closes of the signal, at least one, all settled. */
  closes: BookedOrder[]
  position: Position
  rules: MarketRules
  price: string | null
  /** The size that the signal asks to close; `null`: the whole position. */
  asked: Decimal | null
}

export function progressOf({ closes, position, rules, price, asked }: CloseState): CloseProgress {
  const [first] = closes
  const filled = closes.reduce((sum, { filledSize }) => sum.plus(decimal(filledSize)), zero)
  // After a change at the exchange, the position may be on the other side. Nobody has asked to close that one.
  const closed = first!.side === 'sell' ? 'long' : 'short'
  const isFlat = position.side !== closed
  let wanted = decimal(first!.size)
  const hasLegs = closes.some(({ legOrderId }) => legOrderId !== undefined)
  if ((rules.service === 'spot' || hasLegs) && !isFlat) {
    // The account may have had fewer coins than the books, or a target may have executed a part before the close, so that
    // the first close was smaller than the bot wanted.
    const whole = filled.plus(decimal(position.size))
    const most = floorToStep(asked === null ? whole : least(asked, whole), decimal(rules.sizeStep))
    if (most.gt(wanted)) wanted = most
  }
  const rest = wanted.minus(filled)
  const another = isFlat || rest.lte('0') ? null : planClose(position, rules, price, rest)
  return { wanted: plain(wanted), filled: plain(filled), rest: another, isFlat }
}

/** Whether the next close follows at once, because the last one executed a part. */
export function isPrompt(closes: BookedOrder[]): boolean {
  return closes.length < promptCloses && decimal(closes.at(-1)!.filledSize).gt('0')
}

/** When the bot tries the next close, in Unix milliseconds. The pauses count from the plan of the last one. */
export function nextCloseAt(closes: BookedOrder[], pausesMs: readonly number[]): number {
  const executed = closes.findLastIndex(({ filledSize }) => decimal(filledSize).gt('0'))
  const refused = closes.slice(executed + 1)
  const lastAt = closes.at(-1)!.plannedAt ?? 0
  const pauseMs = pausesMs[Math.min(Math.max(refused.length, 1), pausesMs.length) - 1] ?? 0
  const isLong = lastAt - (refused[0]?.plannedAt ?? lastAt) >= patientAfterMs
  return lastAt + (isLong ? 2 * pauseMs : pauseMs)
}

/** For a person: what was closed, and why no more was. */
export function closeReason(
  { wanted, filled }: CloseProgress,
  { base }: MarketRules,
  why: string | null,
): string {
  return `Only ${filled} of ${wanted} ${base} was closed. ${why ?? 'The exchange ended the order.'}`
}

/** Why a signal is done although its closes did not execute all of it; `null` if they did. */
export function outsideReason(
  { wanted, filled }: CloseProgress,
  { base, symbol }: MarketRules,
): string | null {
  if (decimal(filled).gte(wanted)) return null
  const own = decimal(filled).eq('0') ? '' : ` This signal closed ${filled} of ${wanted} ${base}.`
  return `Something else closed the position in ${symbol}, such as a target, or somebody at the exchange.${own}`
}

/** Such as `The bot has tried 3 times and tries again at 2026-01-05 12:00:08 UTC.` */
export function nextAttempt(attempts: number, nextAt: number): string {
  const times = attempts === 1 ? 'once' : `${attempts} times`
  const at = new Date(nextAt).toISOString().slice(0, 19).replace('T', ' ')
  return `The bot has tried ${times} and tries again at ${at} UTC.`
}
