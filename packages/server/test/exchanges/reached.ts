import Big from 'big.js'
import type { BookOrder } from './trading-types.ts'

/** Whether the last price has come to a stop. */
export function isReached(side: 'buy' | 'sell', stop: string, last: string): boolean {
  return side === 'sell' ? new Big(last).lte(stop) : new Big(last).gte(stop)
}

/** Whether the last price has come to a target. */
export function isAtTarget(side: 'buy' | 'sell', target: string, last: string): boolean {
  return side === 'sell' ? new Big(last).gte(target) : new Big(last).lte(target)
}

/** Whether the price has come to a limit order. */
export function isAtLimit(
  { side, limit = '0', postOnly = false }: Pick<BookOrder, 'side' | 'limit' | 'postOnly'>,
  price: string,
): boolean {
  if (postOnly && new Big(price).eq(limit)) return false
  return side === 'sell' ? new Big(price).gte(limit) : new Big(price).lte(limit)
}
