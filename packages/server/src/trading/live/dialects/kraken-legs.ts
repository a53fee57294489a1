/**
 * Stops on Kraken's spot markets: orders of the type `stop-loss`, which become market orders and keep their id. As on the
 * pages "Add Order", "Get Open Orders", "Get Closed Orders" and "Cancel Order" of the spot REST API. They do not say how
 * Kraken answers if the price is beyond the stop already: whether it refuses such a stop or executes it, the service sees it.
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { LegDialect } from './dialect.ts'
import { forgetOpenOrders, type Orders, openOrders, type SpotOrder } from './kraken-open-orders.ts'
import { validOr } from './lookups.ts'
import { request } from './requests.ts'

export const krakenLegs: LegDialect = {
  supports: ({ contract }) => contract !== true,
  locksFunds: true,
  // Kraken accepts free text of at most 18 characters, or a UUID.
  clientId: (id) => validOr(id, /^[\w-]{1,18}$/),
  place,
  find,
  cancel: async (account, { clientId }) => {
    forgetOpenOrders(account)
    await request(account, 'privatePostCancelOrder', { cl_ord_id: clientId })
  },
  isBeyond: /(?!)/,
}

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  forgetOpenOrders(account)
  const { result } = await request<{ result: { txid?: string[] } }>(account, 'privatePostAddOrder', {
    pair: market.id,
    type: leg.side,
    ordertype: 'stop-loss',
    volume: amount,
    price: leg.price,
    // The price that the service watches, too.
    trigger: 'last',
    cl_ord_id: leg.clientId,
  })
  return result.txid?.[0] ?? ''
}

async function find(account: CcxtAccount, _: CcxtTradedMarket, leg: LegRequest) {
  const open = among(await openOrders(account), leg)
  if (open !== undefined) return foundOf(open)
  // Open orders first: an order that is executed between the two requests is in one of the two answers.
  const asked = { cl_ord_id: leg.clientId }
  const { result } = await request<{ result: { closed: Orders } }>(account, 'privatePostClosedOrders', asked)
  const closed = among(result.closed, leg)
  return closed && foundOf(closed)
}

function among(orders: Orders, { clientId, side }: LegRequest): [id: string, SpotOrder] | undefined {
  return Object.entries(orders).find(
    ([, { cl_ord_id, descr }]) =>
      cl_ord_id === clientId && descr.type === side && descr.ordertype === 'stop-loss',
  )
}

function foundOf([id, { status, reason, vol_exec, misc = '' }]: [string, SpotOrder]): FoundLeg {
  const triggered: FoundLeg = { state: 'triggered', exchangeId: id, orderId: id, reason: null }
  // Something was sold, so the order is followed, however it ended.
  if (Number(vol_exec) > 0) return triggered
  switch (status) {
    case 'pending':
    case 'open':
      return misc.split(',').includes('stopped') ? triggered : { state: 'open', exchangeId: id, reason: null }
    case 'closed':
      return triggered
    case 'canceled':
    case 'expired': {
      const why = typeof reason === 'string' && reason !== '' ? ` Its reason: ${reason.slice(0, 100)}.` : ''
      return { state: 'ended', exchangeId: id, reason: `The stop was cancelled at the exchange.${why}` }
    }
    default:
      throw new Error(`The stop has the unknown status ${status.slice(0, 40)}.`)
  }
}
