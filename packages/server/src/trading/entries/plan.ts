/** The price at which an opening rests, and what follows when its time is over. Pure, so that replays decide the same. */
import { Decimal, decimal, floorToStep, plain, zero } from '../../base/decimals.ts'
import { readablePrice } from '../../base/readable.ts'
import type { MarketRules } from '../../market/rules.ts'
import { levelOf } from '../protection/levels.ts'
import type { BookedOrder, LimitOf, Side } from '../types.ts'
import type { Entry } from './settings.ts'

/** A limit order may be as precise as any exchange lists prices. */
const significantDigits = 8

/**
 * The limit of an opening.
 * @param price the current price
 */
export function limitOf(
  { type, price: asked, offset }: Pick<Entry, 'type' | 'offset'> & { price: string | null },
  side: Side,
  price: string,
): LimitOf {
  const postOnly = type === 'post_only'
  if (asked !== null) return { price: asked, postOnly }
  const now = decimal(price, 'price')
  const distance = offset === null ? decimal('0') : now.times(levelOf(offset).value).div('100')
  const at = side === 'buy' ? now.minus(distance) : now.plus(distance)
  return { price: plain(rounded(at, side)), postOnly }
}

/** Away from the current price, so that the order never pays more than asked. */
function rounded(price: Decimal, side: Side): Decimal {
  return price.prec(significantDigits, side === 'buy' ? Decimal.roundDown : Decimal.roundUp)
}

/** When an order that rests has waited long enough, in Unix milliseconds. */
export function restsUntil({ plannedAt = 0 }: Pick<BookedOrder, 'plannedAt'>, entry: Entry | null): number {
  return plannedAt + (entry?.timeout_seconds ?? 0) * 1_000
}

/** Why an order was cancelled when its time was over. */
export function timeoutReason({ limit }: Pick<BookedOrder, 'limit'>, entry: Entry | null): string {
  const at = limit === undefined ? '' : ` of ${limit.price}`
  return `The limit${at} was not reached within ${entry?.timeout_seconds ?? 0} s ${timeoutEnding}`
}

const timeoutEnding = '(timeout_seconds).'

/** Whether an order was cancelled because its time was over, as far as anybody knows. */
export function isTimedOut({ limit, status, reason }: BookedOrder): boolean {
  return limit !== undefined && status === 'CANCELED' && (reason?.endsWith(timeoutEnding) ?? true)
}

/** An opening for the part that the earlier ones have not executed. `furthest`: the worst price; `null`: any. */
export type FollowUp = { kind: 'market' | 'chase'; size: string; furthest: Decimal | null; postOnly: boolean }

/**
 * What follows an opening that was cancelled because its time was over; `null`: nothing.
 * @param openings of the signal, in the order in which they were planned
 */
export function afterTimeout(
  openings: readonly BookedOrder[],
  entry: Entry | null,
  { sizeStep, minSize }: Pick<MarketRules, 'sizeStep' | 'minSize'>,
): FollowUp | null {
  const [first] = openings
  if (first?.limit === undefined || entry === null || entry.on_timeout === 'cancel') return null
  if (entry.on_timeout === 'chase' && openings.length > (entry.chases ?? 0)) return null
  const filled = openings.reduce((sum, { filledSize }) => sum.plus(decimal(filledSize)), zero)
  const size = floorToStep(decimal(first.size).minus(filled), decimal(sizeStep))
  if (!size.gt('0') || size.lt(decimal(minSize))) return null
  const furthest = furthestOf(first.limit.price, first.side, entry)
  return { kind: entry.on_timeout, size: plain(size), furthest, postOnly: first.limit.postOnly }
}

/** The worst price that `max_slippage` allows; `null`: any. */
function furthestOf(first: string, side: Side, { max_slippage }: Entry): Decimal | null {
  if (max_slippage === null) return null
  const from = decimal(first)
  const room = from.times(levelOf(max_slippage).value).div('100')
  return side === 'buy' ? from.plus(room) : from.minus(room)
}

/** Why an opening does not follow the price any further; `null` if it does. */
export function slippageRefusal(price: string, furthest: Decimal | null, side: Side): string | null {
  if (furthest === null) return null
  const now = decimal(price, 'price')
  if (side === 'buy' ? now.lte(furthest) : now.gte(furthest)) return null
  return `The price is ${readablePrice(now)}, and the bot pays no worse one than ${readablePrice(furthest)} (max_slippage).`
}
