/**
 * Stops on Bitget's spot markets, for classic accounts: plan orders, each of which becomes a market order with another id.
 * As on the pages "Place Plan Order", "Get Current Plan Orders", "Get History Plan Orders", "Get Plan Sub Order" and
 * "Cancel Plan Order" of the API v2. Unified accounts have strategy orders instead, which are only for futures.
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { bitgetLegs, endings } from './bitget-legs.ts'
import { type LegDialect, requireAhead } from './dialect.ts'
import { allPages, dayMs, fillPage, windowsSince } from './lookups.ts'
import { request } from './requests.ts'

/** The longest time that a request for the history may span. */
const windowMs = 90 * dayMs
/** The clocks may differ. */
const clockMs = 60_000

export const bitgetSpotLegs: LegDialect = {
  ...bitgetLegs,
  supports: ({ spot }) => spot === true,
  // The pages do not say whether it does. And an order cannot say that it only reduces, so one goes before the other comes.
  locksFunds: true,
  // So that one window of the history always reaches back to when it was placed.
  renewAfterMs: 60 * dayMs,
  place,
  find,
  cancel: async (account, { clientId }) => {
    await request(account, 'privateSpotPostV2SpotTradeCancelPlanOrder', { clientOid: clientId })
  },
}

/** ccxt does not have the request for what a plan order has become, so this adds it. */
export function addSubOrders(account: CcxtAccount): void {
  const { defineRestApi } = account as CcxtAccount & { defineRestApi(api: object, method: string): void }
  const get = { 'v2/spot/trade/plan-sub-order': { cost: 1 } }
  defineRestApi.call(account, { private: { spot: { get } } }, 'request')
}

/**
 * Nobody can say in which direction the price must reach a plan order. So one that is beyond the price could wait for the
 * price to come back, and is not sent. If the price passes it in the moment in between, the service closes the position,
 * as whenever an exchange does not execute a stop that the price is beyond.
 * @throws {BeyondLevel}
 */
async function place(account: CcxtAccount, { id: symbol }: CcxtTradedMarket, leg: LegRequest, size: string) {
  requireAhead(leg, await lastPrice(account, symbol))
  const { data } = await request<{ data: { orderId?: string } | null }>(
    account,
    'privateSpotPostV2SpotTradePlacePlanOrder',
    {
      symbol,
      side: leg.side,
      triggerPrice: leg.price,
      // The price that the service watches, too.
      triggerType: 'fill_price',
      orderType: 'market',
      // The size is in base currency.
      planType: 'amount',
      size,
      clientOid: leg.clientId,
    },
  )
  return data?.orderId ?? ''
}

async function lastPrice(account: CcxtAccount, symbol: string): Promise<string> {
  const { data } = await request<{ data: { lastPr?: string }[] | null }>(
    account,
    'publicSpotGetV2SpotMarketTickers',
    { symbol },
  )
  const [ticker] = data ?? []
  if (ticker?.lastPr === undefined) throw new Error('Bitget did not say what the last price is.')
  return ticker.lastPr
}

type PlanOrder = { orderId: string; clientOid?: string; symbol: string; side: string; status: string }
type PlanList = { data: { orderList?: PlanOrder[] | null } }

async function find(account: CcxtAccount, { id: symbol }: CcxtTradedMarket, leg: LegRequest) {
  const of = async (list: 'Current' | 'History', asked: object) => {
    const all = await allPages(fillPage, async (last?: PlanOrder & { id: string }) => {
      const { data } = await request<PlanList>(account, `privateSpotGetV2SpotTrade${list}PlanOrder`, {
        ...{ symbol, ...asked, limit: fillPage },
        ...(last !== undefined && { idLessThan: last.id }),
      })
      return (data.orderList ?? []).map((order) => ({ ...order, id: order.orderId }))
    })
    return all.find(({ clientOid }) => clientOid === leg.clientId)
  }
  // What rests comes first: a stop that is triggered between the two requests is in one of the two answers.
  const [window = {}] = windowsSince(leg.sentAt - clockMs, windowMs, windowMs)
  const found = (await of('Current', {})) ?? (await of('History', window))
  const isOther = found?.symbol !== symbol || found.side !== leg.side
  return found === undefined || isOther ? undefined : foundOf(account, found)
}

async function foundOf(account: CcxtAccount, { orderId: exchangeId, status }: PlanOrder): Promise<FoundLeg> {
  switch (status) {
    case 'live':
    case 'not_trigger':
      return { state: 'open', exchangeId, reason: null }
    case 'executing':
    case 'executed': {
      const orderId = await subOrderOf(account, exchangeId)
      if (orderId === undefined) return { state: 'triggering', exchangeId, reason: null }
      return { state: 'triggered', exchangeId, orderId, reason: null }
    }
    case 'cancelled':
    case 'fail_trigger':
    case 'fail_execute':
      return { state: 'ended', exchangeId, reason: endings[status] }
    default:
      throw new Error(`The stop has the unknown status ${status.slice(0, 40)}.`)
  }
}

type SubOrder = { orderId?: string; status: string }

/** The order that a plan order has become; `undefined` if it has none yet. */
async function subOrderOf(account: CcxtAccount, planOrderId: string): Promise<string | undefined> {
  const { data } = await request<{ data: SubOrder[] | null }>(
    account,
    'privateSpotGetV2SpotTradePlanSubOrder',
    { planOrderId },
  )
  const made = data?.find(({ status, orderId = '' }) => status === 'success' && /^[1-9]\d*$/.test(orderId))
  return made?.orderId
}
