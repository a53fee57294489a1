/**
 * Targets at Kraken Futures: limit orders that only reduce the position. As on the pages "Send order", "Get Specific Orders'
 * Status", "Get open orders", "Get your fills" and "Get order events". Where such orders would close more than the position,
 * Kraken cancels those with the worst price, so a target never keeps a stop from closing: "Other order options".
 */
import { decimal, plain, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTrade, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { TargetDialect } from './dialect.ts'
import { cliOrdIdOf, endedMs, readFills } from './kraken-futures-fills.ts'
import {
  isOf,
  krakenFuturesLegs,
  type Listed,
  listedAs,
  openAs,
  orderEvents,
  sendOrder,
} from './kraken-futures-legs.ts'
import { beforeOf } from './lookups.ts'

export const krakenFuturesTargets: TargetDialect = {
  place: (account, market, leg, amount) =>
    sendOrder(account, market, leg, { orderType: 'lmt', size: amount, price: { limitPrice: leg.price } }),
  find,
  cancel: krakenFuturesLegs.cancel,
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const [listed] = await listedAs(account, market, leg)
  if (listed !== undefined) return foundOf(listed)
  const open = await openAs(account, market, leg)
  if (open === undefined) return inHistory(account, market, leg)
  return restingAs(open.order_id, open.filledSize)
}

function restingAs(exchangeId: string, filled: string | undefined): FoundLeg {
  const hasExecuted = decimal(filled ?? '0').gt(zero)
  return { state: hasExecuted ? 'filling' : 'open', exchangeId, reason: null }
}

function foundOf({ order: { orderId, filled }, status }: Listed): FoundLeg {
  switch (status) {
    case 'ENTERED_BOOK':
      return restingAs(orderId, filled)
    case 'FULLY_EXECUTED':
    case 'CANCELLED':
    case 'REJECTED':
      return endedAs(orderId, plain(decimal(filled ?? '0')))
    default:
      throw new Error(`The target has the unknown status ${status.slice(0, 40)}.`)
  }
}

function endedAs(orderId: string, size: string): FoundLeg {
  const found = { exchangeId: orderId }
  return decimal(size).gt(zero)
    ? { ...found, state: 'triggered', orderId, size, reason: null }
    : { ...found, state: 'ended', reason: 'Kraken ended the target, or somebody cancelled it there.' }
}

/** What became of a target that is no longer listed, and so has ended. @throws while its fills may not be listed yet */
async function inHistory(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
): Promise<FoundLeg | undefined> {
  const since = beforeOf(leg.sentAt)!
  const all = await readFills(account, since)
  const fills = all.filter((fill) => cliOrdIdOf(fill) === leg.clientId && timeOf(fill) >= since)
  const executed = fills.reduce((sum, { amount = '0' }) => sum.plus(decimal(amount)), zero)
  const orderId = fills[0]?.order
  if (orderId !== undefined) {
    const isWhole = executed.gte(decimal(leg.size))
    const isLate = Math.max(...fills.map(timeOf)) < Date.now() - endedMs
    if (isWhole || isLate) return endedAs(orderId, plain(executed))
    throw new Error('Kraken lists the target no longer, and may not have listed all of its fills yet.')
  }
  const events = await orderEvents(account, market, leg)
  const own = events.filter(
    ({ order: { clientId, tradeable, direction } }) =>
      clientId === leg.clientId && isOf({ symbol: tradeable, side: direction }, market, leg),
  )
  if (own.length === 0) return undefined
  const end = own.find(({ kind }) => kind === 'OrderCancelled' || kind === 'OrderRejected')
  if (end !== undefined && !decimal(end.order.filled).gt(zero)) return endedAs(end.order.uid, '0')
  throw new Error('Kraken has taken the target, lists it no longer, and does not say yet what became of it.')
}

function timeOf({ timestamp = 0 }: CcxtTrade): number {
  return timestamp
}
