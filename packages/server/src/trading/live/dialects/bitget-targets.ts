/**
 * Targets at Bitget futures, for classic accounts in one-way mode: limit orders that only reduce the position. As on the
 * pages "Place Order", "Get Order Detail" and "Cancel Order" of the API v2.
 */
import { decimal, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { modesOf, productOf } from './bitget-account.ts'
import { type TargetDialect, UnfitAccount } from './dialect.ts'
import { request } from './requests.ts'

type Order = { orderId: string; symbol: string; side: string; state: string; baseVolume: string }

export const bitgetTargets: TargetDialect = {
  requireFit,
  place,
  find,
  cancel: async (account, leg, market) => {
    const asked = { ...idOf(market, leg), marginCoin: market.settle }
    await request(account, 'privateMixPostV2MixOrderCancelOrder', asked)
  },
}

async function requireFit(account: CcxtAccount, market: CcxtTradedMarket) {
  const modes = await modesOf(account, market)
  if (modes.isHedged) throw new UnfitAccount(inHedgeMode)
  return modes
}

/**
 * If all orders that only reduce would close more than the position, Bitget cancels the oldest ones, and its answer has no
 * id. Then the service looks the new one up.
 */
async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  const { marginMode } = await requireFit(account, market)
  const { data } = await request<{ data: { orderId?: string } | null }>(
    account,
    'privateMixPostV2MixOrderPlaceOrder',
    {
      ...idOf(market, leg),
      marginMode,
      marginCoin: market.settle,
      size: amount,
      price: leg.price,
      side: leg.side,
      orderType: 'limit',
      force: 'gtc',
      reduceOnly: 'YES',
    },
  )
  return data?.orderId ?? ''
}

const inHedgeMode =
  'In hedge mode, Bitget keeps for a resting target the part of the position that it would close, and a stop would close only the rest. So the service watches the target.'

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const asked = idOf(market, leg)
  const { data } = await request<{ data: Order }>(account, 'privateMixGetV2MixOrderDetail', asked)
  const isOther = data.symbol.toUpperCase() !== market.id || data.side !== leg.side
  return isOther ? undefined : foundOf(data)
}

function idOf(market: CcxtTradedMarket, { clientId }: LegRequest) {
  return { symbol: market.id, productType: productOf(market), clientOid: clientId }
}

function foundOf({ orderId, state, baseVolume }: Order): FoundLeg {
  const hasExecuted = decimal(baseVolume || '0').gt(zero)
  const found = { exchangeId: orderId, reason: null }
  switch (state) {
    case 'live':
    case 'partially_filled':
      return { ...found, state: hasExecuted ? 'filling' : 'open' }
    case 'filled':
    case 'canceled':
      if (hasExecuted) return { ...found, state: 'triggered', orderId, size: baseVolume }
      if (state === 'canceled') return { ...found, state: 'ended', reason: cancelled }
      throw new Error('The target is filled, and has no size yet.')
    default:
      throw new Error(`The target has the unknown status ${state.slice(0, 40)}.`)
  }
}

const cancelled = 'The exchange ended the target, or somebody cancelled it there.'
