import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'
import { adjustAccount, equity, facts, isOutdated, kindOf, modesOf, productsOf } from './bitget-account.ts'
import { bitgetEntries, bitgetSpotEntries } from './bitget-entries.ts'
import { correctOrder, funding, kindOfTrade, tradesOf, tradesSince } from './bitget-history.ts'
import { bitgetLegs } from './bitget-legs.ts'
import { bitgetMargin } from './bitget-margin.ts'
import { addSubOrders, bitgetSpotLegs } from './bitget-spot-legs.ts'
import { bitgetTargets } from './bitget-targets.ts'
import type { Dialect } from './dialect.ts'
import { byClientOrderId, unlessNotFound, validOr } from './lookups.ts'

export const bitget: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w.:/#-]{1,40}$/),
  spotBuys: 'limit',
  adjust,
  legs: { futures: { ...bitgetLegs, targets: bitgetTargets }, spot: bitgetSpotLegs },
  entries: { futures: bitgetEntries, spot: bitgetSpotEntries },
  margin: bitgetMargin,
  findMade: async (account, query, id) => {
    const order = await unlessNotFound(() => account.fetchOrder(id, query.symbol))
    return order && correctOrder(account, order, query.symbol)
  },
  find: async (account, query) => {
    const order = await byClientOrderId(account, query)
    return order && correctOrder(account, order, query.symbol)
  },
  trades: (account, { id }, symbol) => tradesOf(account, id, symbol),
  // The API v3 has the last three: a failure, a timeout, and a conflict inside the exchange.
  unsure: /"code":\s*"(40010|40015|40725|45001|25000|25001|25003)"/,
  // A limit of the API v3, and an upgrade of the exchange.
  rateLimits: /"code":\s*"(25004|40200)"/,
  // The market does not trade now. ccxt takes these answers for failures of the exchange.
  refusals: /"code":\s*"(40308|41114|43115)"/,
  orderParams: async (account, market) => {
    const kind = await kindOf(account)
    if (market.contract !== true) return {}
    const { isHedged, marginMode } = await modesOf(account, market)
    // For an order of the API v2, ccxt has its own words.
    return {
      hedged: isHedged,
      marginMode: kind === 'classic' && marginMode === 'crossed' ? 'cross' : marginMode,
    }
  },
  isOutdated,
  tradesSince,
  kindOf: kindOfTrade,
  positions: async (account) => {
    const lists = productsOf(account).map((productType) => account.fetchPositions(undefined, { productType }))
    return (await Promise.all(lists)).flat()
  },
  funding,
  equity,
  facts,
  useDemo: (account: CcxtAccount) => account.setSandboxMode(true),
}

function adjust(account: CcxtAccount): void {
  adjustAccount(account)
  addSubOrders(account)
  const { fetchOpenOrders } = account
  account.fetchOpenOrders = async (symbol, ...rest) => {
    const orders = await fetchOpenOrders.call(account, symbol, ...rest)
    return Promise.all(orders.map((order) => correctOrder(account, order, symbol)))
  }
}
