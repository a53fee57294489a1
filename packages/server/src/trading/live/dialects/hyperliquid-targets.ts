/**
 * Targets at Hyperliquid perpetuals: limit orders that rest until they are cancelled, and only reduce the position. As on the
 * pages "Exchange endpoint" (Place an order, Cancel order(s) by cloid) and "Info endpoint" (Query order status by oid or
 * cloid) of Hyperliquid's documentation. A target never keeps a stop from closing: the only refusal of an order that reduces,
 * on the page "Error responses", is that it would increase the position ("Reduce only order would increase position."). None
 * is about other orders that rest, and one that has nothing to reduce any more ends by itself (`reduceOnlyCanceled`).
 */
import { decimal, plain, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { TargetDialect } from './dialect.ts'
import { hyperliquidLegs, isEnd, orderOf, type Status, sendOrder } from './hyperliquid-legs.ts'

export const hyperliquidTargets: TargetDialect = {
  place: (account, _market, leg, amount) => {
    const price = plain(decimal(leg.price))
    return sendOrder(account, leg, { p: price, s: amount, t: { limit: { tif: 'Gtc' } } })
  },
  find,
  cancel: hyperliquidLegs.cancel,
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const found = await orderOf(account, market, leg)
  return found && foundOf(found)
}

/** `sz` is what is left of `origSz`. */
function foundOf({ order, status }: Status): FoundLeg {
  const { oid, origSz, sz } = order
  const found = { exchangeId: oid, reason: null }
  const executed = decimal(origSz).minus(decimal(sz))
  if (status === 'open') return { ...found, state: executed.gt(zero) ? 'filling' : 'open' }
  if (status !== 'filled' && !isEnd(status)) {
    throw new Error(`The target has the unknown status ${status.slice(0, 40)}.`)
  }
  if (executed.gt(zero)) return { ...found, state: 'triggered', orderId: oid, size: plain(executed) }
  if (status === 'filled') throw new Error('Hyperliquid does not say how much of the target was executed.')
  const reason =
    status === 'canceled'
      ? 'The target was cancelled at the exchange.'
      : `The exchange ended the target (${status}).`
  return { ...found, state: 'ended', reason }
}
