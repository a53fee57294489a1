/**
 * Openings that rest at Kraken spot: a post-only order has the flag `post`. If it would be executed at once, Kraken refuses it
 * with `EOrder:Post only order`, or ends it with the reason "Post only order". As on the pages "Add Order", "Get Open
 * Orders", "Get Closed Orders" and "Get Ticker Information" of the spot REST API.
 *
 * The bot looks at an order that rests every two seconds. A key of the lowest tier may ask only 20 times a minute, so one
 * list of the account's open orders, at most ten seconds old, answers for all of them.
 */
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { EntryDialect, OrderQuery } from './dialect.ts'
import { forgetOpenOrders, openOrders } from './kraken-open-orders.ts'
import { request } from './requests.ts'

type Ticker = { a?: string[]; b?: string[] }

const isPostOnly = /Post only order/i
const longestMs = 10_000

export const krakenEntries: EntryDialect = {
  supports: ({ spot }) => spot === true,
  // Kraken takes no request that is older than one that it has answered. A look-up is one.
  requestLifeMs: 30_000,
  place: async (account, { id: pair }, { side, limit }, { clientOrderId, amount }) => {
    forgetOpenOrders(account)
    const { result } = await request<{ result: { txid?: string[] } }>(account, 'privatePostAddOrder', {
      ...{ pair, type: side, ordertype: 'limit', volume: amount, price: limit.price },
      ...(limit.postOnly && { oflags: 'post' }),
      cl_ord_id: clientOrderId,
    })
    return result.txid?.[0] ?? ''
  },
  wouldTake: isPostOnly,
  hasTaken: ({ info }) => isPostOnly.test(String((info as { reason?: unknown }).reason ?? '')),
  bestPrices: async (account, { id: pair }) => {
    const { result } = await request<{ result: Record<string, Ticker> }>(account, 'publicGetTicker', { pair })
    const [ticker] = Object.values(result)
    return { bid: ticker?.b?.[0] ?? '', ask: ticker?.a?.[0] ?? '' }
  },
}

type Parsing = { parseOrder(row: object, market: CcxtTradedMarket | undefined): CcxtOrder }

/** An order that rests, as it was at most ten seconds ago; `undefined` if it is not open any more, or nobody knows. */
export async function restingOrder(
  account: CcxtAccount,
  { clientOrderId, symbol }: OrderQuery,
): Promise<CcxtOrder | undefined> {
  const listed = Object.entries(await openOrders(account, longestMs))
  const found = listed.find(([, { cl_ord_id }]) => cl_ord_id === clientOrderId)
  if (found === undefined) return undefined
  const [id, row] = found
  return (account as unknown as Parsing).parseOrder({ id, ...row }, account.markets[symbol])
}
