/**
 * Stops on Binance's spot markets. They are orders of the type `STOP_LOSS`: at its price, such an order becomes a market
 * order and keeps its id. As on the pages "New order (TRADE)", "Query order (USER_DATA)" and "Cancel order (TRADE)" of
 * the spot REST API, with the statuses of the page "ENUM Definitions".
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { LegDialect } from './dialect.ts'
import { hashOf, validOr } from './lookups.ts'
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
  clientId: (id) => validOr(id, /^[\w.:/-]{1,36}$/, hashOf),
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

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const order = await request<SpotOrder>(account, 'privateGetOrder', {
    symbol: market.id,
    origClientOrderId: leg.clientId,
  })
  const isOther = order.symbol !== undefined && order.symbol !== market.id
  return isOther || order.side?.toLowerCase() !== leg.side ? undefined : foundOf(order)
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
