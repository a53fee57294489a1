/**
 * Openings that rest at Gate, on spot and USDT futures: a post-only order has the time in force `poc` (pending or cancelled).
 * If it would be executed at once, Gate refuses it, or ends it with `finish_as` `poc`. Sizes of futures are in contracts, and
 * below zero for a sale. As in "Create an order", "Get currency pair ticker information", "Place futures order" and "Get all
 * futures trading statistics" of Gate's documentation, in its models Order and FuturesOrder, and in its list of error labels.
 */
import type { CcxtOrder } from '../../../market/live/ccxt-trading.ts'
import type { EntryDialect } from './dialect.ts'
import { kindOf } from './gate-account.ts'
import { gateLegs, settle, signed } from './gate-legs.ts'
import { gateSpotLegs } from './gate-spot-legs.ts'
import { request } from './requests.ts'

type Ticker = { highest_bid?: string; lowest_ask?: string }

const common = {
  // Gate carries out a request whose time differs from its own by up to a minute.
  requestLifeMs: 60_000,
  wouldTake: /"label":\s*"(POC_FILL_IMMEDIATELY|ORDER_POC_IMMEDIATE|ORDER_POC)"/,
  hasTaken: ({ info }: CcxtOrder) => (info as { finish_as?: string }).finish_as === 'poc',
}

export const gateEntries: EntryDialect = {
  ...common,
  supports: gateLegs.supports,
  place: async (account, { id: contract }, order, { clientOrderId: text, amount }) => {
    const { limit } = order
    const { id } = await request<{ id?: string }>(account, 'privateFuturesPostSettleOrders', {
      ...{ settle, contract, size: signed(order, amount), price: limit.price },
      ...{ tif: limit.postOnly ? 'poc' : 'gtc', text },
    })
    return id ?? ''
  },
  bestPrices: async (account, { id: contract }) => {
    const asked = { settle, contract }
    const tickers = await request<(Ticker & { contract: string })[]>(
      account,
      'publicFuturesGetSettleTickers',
      asked,
    )
    return bestOf(tickers.find((ticker) => ticker.contract === contract))
  },
}

export const gateSpotEntries: EntryDialect = {
  ...common,
  supports: gateSpotLegs.supports,
  place: async (account, { id: pair }, { side, limit }, { clientOrderId: text, amount }) => {
    const { id } = await request<{ id?: string }>(account, 'privateSpotPostOrders', {
      ...{ text, currency_pair: pair, type: 'limit' },
      account: (await kindOf(account)) === 'unified' ? 'unified' : 'spot',
      ...{ side, amount, price: limit.price, time_in_force: limit.postOnly ? 'poc' : 'gtc' },
    })
    return id ?? ''
  },
  bestPrices: async (account, { id: pair }) => {
    const tickers = await request<(Ticker & { currency_pair: string })[]>(account, 'publicSpotGetTickers', {
      currency_pair: pair,
    })
    return bestOf(tickers.find((ticker) => ticker.currency_pair === pair))
  },
}

function bestOf(ticker: Ticker | undefined) {
  return { bid: ticker?.highest_bid ?? '', ask: ticker?.lowest_ask ?? '' }
}
