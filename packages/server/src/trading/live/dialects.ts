import { createHash } from 'node:crypto'
import { decimal, one, plain, zero } from '../../base/decimals.ts'
import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade } from '../../market/live/ccxt-trading.ts'
import { isTemporary } from './temporary-errors.ts'

/** How to find an order: its client order id and amount in the exchange's form, and ccxt's symbol. */
export type OrderQuery = { clientOrderId: string; symbol: string; amount: string }

/** How an exchange accepts and reports orders, as seen through ccxt. */
export type Dialect = {
  /** Converts a client order id to a form that the exchange accepts. The same id always gives the same result. */
  clientOrderId(id: string): string
  /**
   * The currency of the size of a spot market buy. `limit`: the exchange wants an amount in quote currency, so the bot
   * sends a limit order in base currency instead, with the time in force IOC (immediate or cancel).
   */
  spotBuys: 'base' | 'limit'
  /** Market orders need a price, from which ccxt calculates the worst acceptable price. */
  needsPrice?: true
  /** Returns the order, or `undefined` if the exchange says that there is none. Throws the errors of ccxt. */
  find(account: CcxtAccount, query: OrderQuery): Promise<CcxtOrder | undefined>
  /** Returns all trades of an order. */
  trades(account: CcxtAccount, order: CcxtOrder & { id: string }, symbol: string): Promise<CcxtTrade[]>
  /** Answers that certainly refuse the order, although ccxt reports them as general errors. */
  refusals?: RegExp
  /** Answers after which the order may have been placed, whatever error ccxt reports. */
  unsure?: RegExp
}

const tradeLimit = 1_000

/** Reads all pages of trades. @param fetch returns a page, given the last trade of the previous page */
async function allPages(
  pageLimit: number,
  fetch: (last: CcxtTrade | undefined, page: number) => Promise<CcxtTrade[]>,
): Promise<CcxtTrade[]> {
  const found = new Map<string | undefined, CcxtTrade>()
  for (let page = 1; page <= mostPages; page++) {
    const before = found.size
    const trades = await fetch([...found.values()].at(-1), page)
    for (const trade of trades) found.set(trade.id, trade)
    // An exchange that does not support pages returns the same one again.
    if (trades.length < pageLimit || found.size === before) return [...found.values()]
  }
  throw new Error('The order has too many trades.')
}

/** For exchanges that find an order by its client order id alone. */
async function byClientOrderId(account: CcxtAccount, { clientOrderId, symbol }: OrderQuery) {
  return unlessNotFound(() => account.fetchOrder(undefined, symbol, { clientOrderId }))
}

const binance: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w.:/-]{1,36}$/, (hash) => hash),
  spotBuys: 'base',
  find: byClientOrderId,
  trades: (account, { id }, symbol) =>
    allPages(tradeLimit, (last) =>
      account.fetchMyTrades(symbol, undefined, tradeLimit, { orderId: id, ...after(last) }),
    ),
  // "Execution status unknown" and the like.
  unsure: /"code":\s*-(1000|1001|1006|1007|1008)\b/,
}

const kraken: Dialect = {
  // Kraken accepts free text of at most 18 characters, or a UUID.
  clientOrderId: (id) => validOr(id, /^[\w-]{1,18}$/, (hash) => hash),
  spotBuys: 'base',
  find: async (account, { clientOrderId, symbol }) => {
    const params = { clientOrderId, trades: true }
    const open = await account.fetchOpenOrders(symbol, undefined, undefined, params)
    const found = withClientOrderId(open, clientOrderId)
    if (found !== undefined) return found
    // Open orders first: an order that is executed between the two requests is in one of the two answers.
    const closed = await account.fetchClosedOrders(symbol, undefined, undefined, params)
    return withClientOrderId(closed, clientOrderId)
  },
  trades: async (account, order, symbol) => {
    const { trades } = order.info as { trades?: unknown }
    if (!Array.isArray(trades) || trades.length === 0) return []
    return account.fetchOrderTrades(order.id, symbol, undefined, undefined, { trades })
  },
  refusals: /"E(Order|API|Trade|Query|Account|Session):|"EGeneral:(Invalid|Permission)/,
}

const krakenFutures: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w-]{1,100}$/, (hash) => hash),
  spotBuys: 'base',
  find: async (account, query) => {
    const { clientOrderId, symbol } = query
    const asked = account.fetchOrders(symbol, undefined, undefined, { cliOrdIds: clientOrderId })
    // If the exchange does not serve this list: an open order is in the list below, an executed one in the fills.
    const orders = await asked.catch((error: unknown) =>
      isTemporary(error) ? Promise.reject(error) : account.fetchOpenOrders(symbol),
    )
    return withClientOrderId(orders, clientOrderId) ?? fromFills(account, query)
  },
  trades: (account, { id }) => fillsWhere(account, ({ order }) => order === id),
  refusals: /due to (selfFill|tooManySmallOrders|wouldNotReducePosition)/,
}

/**
 * Kraken futures lists orders that are open or ended less than five seconds ago. Older orders are found by their fills.
 * Fills can also appear before the order does, so an order with only some fills counts as ended only after a while.
 */
async function fromFills(account: CcxtAccount, query: OrderQuery): Promise<CcxtOrder | undefined> {
  const { clientOrderId, symbol, amount } = query
  const isWanted = ({ info }: CcxtTrade) => (info as { cliOrdId?: unknown }).cliOrdId === clientOrderId
  const fills = await fillsWhere(account, isWanted)
  if (fills[0] === undefined) return undefined
  const filled = fills.reduce((sum, fill) => sum.plus(decimal(fill.amount ?? '0')), zero)
  const latest = Math.max(...fills.map(({ timestamp = 0 }) => timestamp))
  const isEnded = latest < Date.now() - endedMs
  const status = filled.gte(decimal(amount)) ? 'closed' : isEnded ? 'canceled' : 'open'
  return { id: fills[0].order, clientOrderId, symbol, status, filled: plain(filled), info: {} }
}

const endedMs = 30_000
const fillPage = 100
const mostPages = 50
const fillAgeMs = 7 * 86_400_000

/** Kraken futures returns the last hundred fills of all markets, or, with `lastFillTime`, those before that time. */
async function fillsWhere(account: CcxtAccount, isWanted: (trade: CcxtTrade) => boolean) {
  const found = new Map<string, CcxtTrade>()
  let params = {}
  for (let page = 0; page < mostPages; page++) {
    const fills = await account.fetchMyTrades(undefined, undefined, undefined, params)
    const matching = fills.filter(isWanted)
    for (const fill of matching) if (fill.id !== undefined) found.set(fill.id, fill)
    const oldest = Math.min(...fills.map(({ timestamp = 0 }) => timestamp))
    const isLast = fills.length < fillPage || oldest < Date.now() - fillAgeMs
    if (isLast || (found.size > 0 && matching.length === 0)) return [...found.values()]
    params = { lastFillTime: new Date(oldest).toISOString() }
  }
  throw new Error('There are too many fills to search.')
}

const gate: Dialect = {
  clientOrderId: (id) => `t-${validOr(id, /^[\w.-]{1,26}$/, (hash) => hash.slice(0, 26))}`,
  spotBuys: 'limit',
  // Gate forgets custom ids half an hour after an order ends. Then only the list contains it.
  find: async (account, query) => {
    const found = await byClientOrderId(account, query)
    if (found !== undefined) return found
    const closed = await account.fetchClosedOrders(query.symbol, undefined, 100).catch(unlessTemporary)
    return withClientOrderId(closed, query.clientOrderId)
  },
  trades: (account, { id, timestamp }, symbol) => {
    if (account.markets[symbol]?.contract !== true) {
      return allPages(tradeLimit, (_, page) =>
        account.fetchMyTrades(symbol, undefined, tradeLimit, { order_id: id, page }),
      )
    }
    // Trades of contracts can be requested only by time.
    const since = beforeOf(timestamp)
    return ofOrder(
      allPages(tradeLimit, (_, page) =>
        account.fetchMyTrades(symbol, since, tradeLimit, { offset: (page - 1) * tradeLimit }),
      ),
      id,
    )
  },
}

const bitget: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w.:/#-]{1,40}$/, (hash) => hash),
  spotBuys: 'limit',
  find: byClientOrderId,
  trades: (account, { id }, symbol) =>
    ofOrder(
      allPages(fillPage, async (last) => {
        const before = last?.id === undefined ? {} : { idLessThan: last.id }
        const page = await account.fetchMyTrades(symbol, undefined, fillPage, { orderId: id, ...before })
        return page.sort((a, b) => Number(BigInt(b.id ?? 0) - BigInt(a.id ?? 0)))
      }),
      id,
    ),
  unsure: /"code":\s*"(40010|40015|40725|45001)"/,
}

const hyperliquid: Dialect = {
  clientOrderId: (id) => `0x${hashOf(id)}`,
  spotBuys: 'base',
  needsPrice: true,
  find: byClientOrderId,
  trades: async (account, order, symbol) => {
    const trades = await ofOrder(account.fetchMyTrades(symbol, beforeOf(order.timestamp)), order.id)
    // Fees have the exchange's names of wrapped coins, such as `UBTC`; markets have the common names, such as `BTC`.
    const mapping = (account.options.spotCurrencyMapping ?? {}) as Record<string, string>
    return trades.map((trade) => {
      const currency = trade.fee?.currency ?? ''
      return { ...trade, fee: { ...trade.fee, currency: mapping[currency] ?? currency } }
    })
  },
  // All refusals have this form, but ccxt knows only some of them by name.
  refusals: /"error":|"status":\s*"err"/,
}

const dialects: Record<string, Dialect> = {
  binance,
  binanceusdm: binance,
  kraken,
  krakenfutures: krakenFutures,
  gate,
  bitget,
  hyperliquid,
}

/** The dialect of an exchange; `undefined` if the service does not know it well enough to trade there with real money. */
export function dialectOf(exchange: string): Dialect | undefined {
  return dialects[exchange]
}

/** The exchanges that live bots support, by ccxt's id. */
export const tradedExchanges: readonly string[] = Object.keys(dialects)

/** A list that the exchange does not serve counts as empty. */
function unlessTemporary(error: unknown): CcxtOrder[] {
  if (isTemporary(error)) throw error
  return []
}

function after(last: CcxtTrade | undefined) {
  return last?.id === undefined ? {} : { fromId: plain(decimal(last.id).plus(one)) }
}

async function unlessNotFound(find: () => Promise<CcxtOrder>): Promise<CcxtOrder | undefined> {
  try {
    return await find()
  } catch (error) {
    if (isCcxtError(error, 'OrderNotFound')) return undefined
    throw error
  }
}

function withClientOrderId(orders: CcxtOrder[], clientOrderId: string): CcxtOrder | undefined {
  return orders.find((order) => order.clientOrderId === clientOrderId)
}

async function ofOrder(trades: Promise<CcxtTrade[]>, id: string): Promise<CcxtTrade[]> {
  return (await trades).filter(({ order }) => order === id)
}

/** A minute before an order's time: an exchange may report a trade as slightly older than its order. */
function beforeOf(timestamp: number | undefined): number | undefined {
  return timestamp === undefined ? undefined : timestamp - 60_000
}

/** The id itself if the exchange accepts its form, otherwise one made from its hash. */
function validOr(id: string, form: RegExp, otherwise: (hash: string) => string): string {
  return form.test(id) ? id : otherwise(hashOf(id))
}

/** 128 bits, as 32 hexadecimal digits. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32)
}
