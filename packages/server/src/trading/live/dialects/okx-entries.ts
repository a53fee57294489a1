/**
 * Openings that rest at OKX, on spot and perpetual futures: a post-only order has the type `post_only`. If it would be
 * executed at once, OKX accepts it, and cancels it with the source 31. Sizes of futures are in contracts. As on the pages
 * "Place order", "Order details" (`cancelSource`) and "Get ticker".
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { Entry, EntryDialect } from './dialect.ts'
import { accountConfig, futuresOrderMode, type Page, type Row, spotIsCross } from './okx-account.ts'
import { okxLegs, okxSpotLegs } from './okx-legs.ts'
import { request } from './requests.ts'

type ModeOf = (account: CcxtAccount, market: CcxtTradedMarket, order: Entry) => Promise<{ tdMode: string }>

export const okxEntries = entriesIn(okxLegs.supports, futuresOrderMode)

export const okxSpotEntries = entriesIn(okxSpotLegs.supports, async (account) => ({
  tdMode: spotIsCross(await accountConfig.of(account)) ? 'cross' : 'cash',
}))

function entriesIn(supports: EntryDialect['supports'], modeOf: ModeOf): EntryDialect {
  return {
    supports,
    place: async (account, market, order, { clientOrderId, amount }) => {
      const { side, limit } = order
      const { data } = await request<Page>(account, 'privatePostTradeOrder', {
        ...{ instId: market.id, side, ordType: limit.postOnly ? 'post_only' : 'limit' },
        ...{ sz: amount, px: limit.price },
        ...(await modeOf(account, market, order)),
        clOrdId: clientOrderId,
      })
      return data?.[0]?.ordId ?? ''
    },
    hasTaken: ({ info }) => (info as Row).cancelSource === '31',
    bestPrices: async (account, { id: instId }) => {
      const { data } = await request<Page>(account, 'publicGetMarketTicker', { instId })
      const { bidPx: bid = '', askPx: ask = '' } = data?.find((row) => row.instId === instId) ?? {}
      return { bid, ask }
    },
  }
}
