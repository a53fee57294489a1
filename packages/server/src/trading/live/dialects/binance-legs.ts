/**
 * Stops at Binance USD-M futures. They are algo orders of the type `CONDITIONAL`, on paths of their own, with ids of
 * their own. As on the pages "New Algo Order", "Query Algo Order", "Cancel Algo Order" and "Event: Algo Order Update".
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { reducing } from './binance-account.ts'
import { binanceTargets } from './binance-targets.ts'
import type { LegDialect } from './dialect.ts'
import { validOr } from './lookups.ts'
import { request } from './requests.ts'

type AlgoOrder = {
  algoId: string
  clientAlgoId: string
  symbol?: string
  side?: string
  algoStatus: string
  /** Empty before it is triggered. */
  actualOrderId?: string
}

export const binanceLegs: LegDialect = {
  supports: ({ contract, linear, swap }) => contract === true && linear === true && swap === true,
  locksFunds: false,
  clientId: (id) => validOr(id, /^[\w.:/-]{1,36}$/),
  place,
  find,
  cancel: async (account, { clientId }) => {
    await request(account, 'fapiPrivateDeleteAlgoOrder', { clientAlgoId: clientId })
  },
  targets: binanceTargets,
  isBeyond: /"code":\s*-2021\b/,
}

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  const { algoId } = await request<AlgoOrder>(account, 'fapiPrivatePostAlgoOrder', {
    algoType: 'CONDITIONAL',
    symbol: market.id,
    side: leg.side.toUpperCase(),
    type: 'STOP_MARKET',
    quantity: amount,
    triggerPrice: leg.price,
    // The price that the service watches, too.
    workingType: 'CONTRACT_PRICE',
    ...(await reducing(account, leg)),
    clientAlgoId: leg.clientId,
  })
  return algoId
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const order = await request<AlgoOrder>(account, 'fapiPrivateGetAlgoOrder', { clientAlgoId: leg.clientId })
  const isOther = order.symbol !== undefined && order.symbol !== market.id
  return isOther || order.side?.toLowerCase() !== leg.side ? undefined : foundOf(order)
}

function foundOf({ algoId, algoStatus, actualOrderId = '' }: AlgoOrder): FoundLeg {
  // A leg whose order is known is followed, whatever else is said about it.
  if (/^[1-9]\d*$/.test(actualOrderId)) {
    return { state: 'triggered', exchangeId: algoId, orderId: actualOrderId, reason: null }
  }
  switch (algoStatus) {
    case 'NEW':
      return { state: 'open', exchangeId: algoId, reason: null }
    case 'TRIGGERING':
    case 'TRIGGERED':
    case 'FINISHED':
      return { state: 'triggering', exchangeId: algoId, reason: null }
    case 'CANCELED':
    case 'EXPIRED':
    case 'REJECTED':
      return { state: 'ended', exchangeId: algoId, reason: endings[algoStatus] }
    default:
      throw new Error(`The stop has the unknown status ${algoStatus.slice(0, 40)}.`)
  }
}

const endings = {
  CANCELED: 'The stop was cancelled at the exchange.',
  EXPIRED: 'The exchange cancelled the stop.',
  REJECTED: 'The price reached the stop, but the exchange refused its order.',
}
