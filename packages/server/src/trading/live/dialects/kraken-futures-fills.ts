/** Orders of Kraken Futures that are no longer listed, from what they executed. */
import { decimal, plain, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import type { OrderQuery } from './dialect.ts'
import { fillPage, mostPages } from './lookups.ts'

/**
 * The latest order with certain fills: an id may have been used before. Fills can also appear before the order does, so an
 * order with only some fills counts as ended only after a while.
 * @throws the errors of ccxt
 */
export async function fromFills(
  account: CcxtAccount,
  { clientOrderId, symbol, amount }: OrderQuery,
  isWanted: (fill: CcxtTrade) => boolean,
): Promise<CcxtOrder | undefined> {
  const ofId = (await fillsWhere(account, isWanted)).toSorted((a, b) => timeOf(a) - timeOf(b))
  const fill = ofId.at(-1)
  if (fill === undefined) return undefined
  const fills = ofId.filter(({ order }) => order === fill.order)
  const filled = fills.reduce((sum, { amount: part = '0' }) => sum.plus(decimal(part)), zero)
  const times = fills.map(timeOf)
  const isEnded = Math.max(...times) < Date.now() - endedMs
  const status = filled.gte(decimal(amount)) ? 'closed' : isEnded ? 'canceled' : 'open'
  const { order: id, side } = fill
  // Fills do not say how large the order was. It is that order if it has not more than was wanted.
  const size = filled.gt(decimal(amount)) ? plain(filled) : amount
  const timestamp = Math.min(...times)
  return { id, clientOrderId, symbol, side, status, amount: size, filled: plain(filled), timestamp, info: {} }
}

function timeOf({ timestamp = 0 }: CcxtTrade): number {
  return timestamp
}

/** A fill may be listed this much later than it happened. */
export const endedMs = 30_000
const fillAgeMs = 7 * 86_400_000

/** The fills of the last week that are wanted. @throws the errors of ccxt */
export async function fillsWhere(
  account: CcxtAccount,
  isWanted: (trade: CcxtTrade) => boolean,
): Promise<CcxtTrade[]> {
  let count = 0
  const fills = await readFills(account, Date.now() - fillAgeMs, (page) => {
    const matching = page.filter(isWanted).length
    count += matching
    return count > 0 && matching === 0
  })
  return fills.filter(isWanted)
}

/**
 * Kraken futures returns the last hundred fills of all markets, or, with `lastFillTime`, those before that time.
 * @throws the errors of ccxt, and if there are too many
 */
export async function readFills(
  account: CcxtAccount,
  since: number,
  isEnough: (page: CcxtTrade[]) => boolean = () => false,
): Promise<CcxtTrade[]> {
  const found = new Map<string | undefined, CcxtTrade>()
  let params = {}
  for (let page = 0; page < mostPages; page++) {
    const before = found.size
    const fills = await account.fetchMyTrades(undefined, undefined, undefined, params)
    for (const fill of fills) found.set(fill.id, fill)
    const oldest = Math.min(...fills.map(({ timestamp = 0 }) => timestamp))
    if (fills.length < fillPage || oldest < since || isEnough(fills)) return [...found.values()]
    if (found.size === before) break
    params = { lastFillTime: new Date(oldest).toISOString() }
  }
  throw new Error('There are too many fills to search.')
}

export function cliOrdIdOf({ info }: CcxtTrade): unknown {
  return (info as { cliOrdId?: unknown }).cliOrdId
}
