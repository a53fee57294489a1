import { decimal, one, plain } from '../../../base/decimals.ts'
import type { CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import type { Dialect } from './dialect.ts'
import { allPages, byClientOrderId, tradeLimit, validOr } from './lookups.ts'

export const binance: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w.:/-]{1,36}$/, (hash) => hash),
  spotBuys: 'base',
  find: byClientOrderId,
  trades: (account, { id }, symbol) =>
    allPages(tradeLimit, (last) =>
      account.fetchMyTrades(symbol, undefined, tradeLimit, { orderId: id, ...after(last) }),
    ),
  // "Execution status unknown" and the like, and a timeout in Binance's own queue.
  unsure: /"code":\s*-(1000|1001|1006|1007|1008|5041)\b/,
  // ccxt takes some of the codes, such as that of an empty order book, for failures of the exchange.
  refusals: /"code":\s*-\d|System is under maintenance/,
}

function after(last: CcxtTrade | undefined) {
  return last?.id === undefined ? {} : { fromId: plain(decimal(last.id).plus(one)) }
}
