/**
 * Openings that rest at Binance. On spot, as on the pages "New order (TRADE)" and "Symbol order book ticker" of the REST
 * API: a post-only order has the type `LIMIT_MAKER`, and is refused with -2010 if it would be executed at once. At USD-M
 * futures, as on the pages "New Order", "Symbol Order Book Ticker" and "Error Code": it has the time in force `GTX`, and is
 * refused with -5022. Before March 2023, such an order expired instead.
 */
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import { isHedgeMode } from './binance-account.ts'
import type { EntryDialect } from './dialect.ts'
import { positionSideOf } from './lookups.ts'
import { request } from './requests.ts'

type Placed = { orderId: string }
type BookTicker = { bidPrice: string; askPrice: string }

export const binanceSpotEntries: EntryDialect = {
  supports: ({ contract }) => contract !== true,
  place: async (account, { id: symbol }, { side, limit }, { clientOrderId, amount }) => {
    const { orderId } = await request<Placed>(account, 'privatePostOrder', {
      ...{ symbol, side: side.toUpperCase() },
      ...(limit.postOnly ? { type: 'LIMIT_MAKER' } : { type: 'LIMIT', timeInForce: 'GTC' }),
      ...{ quantity: amount, price: limit.price, newClientOrderId: clientOrderId, newOrderRespType: 'ACK' },
    })
    return orderId
  },
  wouldTake: /immediately match and take/,
  bestPrices: (account, market) => bestPrices(account, 'publicGetTickerBookTicker', market),
}

export const binanceEntries: EntryDialect = {
  supports: ({ contract, linear }) => contract === true && linear === true,
  place: async (account, { id: symbol }, order, { clientOrderId, amount }) => {
    const { side, limit } = order
    const { orderId } = await request<Placed>(account, 'fapiPrivatePostOrder', {
      ...{ symbol, side: side.toUpperCase(), type: 'LIMIT', timeInForce: limit.postOnly ? 'GTX' : 'GTC' },
      ...{ quantity: amount, price: limit.price },
      ...((await isHedgeMode(account)) && { positionSide: positionSideOf(order).toUpperCase() }),
      newClientOrderId: clientOrderId,
    })
    return orderId
  },
  wouldTake: /"code":\s*-5022\b/,
  hasTaken: ({ info }: CcxtOrder) => {
    const { status, timeInForce } = info as { status?: string; timeInForce?: string }
    return status === 'EXPIRED' && timeInForce === 'GTX'
  },
  bestPrices: (account, market) => bestPrices(account, 'fapiPublicGetTickerBookTicker', market),
}

async function bestPrices(account: CcxtAccount, name: string, { id: symbol }: CcxtTradedMarket) {
  const { bidPrice: bid, askPrice: ask } = await request<BookTicker>(account, name, { symbol })
  return { bid, ask }
}
