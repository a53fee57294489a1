import { createHash } from 'node:crypto'
import { isCcxtError } from '../../../market/live/ccxt-exchange.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import type { OrderRequest } from '../../types.ts'
import type { OrderQuery } from './dialect.ts'

export const tradeLimit = 1_000
/** Kraken futures and Bitget return at most this many fills at once. */
export const fillPage = 100
export const mostPages = 50

/** Reads all pages of a list. @param fetch returns a page, given the last item of the previous page */
export async function allPages<T extends Pick<CcxtTrade, 'id'> = CcxtTrade>(
  pageLimit: number,
  fetch: (last: T | undefined, page: number) => Promise<T[]>,
): Promise<T[]> {
  const found = new Map<string | undefined, T>()
  for (let page = 1; page <= mostPages; page++) {
    const before = found.size
    const trades = await fetch([...found.values()].at(-1), page)
    for (const trade of trades) found.set(trade.id, trade)
    // An exchange that does not support pages returns the same one again.
    if (trades.length < pageLimit || found.size === before) return [...found.values()]
  }
  throw new Error('The list is too long to read.')
}

/** For exchanges that find an order by its client order id alone. */
export async function byClientOrderId(account: CcxtAccount, { clientOrderId, symbol }: OrderQuery) {
  return unlessNotFound(() => account.fetchOrder(undefined, symbol, { clientOrderId }))
}

/** The latest order with an id: an exchange may have taken an id more than once. */
export function withClientOrderId(orders: CcxtOrder[], clientOrderId: string): CcxtOrder | undefined {
  const timeOf = ({ timestamp = 0 }: CcxtOrder) => timestamp
  return orders
    .filter((order) => order.clientOrderId === clientOrderId)
    .toSorted((a, b) => timeOf(a) - timeOf(b))
    .at(-1)
}

export async function ofOrder(trades: Promise<CcxtTrade[]>, id: string): Promise<CcxtTrade[]> {
  return (await trades).filter(({ order }) => order === id)
}

/** A minute before an order's time: an exchange may report a trade as slightly older than its order. */
export function beforeOf(timestamp: number | undefined): number | undefined {
  return timestamp === undefined ? undefined : timestamp - 60_000
}

/** The exchange's clock may differ this much from the machine's. */
const clockMs = 60_000
export const dayMs = 86_400_000

/**
 * The times from `since` until now, in windows of the longest time that a request may span, the oldest first.
 * @param historyMs how far back the exchange can be asked
 */
export function windowsSince(
  since: number,
  windowMs: number,
  historyMs: number,
): { startTime: number; endTime: number }[] {
  const now = Date.now()
  const first = Math.max(since, now - historyMs + clockMs)
  const count = Math.max(1, Math.ceil((now + clockMs - first) / windowMs))
  return Array.from({ length: count }, (_, i) => {
    const startTime = first + i * windowMs
    return { startTime, endTime: Math.min(startTime + windowMs - 1, now + clockMs) }
  })
}

/** In hedge mode, the position that an order opens or closes. */
export function positionSideOf({ side, purpose }: Pick<OrderRequest, 'side' | 'purpose'>): 'long' | 'short' {
  return (side === 'buy') === (purpose === 'open') ? 'long' : 'short'
}

/** The id itself if the exchange accepts its form, otherwise one made from its hash; default: the hash. */
export function validOr(id: string, form: RegExp, otherwise = (hash: string) => hash): string {
  return form.test(id) ? id : otherwise(hashOf(id))
}

/** 128 bits, as 32 hexadecimal digits. */
export function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32)
}

/** `undefined` if the exchange says that there is no such order. @throws the other errors of ccxt */
export async function unlessNotFound<T = CcxtOrder>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (isCcxtError(error, 'OrderNotFound')) return undefined
    throw error
  }
}
