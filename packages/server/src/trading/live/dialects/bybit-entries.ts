/**
 * Openings that rest at Bybit, on spot and perpetual futures: a post-only order has the time in force `PostOnly`. If it
 * would be executed at once, Bybit accepts it, and ends it with a reason of its own; on spot, it may refuse it with 170218.
 * As on the pages "Place Order", "Get Tickers", "Enums Definitions" (`rejectReason`) and "Error Codes".
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import { orderParams, type Page, type Result, type Row } from './bybit-account.ts'
import { bybitLegs, bybitSpotLegs } from './bybit-legs.ts'
import type { Entry, EntryDialect, OrderQuery } from './dialect.ts'
import { request } from './requests.ts'

export const bybitEntries = entriesIn('linear', bybitLegs.supports)
export const bybitSpotEntries = entriesIn('spot', bybitSpotLegs.supports)

function entriesIn(category: 'linear' | 'spot', supports: EntryDialect['supports']): EntryDialect {
  return {
    supports,
    place: (account, market, order, query) => place(category, account, market, order, query),
    wouldTake: /"retCode":\s*"?170218\b/,
    hasTaken: ({ info }) => (info as Row).rejectReason === 'EC_PostOnlyWillTakeLiquidity',
    bestPrices: async (account, { id: symbol }) => {
      const query = { category, symbol }
      const { result } = await request<Page>(account, 'publicGetV5MarketTickers', query)
      const { bid1Price: bid = '', ask1Price: ask = '' } =
        result?.list?.find((row) => row.symbol === symbol) ?? {}
      return { bid, ask }
    },
  }
}

async function place(
  category: 'linear' | 'spot',
  account: CcxtAccount,
  market: CcxtTradedMarket,
  order: Entry,
  { clientOrderId, amount }: OrderQuery,
): Promise<string> {
  const { side, limit } = order
  const params = await orderParams(account, market, order)
  const { result } = await request<Result<Row>>(account, 'privatePostV5OrderCreate', {
    ...{ category, symbol: market.id, side: side === 'buy' ? 'Buy' : 'Sell', orderType: 'Limit' },
    ...{ qty: amount, price: limit.price, timeInForce: limit.postOnly ? 'PostOnly' : 'GTC' },
    ...params,
    orderLinkId: clientOrderId,
  })
  return result?.orderId ?? ''
}
