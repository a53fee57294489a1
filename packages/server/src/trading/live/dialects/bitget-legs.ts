/**
 * Stops at Bitget futures, for classic accounts: plan orders of the type `loss_plan`, which belong to a position and can
 * only reduce it. As on the pages "Stop-profit and stop-loss plan orders", "Get Pending Trigger Order", "Get History
 * Trigger Order" and "Cancel Trigger Order" of the API v2. Unified accounts have strategy orders instead. Their
 * lists have a status, which is `pending`, `submitting`, `success`, `failed` or `cancelled`. But no page says which order one
 * of them became: ccxt knows a request `strategy-sub-orders`, and its answer is not published. So the service places none.
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { kindOf, modesOf, productOf } from './bitget-account.ts'
import type { LegDialect } from './dialect.ts'
import { validOr } from './lookups.ts'
import { request } from './requests.ts'

type PlanOrder = {
  orderId: string
  clientOid?: string
  symbol?: string
  planType?: string
  planStatus: string
  /** The order that it has become. */
  executeOrderId?: string | null
}
type PlanList = { data: { entrustedList?: PlanOrder[] | null } }

export const bitgetLegs: LegDialect = {
  supports: ({ contract, linear }) => contract === true && linear === true,
  supportsAccount: async (account) => (await kindOf(account)) === 'classic',
  locksFunds: false,
  // The page "Signature": the exchange accepts a request for 30 s.
  requestLifeMs: 30_000,
  clientId: (id) => validOr(id, /^[\w.:/#-]{1,40}$/),
  place,
  find,
  cancel: async (account, { clientId }, market) => {
    await request(account, 'privateMixPostV2MixOrderCancelPlanOrder', {
      // Without this list, all plan orders of the symbol would be cancelled.
      orderIdList: [{ clientOid: clientId }],
      symbol: market.id,
      productType: productOf(market),
      marginCoin: market.settle,
      planType: 'loss_plan',
    })
  },
  // Its refusals compare with the mark price. So they say nothing about the last price, which the service watches.
  isBeyond: /(?!)/,
}

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  const { isHedged } = await modesOf(account, market)
  const isLong = leg.side === 'sell'
  const { data } = await request<{ data: { orderId?: string } | null }>(
    account,
    'privateMixPostV2MixOrderPlaceTpslOrder',
    {
      marginCoin: market.settle,
      productType: productOf(market),
      symbol: market.id,
      planType: 'loss_plan',
      triggerPrice: leg.price,
      // The price that the service watches, too.
      triggerType: 'fill_price',
      // A market order.
      executePrice: '0',
      // In one-way mode, a long is called `buy`, and a short `sell`.
      holdSide: isHedged ? (isLong ? 'long' : 'short') : isLong ? 'buy' : 'sell',
      size: amount,
      clientOid: leg.clientId,
    },
  )
  return data?.orderId ?? ''
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const asked = {
    clientOid: leg.clientId,
    planType: 'profit_loss',
    symbol: market.id,
    productType: productOf(market),
  }
  // What rests comes first: a stop that is triggered between the two requests is in one of the two answers.
  for (const list of ['Pending', 'History']) {
    const { data } = await request<PlanList>(account, `privateMixGetV2MixOrderOrdersPlan${list}`, asked)
    const found = data.entrustedList?.find(({ clientOid }) => clientOid === leg.clientId)
    if (found !== undefined) return isOf(found, market) ? foundOf(found) : undefined
  }
  return undefined
}

function isOf({ symbol, planType }: PlanOrder, market: CcxtTradedMarket): boolean {
  return (symbol === undefined || symbol === market.id) && (planType ?? 'loss_plan') === 'loss_plan'
}

function foundOf({ orderId: exchangeId, planStatus, executeOrderId }: PlanOrder): FoundLeg {
  // A leg whose order is known is followed, whatever else is said about it.
  if (/^[1-9]\d*$/.test(executeOrderId ?? '')) {
    return { state: 'triggered', exchangeId, orderId: executeOrderId!, reason: null }
  }
  switch (planStatus) {
    case 'live':
    case 'not_trigger':
      return { state: 'open', exchangeId, reason: null }
    case 'executing':
    case 'executed':
      return { state: 'triggering', exchangeId, reason: null }
    case 'cancelled':
    case 'fail_trigger':
    case 'fail_execute':
      return { state: 'ended', exchangeId, reason: endings[planStatus] }
    default:
      throw new Error(`The stop has the unknown status ${planStatus.slice(0, 40)}.`)
  }
}

const failed = 'The price reached the stop, but the exchange could not execute it.'
export const endings = {
  cancelled: 'The stop was cancelled at the exchange.',
  fail_trigger: failed,
  fail_execute: failed,
}
