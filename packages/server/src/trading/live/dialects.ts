import { createHash } from 'node:crypto'
import { decimal, one, plain, zero } from '../../base/decimals.ts'
import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade } from '../../market/live/ccxt-trading.ts'
import { isPassing } from './passing.ts'

/** What is asked for: a client order id and an amount as the exchange has them, and ccxt's symbol. */
export type Wanted = { clientOrderId: string; symbol: string; amount: string }

/** How an exchange, seen through ccxt, takes orders and tells of them. */
export type Dialect = {
  /** Our client order id as the exchange takes it; the same for the same one. */
  clientOrderId(id: string): string
  /** Market buys that are counted in quote currency are sent as limits that are executed at once or not at all. */
  spotBuys: 'base' | 'limit'
  /** Market orders need a price, from which ccxt makes the worst one that is taken. */
  needsPrice?: true
  /** The order, or `undefined` if the exchange has answered that there is none. Throws what ccxt throws. */
  find(account: CcxtAccount, wanted: Wanted): Promise<CcxtOrder | undefined>
  /** All trades of an order. */
  trades(account: CcxtAccount, order: CcxtOrder & { id: string }, symbol: string): Promise<CcxtTrade[]>
  /** Errors that ccxt does not tell from others although they are answers: it was not placed. */
  refusals?: RegExp
  /** Answers that leave open whether it was placed, whatever ccxt makes of them. */
  unsure?: RegExp
}

const tradeLimit = 1_000

/** @param fetch gives a page, by the last trade of the page before */
async function allPages(
  pageLimit: number,
  fetch: (last: CcxtTrade | undefined, page: number) => Promise<CcxtTrade[]>,
): Promise<CcxtTrade[]> {
  const found = new Map<string | undefined, CcxtTrade>()
  for (let page = 1; page <= mostPages; page++) {
    const before = found.size
    const trades = await fetch([...found.values()].at(-1), page)
    for (const trade of trades) found.set(trade.id, trade)
    // An exchange that does not know about pages gives the same one again.
    if (trades.length < pageLimit || found.size === before) return [...found.values()]
  }
  throw new Error('There are too many trades of one order.')
}

/** As orders are found whose exchange is asked by client order id alone. */
async function byClientOrderId(account: CcxtAccount, { clientOrderId, symbol }: Wanted) {
  return unlessNotFound(() => account.fetchOrder(undefined, symbol, { clientOrderId }))
}

const binance: Dialect = {
  clientOrderId: (id) => fitting(id, /^[\w.:/-]{1,36}$/, (hash) => hash),
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
  // Free text of at most 18 characters, or what looks like a UUID.
  clientOrderId: (id) => fitting(id, /^[\w-]{1,18}$/, (hash) => hash),
  spotBuys: 'base',
  find: async (account, { clientOrderId, symbol }) => {
    const params = { clientOrderId, trades: true }
    const open = await account.fetchOpenOrders(symbol, undefined, undefined, params)
    const found = withClientOrderId(open, clientOrderId)
    if (found !== undefined) return found
    // Asked in this order, an order that is executed meanwhile is in one of the two answers.
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
  clientOrderId: (id) => fitting(id, /^[\w-]{1,100}$/, (hash) => hash),
  spotBuys: 'base',
  find: async (account, wanted) => {
    const { clientOrderId, symbol } = wanted
    const asked = account.fetchOrders(symbol, undefined, undefined, { cliOrdIds: clientOrderId })
    // Where that list is not served: one that is open is in this one, and what was executed in the fills.
    const orders = await asked.catch((error: unknown) =>
      isPassing(error) ? Promise.reject(error) : account.fetchOpenOrders(symbol),
    )
    return withClientOrderId(orders, clientOrderId) ?? fromFills(account, wanted)
  },
  trades: (account, { id }) => fillsWhere(account, ({ order }) => order === id),
  refusals: /due to (selfFill|tooManySmallOrders|wouldNotReducePosition)/,
}

/**
 * Its list of orders has those that are open, or were so five seconds ago; older ones are known by their fills. Fills
 * can also be ahead of the list, so a part of an order is the whole of it only after a while.
 */
async function fromFills(account: CcxtAccount, wanted: Wanted): Promise<CcxtOrder | undefined> {
  const { clientOrderId, symbol, amount } = wanted
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

/** It gives the last hundred fills of all markets, and with `lastFillTime` those before. */
async function fillsWhere(account: CcxtAccount, isWanted: (trade: CcxtTrade) => boolean) {
  const found = new Map<string, CcxtTrade>()
  let params = {}
  for (let page = 0; page < mostPages; page++) {
    const fills = await account.fetchMyTrades(undefined, undefined, undefined, params)
    const wanted = fills.filter(isWanted)
    for (const fill of wanted) if (fill.id !== undefined) found.set(fill.id, fill)
    const oldest = Math.min(...fills.map(({ timestamp = 0 }) => timestamp))
    const isLast = fills.length < fillPage || oldest < Date.now() - fillAgeMs
    if (isLast || (found.size > 0 && wanted.length === 0)) return [...found.values()]
    params = { lastFillTime: new Date(oldest).toISOString() }
  }
  throw new Error('There are too many fills to look through.')
}

const gate: Dialect = {
  clientOrderId: (id) => `t-${fitting(id, /^[\w.-]{1,26}$/, (hash) => hash.slice(0, 26))}`,
  spotBuys: 'limit',
  // Custom ids are forgotten half an hour after an order's end, and then only the list has it.
  find: async (account, wanted) => {
    const found = await byClientOrderId(account, wanted)
    if (found !== undefined) return found
    const closed = await account.fetchClosedOrders(wanted.symbol, undefined, 100).catch(unlessPassing)
    return withClientOrderId(closed, wanted.clientOrderId)
  },
  trades: (account, { id, timestamp }, symbol) => {
    if (account.markets[symbol]?.contract !== true) {
      return allPages(tradeLimit, (_, page) =>
        account.fetchMyTrades(symbol, undefined, tradeLimit, { order_id: id, page }),
      )
    }
    // Those of contracts are asked for by time alone.
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
  clientOrderId: (id) => fitting(id, /^[\w.:/#-]{1,40}$/, (hash) => hash),
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
    // Fees name wrapped coins as the exchange does, and markets as others do: `UBTC` and `BTC`.
    const mapping = (account.options.spotCurrencyMapping ?? {}) as Record<string, string>
    return trades.map((trade) => {
      const currency = trade.fee?.currency ?? ''
      return { ...trade, fee: { ...trade.fee, currency: mapping[currency] ?? currency } }
    })
  },
  // It tells all refusals in one way, and ccxt knows some of them by name.
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

/** How an exchange is spoken to; `undefined` where that is not known well enough to trust it with money. */
export function dialectOf(exchange: string): Dialect | undefined {
  return dialects[exchange]
}

/** The exchanges that orders can be sent to, by ccxt's id. */
export const tradedExchanges: readonly string[] = Object.keys(dialects)

/** A list that is not served at all has nothing. */
function unlessPassing(error: unknown): CcxtOrder[] {
  if (isPassing(error)) throw error
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

/** Trades have times of their own, and may be told to be a little older than their order. */
function beforeOf(timestamp: number | undefined): number | undefined {
  return timestamp === undefined ? undefined : timestamp - 60_000
}

function fitting(id: string, form: RegExp, otherwise: (hash: string) => string): string {
  return form.test(id) ? id : otherwise(hashOf(id))
}

/** 128 bits, as 32 hexadecimal digits. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32)
}
