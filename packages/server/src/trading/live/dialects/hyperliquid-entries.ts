/**
 * Openings that rest at Hyperliquid, on spot and perpetuals: a post-only order has the time in force `Alo` (add liquidity only), and is
 * refused if it would be executed at once. As on the pages "Exchange endpoint" (Place an order), "Error responses"
 * (`BadAloPx`), "Tick and lot size" and "Info endpoint" (L2 book snapshot, Query order status by oid or cloid).
 */
import { decimal, plain } from '../../../base/decimals.ts'
import type { EntryDialect } from './dialect.ts'
import { coinOf } from './hyperliquid-actions.ts'
import { hyperliquidLegs, priceDigits, sendOrder, smallestStep } from './hyperliquid-legs.ts'
import { request } from './requests.ts'

/** Bids and offers, the best ones first. */
type Book = { levels?: { px: string }[][] }

export const hyperliquidEntries = entriesIn(hyperliquidLegs.supports)
export const hyperliquidSpotEntries = entriesIn(({ spot }) => spot === true)

function entriesIn(supports: EntryDialect['supports']): EntryDialect {
  return {
    supports,
    // Hyperliquid has no time after which it does not carry out an action.
    requestLifeMs: 30_000,
    steps: (market) => ({ priceStep: smallestStep(market), priceDigits }),
    place: (account, _market, { symbol, side, limit }, { clientOrderId: clientId, amount }) => {
      const t = { limit: { tif: limit.postOnly ? 'Alo' : 'Gtc' } }
      return sendOrder(
        account,
        { symbol, side, clientId },
        { p: plain(decimal(limit.price)), s: amount, t, r: false },
      )
    },
    wouldTake: /Post only order would have immediately matched/,
    hasTaken: ({ info }) => (info as { status?: string }).status === 'badAloPxRejected',
    bestPrices: async (account, market) => {
      const { levels: [bids, asks] = [] } = await request<Book>(account, 'publicPostInfo', {
        ...{ type: 'l2Book', coin: coinOf(market) },
      })
      return { bid: bids?.[0]?.px ?? '', ask: asks?.[0]?.px ?? '' }
    },
  }
}
