/**
 * Openings that rest at Bitget, on spot and futures, of classic and unified accounts: a post-only order has the `force`
 * `post_only`, or `timeInForce` in the API v3. As on the pages "Place Order", "Get Order Info", "Get Order Detail" and "Get
 * Ticker Information" of the API v2, and "Place Order" and "Get Order Details" of the API v3.
 *
 * Bitget accepts a post-only order that would be executed at once, and cancels it. Its pages do not say how such an order
 * differs from one that somebody has cancelled: both have executed nothing. So the time decides. An order that ended within a
 * second of its creation was ended by the exchange. If it took longer, it counts as cancelled by somebody, and nothing
 * follows. Either way, it has ended, so what follows never adds to it.
 */
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import { kindOf, modesOf, productOf } from './bitget-account.ts'
import { bitgetLegs } from './bitget-legs.ts'
import { bitgetSpotLegs } from './bitget-spot-legs.ts'
import type { Entry, EntryDialect, OrderQuery } from './dialect.ts'
import { positionSideOf } from './lookups.ts'
import { request } from './requests.ts'

type Placed = { data: { orderId?: string } | null }
type Tickers = { data: { symbol: string; bidPr?: string | null; askPr?: string | null }[] }
/** The times are `cTime` and `uTime` in the API v2. */
type Ended = {
  cancelReason?: string
  cTime?: string
  uTime?: string
  createdTime?: string
  updatedTime?: string
}

/** Nobody has seen an order and cancelled it this soon. */
const atOnceMs = 1_000

const common = {
  // The page "Signature": the exchange accepts a request for 30 s.
  requestLifeMs: 30_000,
  hasTaken: ({ info }: CcxtOrder) => {
    const { cancelReason, cTime, uTime, createdTime = cTime, updatedTime = uTime } = info as Ended
    // Another order of the account would have been the other side.
    if (cancelReason === 'stp_cancel') return false
    return Number(updatedTime) - Number(createdTime) < atOnceMs
  },
}

export const bitgetEntries: EntryDialect = {
  ...common,
  supports: bitgetLegs.supports,
  place: async (account, market, order, query) => {
    const { side, limit } = order
    const { isHedged, marginMode } = await modesOf(account, market)
    if ((await kindOf(account)) === 'unified')
      return placeUnified(account, market, order, query, {
        marginMode,
        ...(isHedged && { posSide: positionSideOf(order) }),
      })
    return place(account, 'privateMixPostV2MixOrderPlaceOrder', {
      ...{ symbol: market.id, productType: productOf(market), marginMode, marginCoin: market.settle },
      // In hedge mode, the side of an opening is that of its position, too.
      ...{ size: query.amount, price: limit.price, side, ...(isHedged && { tradeSide: 'open' }) },
      ...{ orderType: 'limit', force: forceOf(order), clientOid: query.clientOrderId },
    })
  },
  bestPrices: (account, market) =>
    bestPrices(account, 'publicMixGetV2MixMarketTicker', market, { productType: productOf(market) }),
}

export const bitgetSpotEntries: EntryDialect = {
  ...common,
  supports: bitgetSpotLegs.supports,
  place: async (account, market, order, query) => {
    if ((await kindOf(account)) === 'unified') return placeUnified(account, market, order, query, {})
    return place(account, 'privateSpotPostV2SpotTradePlaceOrder', {
      ...{ symbol: market.id, side: order.side, orderType: 'limit', force: forceOf(order) },
      ...{ price: order.limit.price, size: query.amount, clientOid: query.clientOrderId },
    })
  },
  bestPrices: (account, market) => bestPrices(account, 'publicSpotGetV2SpotMarketTickers', market, {}),
}

function placeUnified(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  order: Entry,
  { clientOrderId, amount }: OrderQuery,
  mode: { marginMode?: string; posSide?: string },
): Promise<string> {
  return place(account, 'privateUtaPostV3TradePlaceOrder', {
    ...{ category: productOf(market), symbol: market.id, qty: amount, price: order.limit.price },
    ...{ side: order.side, orderType: 'limit', timeInForce: forceOf(order), ...mode },
    clientOid: clientOrderId,
  })
}

function forceOf({ limit }: Entry): 'post_only' | 'gtc' {
  return limit.postOnly ? 'post_only' : 'gtc'
}

async function place(account: CcxtAccount, name: string, fields: object): Promise<string> {
  const { data } = await request<Placed>(account, name, fields)
  return data?.orderId ?? ''
}

async function bestPrices(
  account: CcxtAccount,
  name: string,
  { id: symbol }: CcxtTradedMarket,
  more: { productType?: string },
) {
  const { data } = await request<Tickers>(account, name, { symbol, ...more })
  const { bidPr: bid, askPr: ask } = data.find((row) => row.symbol === symbol) ?? {}
  return { bid: bid ?? '', ask: ask ?? '' }
}
