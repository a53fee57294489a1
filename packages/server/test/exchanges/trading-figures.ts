/** What the orders of a stand-in execute, and what their trades and symbols say. */
import Big from 'big.js'
import type { BookTrade, Fills } from './trading-types.ts'

export type BookMarket = { symbol: string; base: string; quote: string; isContract: boolean }

export function marketOf(symbol: string): BookMarket {
  const [pair = '', settle] = symbol.split(':')
  const [base = '', quote = ''] = pair.split('/')
  return { symbol, base, quote, isContract: settle !== undefined }
}

/** What is executed of an order, and when. */
export type Share = { at: number; size: Big }

const partsMs = 15
const manyParts = 230
const lateMs = 60

export function sharesOf(size: Big, at: number, fills: Fills, sizeStep: string): Share[] {
  if (fills === 'never') return []
  if (fills === 'whole') return [{ at, size }]
  if (fills === 'many') {
    const part = new Big(sizeStep)
    const count = Math.min(manyParts, Number(size.div(part).toFixed(0)))
    const parts = Array.from({ length: count - 1 }, (_, i) => ({ at: at + Math.floor(i / 50), size: part }))
    return [...parts, { at: at + Math.ceil(count / 50), size: size.minus(part.times(count - 1)) }]
  }
  if (fills === 'late') return [{ at: at + lateMs, size }]
  const third = size.div(3).div(sizeStep).round(0, Big.roundDown).times(sizeStep)
  const rest = size.minus(third).minus(third)
  return [third, third, rest].map((part, i) => ({ at: at + i * partsMs, size: part }))
}

/** The total size and the notional of an order's trades. */
export function filledOf(order: { trades: readonly Pick<BookTrade, 'size' | 'price'>[] }): {
  size: string
  worth: string
  average: string
} {
  const size = order.trades.reduce((sum, trade) => sum.plus(trade.size), new Big(0))
  const worth = order.trades.reduce(
    (sum, trade) => sum.plus(new Big(trade.size).times(trade.price)),
    new Big(0),
  )
  const average = size.eq(0) ? '0' : worth.div(size).round(8).toFixed()
  return { size: size.toFixed(), worth: worth.toFixed(), average }
}
