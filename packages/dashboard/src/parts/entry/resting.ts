/** Openings that rest at their limit, in words. */

import type { Order } from '@tickwright/client'
import { formatNumber } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { formatDuration, toMs } from '../../base/times.ts'
import { formatPrice } from '../protection/words.ts'

/** What the words need of an order. */
export type Resting = Pick<Order, 'symbol' | 'side' | 'type' | 'limit_price' | 'size' | 'filled_size'> & {
  rests: NonNullable<Order['rests']>
}

/**
 * What waits, how much of it is executed, for how long, and what follows.
 * @param place where it rests, such as `on paper` or `at Binance spot`
 */
export function restingWords(order: Resting, place: string, now: number): string {
  const { symbol, side, type, limit_price, size, filled_size } = order
  const what = `A ${type === 'post_only' ? 'post-only' : 'limit'} order to ${side}`
  const base = plainText(symbol.split('/')[0]!)
  const filled = Number(filled_size) === 0 ? 'Nothing' : formatNumber(filled_size)
  return `${what} ${formatNumber(size)} ${base} at ${formatPrice(limit_price ?? '0')} rests ${place}. ${filled} is filled. ${ending(order, now)}`
}

function ending(
  { rests: { until, on_timeout: next, chases_left: left }, side }: Resting,
  now: number,
): string {
  const ms = toMs(until) - now
  const begin =
    ms < 1_000 ? 'Its time is over' : `It ends in ${formatDuration(Math.floor(ms / 1_000) * 1_000)}`
  if (next === 'cancel') return `${begin}, and nothing follows.`
  const bought = side === 'buy' ? 'bought' : 'sold'
  if (next === 'market') return `${begin}, then the rest is ${bought} at market.`
  const moves = left === 1 ? 'the last time' : `${left} more times at most`
  return `${begin}, then the rest moves to the price of that time, ${moves}.`
}
