import type { CcxtOrder } from '../../../market/live/ccxt-trading.ts'
import { isTemporary } from '../temporary-errors.ts'
import type { Dialect } from './dialect.ts'
import {
  adjustAccount,
  clockRefusals,
  equity,
  facts,
  forgetKind,
  funding,
  kindOf,
  kindOfTrade,
  textOf,
  tradesSince,
} from './gate-account.ts'
import { gateEntries, gateSpotEntries } from './gate-entries.ts'
import { gateLegs } from './gate-legs.ts'
import { gateMargin } from './gate-margin.ts'
import { gateSpotLegs } from './gate-spot-legs.ts'
import { gateTargets } from './gate-targets.ts'
import {
  allPages,
  beforeOf,
  byClientOrderId,
  ofOrder,
  tradeLimit,
  unlessNotFound,
  withClientOrderId,
} from './lookups.ts'

export const gate: Dialect = {
  clientOrderId: textOf,
  spotBuys: 'limit',
  adjust: adjustAccount,
  clockRefusals,
  // Gate forgets custom ids half an hour after an order ends. Then only the list contains it.
  find: async (account, query) => {
    const found = await byClientOrderId(account, query)
    if (found !== undefined) return withEnd(found)
    const closed = await account.fetchClosedOrders(query.symbol, undefined, 100).catch(unlessTemporary)
    const listed = withClientOrderId(closed, query.clientOrderId)
    return listed && withEnd(listed)
  },
  findMade: async (account, { symbol }, id) => {
    const made = await unlessNotFound(() => account.fetchOrder(id, symbol))
    return made && withEnd(made)
  },
  legs: { futures: { ...gateLegs, targets: gateTargets }, spot: gateSpotLegs },
  entries: { futures: gateEntries, spot: gateSpotEntries },
  margin: gateMargin,
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
  orderParams: async (account) => {
    await kindOf(account)
    return {}
  },
  isOutdated: (account) => {
    forgetKind(account)
    return false
  },
  tradesSince,
  kindOf: kindOfTrade,
  funding,
  equity,
  facts,
  useDemo: (account) => account.setSandboxMode(true),
}

/** A list that the exchange does not serve counts as empty. */
function unlessTemporary(error: unknown): CcxtOrder[] {
  if (isTemporary(error)) throw error
  return []
}

/**
 * An order that a liquidation has ended may be incomplete, but ccxt calls it closed. The end of a post-only order that would
 * have been executed at once is one that ccxt does not know.
 */
function withEnd(order: CcxtOrder): CcxtOrder {
  const { finish_as: end } = order.info as { finish_as?: string }
  return end === 'liquidated' || end === 'poc' ? { ...order, status: 'canceled' } : order
}
