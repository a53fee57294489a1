import { decimal, plain, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import { isTemporary } from '../temporary-errors.ts'
import type { Dialect, OrderQuery } from './dialect.ts'
import { fillPage, mostPages, validOr, withClientOrderId } from './lookups.ts'

export const krakenFutures: Dialect = {
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
  refusals:
    /due to (selfFill|tooManySmallOrders|wouldNotReducePosition|marketSuspended|marketInactive)|"error":\s*"accountInactive"/,
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
