import type { CcxtOrder } from '../../../market/live/ccxt-trading.ts'
import { isTemporary } from '../temporary-errors.ts'
import type { Dialect } from './dialect.ts'
import {
  allPages,
  beforeOf,
  byClientOrderId,
  ofOrder,
  tradeLimit,
  validOr,
  withClientOrderId,
} from './lookups.ts'

export const gate: Dialect = {
  clientOrderId: (id) => `t-${validOr(id, /^[\w.-]{1,26}$/, (hash) => hash.slice(0, 26))}`,
  spotBuys: 'limit',
  // ccxt takes it for wrong credentials.
  clockRefusals: /"label":\s*"REQUEST_EXPIRED"/,
  // Gate forgets custom ids half an hour after an order ends. Then only the list contains it.
  find: async (account, query) => {
    const found = await byClientOrderId(account, query)
    if (found !== undefined) return found
    const closed = await account.fetchClosedOrders(query.symbol, undefined, 100).catch(unlessTemporary)
    return withClientOrderId(closed, query.clientOrderId)
  },
  trades: (account, { id, timestamp }, symbol) => {
    if (account.markets[symbol]?.contract !== true) {
      return allPages(tradeLimit, (_, page) =>
        account.fetchMyTrades(symbol, undefined, tradeLimit, { order_id: id, page }),
      )
    }
    // Trades of contracts can be requested only by time.
    const since = beforeOf(timestamp)
    return ofOrder(
      allPages(tradeLimit, (_, page) =>
        account.fetchMyTrades(symbol, since, tradeLimit, { offset: (page - 1) * tradeLimit }),
      ),
      id,
    )
  },
}

/** A list that the exchange does not serve counts as empty. */
function unlessTemporary(error: unknown): CcxtOrder[] {
  if (isTemporary(error)) throw error
  return []
}
