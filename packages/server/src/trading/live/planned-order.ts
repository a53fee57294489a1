import { decimal } from '../../base/decimals.ts'
import type { CcxtOrder } from '../../market/live/ccxt-trading.ts'
import type { OrderRequest } from '../types.ts'
import type { Dialect, OrderQuery } from './dialects/dialect.ts'

/** Clocks may differ, and the exchange's list may give whole seconds. */
const clockToleranceMs = 60_000

/**
 * Whether the exchange's order is the planned one, as far as the exchange describes it. The id alone does not prove it:
 * after a restored backup, ids may repeat.
 */
export function isPlanned(
  found: CcxtOrder,
  order: OrderRequest,
  { dialect, query }: { dialect: Dialect; query: OrderQuery },
): boolean {
  const { symbol, side, timestamp, amount } = found
  if (symbol !== undefined && symbol !== order.symbol) return false
  if (side !== undefined && side !== order.side) return false
  if (timestamp !== undefined && timestamp < (order.plannedAt ?? 0) - clockToleranceMs) return false
  // Of an order that was a target, the books have the executed part.
  if (amount === undefined || order.legOrderId !== undefined) return true
  // Its owner may have changed an order that rests.
  if (order.limit !== undefined && order.isKnown === true) return true
  // An exchange may reduce a reduce-only order to the position. ccxt may give the executed part as the size of a spot
  // buy, because the exchange gives the size of such an order in quote currency.
  const mayBeSmaller = order.reduceOnly || (order.side === 'buy' && dialect.spotBuys === 'limit')
  return mayBeSmaller ? decimal(amount).lte(query.amount) : decimal(amount).eq(query.amount)
}
