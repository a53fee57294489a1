/**
 * Targets at Binance USD-M futures: limit orders that only reduce the position. As on the pages "New Order", "Query Order"
 * and "Cancel Order". A target never keeps the stop from closing: what rests counts against other orders that only reduce,
 * but not against a stop for the whole position, which comes first ("Summary of Failed Orders in Binance Futures"). A close
 * cancels the targets before, because it may be for a part.
 */
import { decimal } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { reducing } from './binance-account.ts'
import type { TargetDialect } from './dialect.ts'
import { request } from './requests.ts'

type Order = { orderId: string; symbol: string; side: string; status: string; executedQty: string }

export const binanceTargets: TargetDialect = {
  place: async (account, market, leg, amount) => {
    const { orderId } = await request<Order>(account, 'fapiPrivatePostOrder', {
      symbol: market.id,
      side: leg.side.toUpperCase(),
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: amount,
      price: leg.price,
      ...(await reducing(account, leg)),
      newClientOrderId: leg.clientId,
    })
    return orderId
  },
  find,
  cancel: async (account, leg, market) => {
    await request(account, 'fapiPrivateDeleteOrder', idOf(market, leg))
  },
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const order = await request<Order>(account, 'fapiPrivateGetOrder', idOf(market, leg))
  const isOther = order.symbol !== market.id || order.side.toLowerCase() !== leg.side
  return isOther ? undefined : foundOf(order)
}

function idOf({ id }: CcxtTradedMarket, { clientId }: LegRequest): object {
  return { symbol: id, origClientOrderId: clientId }
}

function foundOf({ orderId, status, executedQty }: Order): FoundLeg {
  const hasExecuted = decimal(executedQty).gt('0')
  const found = { exchangeId: orderId, reason: null }
  switch (status) {
    case 'NEW':
    case 'PARTIALLY_FILLED':
      return { ...found, state: hasExecuted ? 'filling' : 'open' }
    case 'FILLED':
    case 'CANCELED':
    case 'EXPIRED':
    case 'EXPIRED_IN_MATCH':
    case 'REJECTED':
      if (hasExecuted) return { ...found, state: 'triggered', orderId, size: executedQty }
      return { ...found, state: 'ended', reason: status === 'CANCELED' ? cancelled : expired }
    default:
      throw new Error(`The target has the unknown status ${status.slice(0, 40)}.`)
  }
}

const cancelled = 'The target was cancelled at the exchange.'
const expired = 'The exchange ended the target.'
