/**
 * Openings that rest at Gate's USDT futures: a post-only order has the time in force `poc` (pending or cancelled). If it
 * would be executed at once, Gate refuses it, or ends it with `finish_as` `poc`. Sizes are in contracts, and below zero for a
 * sale. As in "Place futures order" and "Get all futures trading statistics" of Gate's documentation, in its model
 * FuturesOrder, and in its list of error labels.
 */
import type { EntryDialect } from './dialect.ts'
import { gateLegs, settle, signed } from './gate-legs.ts'
import { request } from './requests.ts'

type Ticker = { contract: string; highest_bid?: string; lowest_ask?: string }

export const gateEntries: EntryDialect = {
  supports: gateLegs.supports,
  // Gate carries out a request whose time differs from its own by up to a minute.
  requestLifeMs: 60_000,
  place: async (account, { id: contract }, order, { clientOrderId: text, amount }) => {
    const { limit } = order
    const { id } = await request<{ id?: string }>(account, 'privateFuturesPostSettleOrders', {
      ...{ settle, contract, size: signed(order, amount), price: limit.price },
      ...{ tif: limit.postOnly ? 'poc' : 'gtc', text },
    })
    return id ?? ''
  },
  wouldTake: /"label":\s*"(POC_FILL_IMMEDIATELY|ORDER_POC_IMMEDIATE|ORDER_POC)"/,
  hasTaken: ({ info }) => (info as { finish_as?: string }).finish_as === 'poc',
  bestPrices: async (account, { id: contract }) => {
    const asked = { settle, contract }
    const tickers = await request<Ticker[]>(account, 'publicFuturesGetSettleTickers', asked)
    const found = tickers.find((ticker) => ticker.contract === contract)
    return { bid: found?.highest_bid ?? '', ask: found?.lowest_ask ?? '' }
  },
}
