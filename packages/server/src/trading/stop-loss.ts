/** What an opening loses if its stop closes it. Prices and money are in the quote currency of the market. */
import { type Decimal, decimal, one } from '../base/decimals.ts'
import type { BotSettings, Side } from './types.ts'

/** A division takes much longer. */
const half = decimal('0.5')

/**
 * Where the stop of an opening stands after its first fill.
 * @param entry the price of that fill: a distance such as `2%` is measured from it
 * @returns the price of the stop, or why there is none, as a sentence
 */
export type StopOf = (entry: string) => { price: string } | { reason: string }

/**
 * `feeRate` is paid by the opening and by the close. Half of `spreadRate`, and `slippageRate`, make the prices of both
 * worse.
 */
export type OrderCosts = Pick<BotSettings, 'feeRate' | 'slippageRate' | 'spreadRate'>

/**
 * The price at which a market order is executed: at that of its own side of the book, and then with slippage.
 * @param price the current one, or that of the stop
 */
export function executedAt(
  price: string,
  side: Side,
  { slippageRate, spreadRate = '0' }: Omit<OrderCosts, 'feeRate'>,
): Decimal {
  const worsened = (from: Decimal, rate: Decimal) =>
    from.times(side === 'buy' ? one.plus(rate) : one.minus(rate))
  const offered = worsened(decimal(price, 'price'), decimal(spreadRate, 'spread rate').times(half))
  return worsened(offered, decimal(slippageRate, 'slippage rate'))
}

/** What each unit of base currency loses, with the fees of both orders. The market may be worse to the close than this. */
export function lossOfUnit(
  { side, entry, stop }: { side: Side; entry: Decimal; stop: string },
  costs: OrderCosts,
): Decimal {
  const exit = executedAt(stop, side === 'buy' ? 'sell' : 'buy', costs)
  const fees = entry.plus(exit).times(decimal(costs.feeRate, 'fee rate'))
  const loss = side === 'buy' ? entry.minus(exit) : exit.minus(entry)
  return loss.plus(fees)
}
