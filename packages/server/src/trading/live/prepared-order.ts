import { decimal, one, plain } from '../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { fromBase, rulesOf } from '../../market/live/market-rules.ts'
import { NoSuchMarket } from '../../market/price-source.ts'
import { liveEntryReason } from '../entries/settings.ts'
import type { OrderRequest } from '../types.ts'
import type { Dialect, EntryDialect, OrderQuery } from './dialects/dialect.ts'
import { ensureMargin } from './margin.ts'

/** An order in ccxt's words, and how to send it. */
export type PreparedOrder = { query: OrderQuery; send: () => Promise<CcxtOrder> }

type Unprepared = {
  account: CcxtAccount
  dialect: Dialect
  market: CcxtTradedMarket
  order: OrderRequest
  /** Returns the current price. */
  price: () => Promise<string>
  /** `undefined`: the exchange takes no order that rests. */
  entries: EntryDialect | undefined
}

/** The largest slippage of an order that must name a price, as a fraction of the last price. */
const maxSlippage = '0.02'

/**
 * Does everything that can fail before an order is sent.
 * @throws {NoSuchMarket} {VenueUnreachable} and the errors of ccxt
 */
export async function prepareOrder({
  account,
  dialect,
  market,
  order,
  price: currentPrice,
  entries,
}: Unprepared): Promise<PreparedOrder> {
  rulesOf(market)
  const amount = fromBase(market, order.size)
  if (amount === undefined) {
    throw new NoSuchMarket(`The size ${order.size} is not a multiple of the size step of ${order.symbol}.`)
  }
  // First: it may take several requests, and the price is to be that of the order.
  await ensureMargin({ account, dialect, market, order })
  const query = queryOf(order, market, dialect)
  const { limit } = order
  if (limit !== undefined) {
    if (entries?.supports(market) !== true) throw new NoSuchMarket(liveEntryReason)
    // The answer says less than a look-up, which follows.
    const send = async () => ({
      id: await entries.place(account, market, { ...order, limit }, query),
      info: null,
    })
    return { query, send }
  }
  const isLimit = market.spot === true && order.side === 'buy' && dialect.spotBuys === 'limit'
  const last = isLimit || dialect.needsPrice ? await currentPrice() : undefined
  const price = isLimit && last !== undefined ? worstPrice(last) : last
  const params = {
    clientOrderId: query.clientOrderId,
    ...(isLimit ? { timeInForce: 'IOC' } : {}),
    ...(dialect.needsPrice ? { slippage: maxSlippage } : {}),
    ...(order.reduceOnly && market.contract === true ? { reduceOnly: true } : {}),
    ...(await dialect.orderParams?.(account, market, order)),
  }
  const type = isLimit ? 'limit' : 'market'
  const send = () => account.createOrder(order.symbol, type, order.side, amount, price, params)
  return { query, send }
}

/** How to find an order at the exchange. */
export function queryOf(order: OrderRequest, market: CcxtTradedMarket, dialect: Dialect): OrderQuery {
  const { clientOrderId, symbol, size, limit, isKnown = false, plannedAt } = order
  return {
    clientOrderId: dialect.clientOrderId(clientOrderId),
    symbol,
    amount: fromBase(market, size) ?? size,
    ...(limit !== undefined && { rests: { isKnown, since: plannedAt } }),
  }
}

/** The highest acceptable price of a buy. */
function worstPrice(price: string): string {
  return plain(decimal(price).times(one.plus(decimal(maxSlippage))))
}
