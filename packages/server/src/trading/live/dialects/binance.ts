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
  // "Execution status unknown" and the like.
  unsure: /"code":\s*-(1000|1001|1006|1007|1008)\b/,
}

function after(last: CcxtTrade | undefined) {
  return last?.id === undefined ? {} : { fromId: plain(decimal(last.id).plus(one)) }
}
