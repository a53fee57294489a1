/** The price at which an opening rests, and what follows when its time is over. Pure, so that replays decide the same. */
import { Decimal, decimal, floorToStep, plain, stepAt, toStep, zero } from '../../base/decimals.ts'
import { readablePrice } from '../../base/readable.ts'
import type { MarketRules } from '../../market/rules.ts'
import { levelOf } from '../protection/levels.ts'
import type { BookedOrder, LimitOf, Side } from '../types.ts'
import type { Entry } from './settings.ts'

/** Without a price step, a limit order may be as precise as any exchange lists prices. */
const significantDigits = 8

type Asked = Pick<Entry, 'type' | 'offset'> & { price: string | null }
type PriceSteps = Pick<MarketRules, 'priceStep' | 'priceDigits'>

/**
 * The limit of an opening.
 * @param price the current price
 */
export function limitOf(
  { type, price: asked, offset }: Asked,
  side: Side,
  price: string,
  steps: PriceSteps = {},
): LimitOf {
  const postOnly = type === 'post_only'
  if (asked !== null) return { price: priceOnStep(asked, side, steps), postOnly }
  const now = decimal(price, 'price')
  const distance = offset === null ? decimal('0') : now.times(levelOf(offset).value).div('100')
  const at = side === 'buy' ? now.minus(distance) : now.plus(distance)
  const most = at.prec(significantDigits, side === 'buy' ? Decimal.roundDown : Decimal.roundUp)
  return { price: priceOnStep(plain(steps.priceStep === undefined ? most : at), side, steps), postOnly }
}

/** A price that the market allows, on the better side, so that the order never pays more than asked. */
export function priceOnStep(price: string, side: Side, { priceStep = '0', priceDigits }: PriceSteps): string {
  const asked = decimal(price, 'price')
  const step = stepAt(asked, decimal(priceStep, 'price step'), priceDigits)
  return plain(toStep(asked, step, side === 'sell'))
}

/** Whether an opening is priced at the best bid or offer, because only there it surely takes no other order. */
export function isAtBest({ type, price, offset }: Asked): boolean {
  return type === 'post_only' && price === null && offset === null
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

/** Whether the bot cancelled an order because its time was over. */
export function isTimedOut({ limit, status, reason }: BookedOrder): boolean {
  return limit !== undefined && status === 'CANCELED' && reason?.endsWith(timeoutEnding) === true
}

/** Why a venue did not let a post-only order rest. */
export function wouldTakeReason({ price }: Pick<LimitOf, 'price'>): string {
  return `A post-only order at ${price} would be executed at once ${wouldTakeEnding}`
}

const wouldTakeEnding = '(post_only).'

/** Whether an order is over because it would have been executed at once. That is no failure: the price has moved. */
export function wouldTake({
  limit,
  status,
  reason,
}: Pick<BookedOrder, 'status' | 'reason'> & { limit?: LimitOf | undefined }): boolean {
  const isOver = status === 'REJECTED' || status === 'CANCELED'
  return limit?.postOnly === true && isOver && reason?.endsWith(wouldTakeEnding) === true
}

/** An opening for the part that the earlier ones have not executed. `furthest`: the worst price; `null`: any. */
export type FollowUp = { kind: 'market' | 'chase'; size: string; furthest: Decimal | null; postOnly: boolean }

/**
 * What follows an opening whose time is over, or that the venue did not let rest; `null`: nothing.
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
