/**
 * Openings that rest at Kraken Futures: a post-only order has the type `post`, and is refused with `postWouldExecute` if it
 * would be executed at once. As on the pages "Send order", "Get Specific Orders' Status", "Get your fills", "Get order events"
 * and "Get ticker by symbol".
 *
 * Five seconds after its end, an order is no longer listed. Then its fills say that it was executed completely, or the event
 * of its cancellation says how much of it was. Without either, nobody knows yet, and the bot asks again.
 */
import { decimal, plain, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { EntryDialect, OrderQuery } from './dialect.ts'
import { cliOrdIdOf, fillsWhere } from './kraken-futures-fills.ts'
import { krakenFuturesLegs, orderEvents, sendOrder } from './kraken-futures-legs.ts'
import { dayMs } from './lookups.ts'
import { request } from './requests.ts'

type Ticker = { ticker?: { bid?: string; ask?: string } }

export const krakenFuturesEntries: EntryDialect = {
  supports: krakenFuturesLegs.supports,
  // Kraken has no time after which it does not carry out a request, unless the request names one.
  requestLifeMs: 30_000,
  place: (account, market, { side, limit }, { clientOrderId: clientId, amount }) =>
    sendOrder(
      account,
      market,
      { side, clientId },
      {
        ...{ orderType: limit.postOnly ? 'post' : 'lmt', size: amount, isOpening: true },
        price: { limitPrice: limit.price },
      },
    ),
  wouldTake: /failed due to postWouldExecute/,
  bestPrices: async (account, { id: symbol }) => {
    const { ticker } = await request<Ticker>(account, 'publicGetTickersSymbol', { symbol })
    return { bid: ticker?.bid ?? '', ask: ticker?.ask ?? '' }
  },
}

/** So far back, if nobody knows when an order was planned. None rests longer than a day. */
const longestMs = 2 * dayMs

/**
 * What became of an order with a limit that is no longer listed.
 * @returns `undefined` if Kraken knows nothing of it
 * @throws {Error} while it does not say yet how much was executed
 * @throws the errors of ccxt
 */
export async function endedEntry(
  account: CcxtAccount,
  { clientOrderId, symbol, amount, rests }: OrderQuery,
): Promise<CcxtOrder | undefined> {
  const market = account.markets[symbol] as CcxtTradedMarket
  const since = rests?.since ?? Date.now() - longestMs
  const fills = (await fillsWhere(account, (fill) => cliOrdIdOf(fill) === clientOrderId)).filter(
    ({ timestamp = 0 }) => timestamp >= since - clockMs,
  )
  const executed = fills.reduce((sum, { amount: part = '0' }) => sum.plus(decimal(part)), zero)
  const [fill] = fills
  if (fill !== undefined && executed.gte(decimal(amount))) {
    const { order: id, side } = fill
    return {
      ...ended,
      ...{ id, clientOrderId, symbol, side, status: 'closed', amount, filled: plain(executed) },
    }
  }
  const events = await orderEvents(account, market, { sentAt: since })
  const own = events.filter(({ order }) => order.clientId === clientOrderId && order.tradeable === market.id)
  if (fill === undefined && own.length === 0) return undefined
  const end = own.find(({ kind }) => kind === 'OrderCancelled' || kind === 'OrderRejected')
  if (end === undefined)
    throw new Error('Kraken lists the order no longer, and does not say yet what became of it.')
  const { uid: id, direction, filled } = end.order
  return {
    ...ended,
    ...{ id, clientOrderId, symbol, side: direction.toLowerCase(), status: 'canceled', amount },
    filled: plain(decimal(filled)),
  }
}

const ended = { info: {} }
/** The clocks may differ. */
const clockMs = 60_000
