import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { OrderRequest } from '../../types.ts'
import {
  after,
  equity,
  facts,
  funding,
  isHedgeMode,
  isOutdated,
  positions,
  tradesSince,
} from './binance-account.ts'
import { binanceEntries, binanceSpotEntries } from './binance-entries.ts'
import { binanceLegs } from './binance-legs.ts'
import { binanceMargin } from './binance-margin.ts'
import { binanceSpotLegs } from './binance-spot-legs.ts'
import type { Dialect } from './dialect.ts'
import { allPages, byClientOrderId, positionSideOf, tradeLimit, validOr } from './lookups.ts'
import { kindOf } from './requests.ts'

export const binance: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w.:/-]{1,36}$/),
  spotBuys: 'base',
  find: byClientOrderId,
  legs: { futures: binanceLegs, spot: binanceSpotLegs },
  entries: { futures: binanceEntries, spot: binanceSpotEntries },
  trades: (account, { id }, symbol) =>
    allPages(tradeLimit, (last) =>
      account.fetchMyTrades(symbol, undefined, tradeLimit, { orderId: id, ...after(last) }),
    ),
  // "Execution status unknown" and the like, and a timeout in Binance's own queue.
  unsure: /"code":\s*-(1000|1001|1006|1007|1008|5041)\b/,
  // ccxt takes some of the codes, such as that of an empty order book, for failures of the exchange.
  refusals: /"code":\s*-\d|System is under maintenance/,
  orderParams,
  margin: binanceMargin,
  isOutdated,
  tradesSince,
  kindOf,
  positions,
  funding,
  equity,
  facts,
  useDemo: (account) =>
    (account as CcxtAccount & { enableDemoTrading(on: boolean): void }).enableDemoTrading(true),
}

/**
 * In hedge mode, an order names the position that it changes, and must not say that it only reduces: an order against
 * the named position can only reduce it.
 */
async function orderParams(
  account: CcxtAccount,
  { contract }: CcxtTradedMarket,
  order: OrderRequest,
): Promise<object> {
  if (contract !== true || !(await isHedgeMode(account))) return {}
  return { positionSide: positionSideOf(order).toUpperCase(), reduceOnly: undefined }
}
