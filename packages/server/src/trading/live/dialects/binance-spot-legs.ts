/**
 * Stops on Binance's spot markets. They are orders of the type `STOP_LOSS`: at its price, such an order becomes a market
 * order and keeps its id. As on the pages "New order (TRADE)", "Query order (USER_DATA)" and "Cancel order (TRADE)" of
 * the spot REST API, with the statuses of the page "ENUM Definitions".
 *
 * With a target, a stop is one of the two orders of an OCO ("New Order list - OCO (TRADE)"): the one whose price comes
 * first becomes a market order, and ends the other. If one is cancelled, both are. A limit order as the target
 * would end the stop as soon as a part of it is executed, and leave the rest without one.
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { LegDialect } from './dialect.ts'
import { unlessNotFound, validOr } from './lookups.ts'
import { request } from './requests.ts'

type SpotOrder = {
  orderId: string
  symbol?: string
  side?: string
  status: string
  executedQty: string
  /** Whether it is in the order book, which a stop is only after its price was reached. */
  isWorking?: boolean
}

export const binanceSpotLegs: LegDialect = {
  supports: ({ contract, info }) => contract !== true && orderTypesOf(info).includes('STOP_LOSS'),
  locksFunds: true,
  hasOco: ({ info }) => {
    const types = orderTypesOf(info)
    const { ocoAllowed } = info as { ocoAllowed?: unknown }
    return ocoAllowed === true && types.includes('STOP_LOSS') && types.includes('TAKE_PROFIT')
  },
  clientId: (id) => validOr(id, /^[\w.:/-]{1,36}$/),
  place,
  find,
  cancel: async (account, { clientId }, { id: symbol }) => {
    await request(account, 'privateDeleteOrder', { symbol, origClientOrderId: clientId })
  },
  isBeyond: /would trigger immediately/,
}

/** A market can do without some types of orders. */
function orderTypesOf(info: unknown): readonly string[] {
  return (info as { orderTypes?: string[] } | undefined)?.orderTypes ?? []
}

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  if (leg.oco !== undefined) return placeOco(account, market, leg, amount, leg.oco)
  const { orderId } = await request<SpotOrder>(account, 'privatePostOrder', {
    symbol: market.id,
    side: leg.side.toUpperCase(),
    type: 'STOP_LOSS',
    quantity: amount,
    stopPrice: leg.price,
    newClientOrderId: leg.clientId,
    newOrderRespType: 'ACK',
  })
  return orderId
}

async function placeOco(
  account: CcxtAccount,
  { id: symbol }: CcxtTradedMarket,
  { side, price, clientId }: LegRequest,
  quantity: string,
  target: NonNullable<LegRequest['oco']>,
) {
  const [stopAt, targetAt] = side === 'sell' ? ['below', 'above'] : ['above', 'below']
  const answer = await request<{ orders?: { orderId: string; clientOrderId: string }[] }>(
    account,
    'privatePostOrderListOco',
    {
      symbol,
      side: side.toUpperCase(),
      quantity,
      [`${targetAt}Type`]: 'TAKE_PROFIT',
      [`${targetAt}ClientOrderId`]: target.clientId,
      [`${targetAt}StopPrice`]: target.price,
      [`${stopAt}Type`]: 'STOP_LOSS',
      [`${stopAt}ClientOrderId`]: clientId,
      [`${stopAt}StopPrice`]: price,
      newOrderRespType: 'ACK',
    },
  )
  return answer.orders?.find(({ clientOrderId }) => clientOrderId === clientId)?.orderId ?? ''
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const stop = await orderOf(account, market, leg, leg.clientId)
  const { oco } = leg
  if (stop === undefined || oco === undefined) return stop && foundOf(stop)
  return ofBoth(stop, await unlessNotFound(() => orderOf(account, market, leg, oco.clientId)))
}

async function orderOf(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, clientId: string) {
  const asked = { symbol: market.id, origClientOrderId: clientId }
  const order = await request<SpotOrder>(account, 'privateGetOrder', asked)
  const isOther = order.symbol !== undefined && order.symbol !== market.id
  return isOther || order.side?.toLowerCase() !== leg.side ? undefined : order
}

/** What has become of the two orders of an OCO. */
function ofBoth(stopOrder: SpotOrder, targetOrder: SpotOrder | undefined): FoundLeg {
  const stop = foundOf(stopOrder)
  if (stop.state === 'triggered') return stop
  if (targetOrder === undefined)
    throw new Error('Binance has the stop, but not the target in one order with it.')
  const target = foundOf(targetOrder)
  const { exchangeId } = stop
  if (target.state === 'triggered') return { ...target, exchangeId, isTarget: true }
  // The answers are of two moments. If only one of the orders has ended by now, the next look knows why.
  return stop.state === target.state ? stop : { state: 'triggering', exchangeId, reason: null }
}

function foundOf({ orderId, status, executedQty, isWorking }: SpotOrder): FoundLeg {
  const triggered: FoundLeg = { state: 'triggered', exchangeId: orderId, orderId, reason: null }
  // Something was sold, so the order is followed, however it ended.
  if (Number(executedQty) > 0) return triggered
  switch (status) {
    case 'NEW':
      return isWorking === true ? triggered : { state: 'open', exchangeId: orderId, reason: null }
    case 'PARTIALLY_FILLED':
    case 'FILLED':
      return triggered
    case 'CANCELED':
    case 'EXPIRED':
    case 'EXPIRED_IN_MATCH':
    case 'REJECTED':
      return { state: 'ended', exchangeId: orderId, reason: endings[status] }
    default:
      throw new Error(`The stop has the unknown status ${status.slice(0, 40)}.`)
  }
}

const endings = {
  CANCELED: 'The stop was cancelled at the exchange.',
  EXPIRED: 'The price reached the stop, but the exchange executed nothing of its order.',
  EXPIRED_IN_MATCH:
    'The exchange cancelled the stop, because it would have traded with an order of the account.',
  REJECTED: 'The exchange refused the stop.',
}
