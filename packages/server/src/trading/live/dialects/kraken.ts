import { decimal, plain } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import type { AccountEquity, AccountFacts } from '../../account.ts'
import type { Dialect } from './dialect.ts'
import { krakenEntries, restingOrder } from './kraken-entries.ts'
import { krakenLegs } from './kraken-legs.ts'
import { forgetOpenOrders } from './kraken-open-orders.ts'
import { allPages, validOr, withClientOrderId } from './lookups.ts'
import { ofSymbol, request } from './requests.ts'

export const kraken: Dialect = {
  // Kraken accepts free text of at most 18 characters, or a UUID.
  clientOrderId: (id) => validOr(id, /^[\w-]{1,18}$/),
  spotBuys: 'base',
  find: async (account, query) => {
    const { clientOrderId, symbol } = query
    const resting = query.rests?.isKnown === true ? await restingOrder(account, query) : undefined
    if (resting !== undefined) return resting
    const params = { clientOrderId, trades: true }
    const open = await account.fetchOpenOrders(symbol, undefined, undefined, params)
    const found = withClientOrderId(open, clientOrderId)
    if (found !== undefined) return found
    // Open orders first: an order that is executed between the two requests is in one of the two answers.
    const closed = await account.fetchClosedOrders(symbol, undefined, undefined, params)
    return withClientOrderId(closed, clientOrderId)
  },
  legs: { spot: krakenLegs },
  entries: { spot: krakenEntries },
  trades: tradesOf,
  // Other errors of the service, such as `EService:Unavailable`, do not say whether the order was placed.
  refusals:
    /"E(Order|API|Trade|Query|Account|Auth|BM|Session):|"EGeneral:(Invalid|Permission)|"EService:Market in \w+ mode/,
  adjust: (account) => {
    const { broad, exact } = (account as unknown as Exceptions).exceptions
    // `EService: Throttled: <time>` means too many requests at once. ccxt does not know it.
    broad.Throttled = exact['EAPI:Rate limit exceeded']
    const { cancelOrder } = account
    account.cancelOrder = (...args) => {
      forgetOpenOrders(account)
      return cancelOrder.apply(account, args)
    }
  },
  tradesSince,
  equity,
  facts,
}

type Exceptions = { exceptions: Record<'broad' | 'exact', Record<string, unknown>> }

/** The trades that Kraken has told, by account: they never change, and an order that rests is looked at again and again. */
const tradesKnown = new WeakMap<CcxtAccount, Map<unknown, CcxtTrade>>()
const mostKnown = 10_000

async function tradesOf(
  account: CcxtAccount,
  { id, info }: CcxtOrder & { id: string },
  symbol: string,
): Promise<CcxtTrade[]> {
  const known = tradesKnown.get(account) ?? new Map<unknown, CcxtTrade>()
  tradesKnown.set(account, known)
  const { trades } = info as { trades?: unknown }
  const ids = Array.isArray(trades) ? (trades as unknown[]) : []
  const missing = ids.filter((trade) => !known.has(trade))
  for (let i = 0; i < missing.length; i += idLimit) {
    const some = { trades: missing.slice(i, i + idLimit) }
    for (const trade of await account.fetchOrderTrades(id, symbol, undefined, undefined, some))
      known.set(trade.id, trade)
  }
  const found = ids.flatMap((trade) => known.get(trade) ?? [])
  if (known.size > mostKnown) known.clear()
  return found
}

/** Kraken takes 20 ids at once. After 20, ccxt would send another request, without any, which Kraken refuses. */
const idLimit = 19
const pageLimit = 50

/** The history is of all pairs, the newest first. A trade that is added while it is read moves the others to later pages. */
async function tradesSince(account: CcxtAccount, symbol: string, since: number): Promise<CcxtTrade[]> {
  // Kraken takes whole seconds, and leaves out the first of them.
  const start = (Math.floor(since / 1_000) - 1) * 1_000
  const trades = await allPages(pageLimit, (_, page) =>
    account.fetchMyTrades(undefined, start, undefined, { ofs: (page - 1) * pageLimit }),
  )
  // A trade on margin changes a margin position, not what the account holds.
  return ofSymbol(trades, symbol).filter(({ info }) => isZero((info as { margin?: string }).margin))
}

function isZero(amount = '0'): boolean {
  return decimal(amount).eq('0')
}

/** All currencies of the account together, in US dollars. */
async function equity(account: CcxtAccount): Promise<AccountEquity> {
  const { result } = await request<{ result: { eb: string } }>(account, 'privatePostTradeBalance')
  return { currency: 'USD', amount: plain(decimal(result.eb)) }
}

type KeyInfo = { result: { permissions: string[]; iban?: string; ipAllowlist?: string[] } }

/** Without these, the service can place orders, but not find out what became of them. */
const neededRights: Record<string, string> = {
  'query-funds': 'Query Funds',
  'query-open-trades': 'Query Open Orders & Trades',
  'query-closed-trades': 'Query Closed Orders & Trades',
  'close-trades': 'Cancel/Close Orders',
}

async function facts(account: CcxtAccount): Promise<AccountFacts> {
  const { result } = await request<KeyInfo>(account, 'privatePostGetApiKeyInfo')
  const { permissions, iban, ipAllowlist } = result
  const missing = Object.keys(neededRights).filter((right) => !permissions.includes(right))
  return {
    accountId: iban ?? null,
    accountType: null,
    mayTrade: permissions.includes('modify-trades'),
    mayWithdraw: permissions.includes('withdraw-funds'),
    isIpRestricted: ipAllowlist === undefined ? null : ipAllowlist.length > 0,
    positionMode: null,
    obstacles: missing.map(
      (right) => `The key lacks the permission "${neededRights[right]}". Add it to the key at Kraken.`,
    ),
  }
}
