import type { Dialect } from './dialect.ts'
import { validOr, withClientOrderId } from './lookups.ts'

export const kraken: Dialect = {
  // Kraken accepts free text of at most 18 characters, or a UUID.
  clientOrderId: (id) => validOr(id, /^[\w-]{1,18}$/, (hash) => hash),
  spotBuys: 'base',
  find: async (account, { clientOrderId, symbol }) => {
    const params = { clientOrderId, trades: true }
    const open = await account.fetchOpenOrders(symbol, undefined, undefined, params)
    const found = withClientOrderId(open, clientOrderId)
    if (found !== undefined) return found
    // Open orders first: an order that is executed between the two requests is in one of the two answers.
    const closed = await account.fetchClosedOrders(symbol, undefined, undefined, params)
    return withClientOrderId(closed, clientOrderId)
  },
  trades: async (account, order, symbol) => {
    const { trades } = order.info as { trades?: unknown }
    if (!Array.isArray(trades) || trades.length === 0) return []
    return account.fetchOrderTrades(order.id, symbol, undefined, undefined, { trades })
  },
  // Other errors of the service, such as `EService:Unavailable`, do not say whether the order was placed.
  refusals:
    /"E(Order|API|Trade|Query|Account|Auth|BM|Session):|"EGeneral:(Invalid|Permission)|"EService:Market in \w+ mode/,
}
