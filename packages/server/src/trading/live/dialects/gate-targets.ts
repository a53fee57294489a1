/**
 * Targets at Gate's USDT futures: limit orders that only reduce the position. Sizes are in contracts, and below zero for a
 * sale. A target never keeps a stop from closing: if orders that only reduce could close more than the position, Gate ends
 * those that are hardest to fill (`reduce_out` of `finish_as`), and a stop that is triggered is a market order.
 * As in "Place futures order", "Query single order details", "Query futures order list" and "Cancel single order" of
 * Gate's documentation, and in its model FuturesOrder (github.com/gateio/gateapi-python).
 */
import { decimal, plain } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import { toBase } from '../../../market/live/market-rules.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { TargetDialect } from './dialect.ts'
import { listedSince, settle, signed } from './gate-legs.ts'
import { unlessNotFound } from './lookups.ts'
import { request } from './requests.ts'

type Order = {
  id: string
  text?: string
  contract: string
  create_time: string
  status: string
  finish_as?: string
  size: string
  left: string
}

export const gateTargets: TargetDialect = {
  place: async (account, market, leg, amount) => {
    const { id } = await request<{ id?: string }>(account, 'privateFuturesPostSettleOrders', {
      settle,
      contract: market.id,
      size: signed(leg, amount),
      price: leg.price,
      tif: 'gtc',
      reduce_only: true,
      text: leg.clientId,
    })
    return id ?? ''
  },
  find,
  cancel: async (account, { clientId }) => {
    await request(account, 'privateFuturesDeleteSettleOrdersOrderId', { settle, order_id: clientId })
  },
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const order = (await byText(account, leg)) ?? (await finished(account, market, leg))
  if (order === undefined || order.contract !== market.id) return undefined
  return decimal(order.size).gt('0') === (leg.side === 'buy') ? foundOf(market, order) : undefined
}

/** Gate forgets the text of an order a while after the order has ended. */
function byText(account: CcxtAccount, { clientId }: LegRequest): Promise<Order | undefined> {
  const asked = { settle, order_id: clientId }
  return unlessNotFound(() => request<Order>(account, 'privateFuturesGetSettleOrdersOrderId', asked))
}

/** The latest ended order with its text. */
async function finished(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const all = await listedSince(leg, (page) => {
    const asked = { settle, contract: market.id, status: 'finished', ...page }
    return request<Order[]>(account, 'privateFuturesGetSettleOrders', asked)
  })
  return all.find(({ text }) => text === leg.clientId)
}

function foundOf(
  market: CcxtTradedMarket,
  { id: exchangeId, status, size, left, finish_as }: Order,
): FoundLeg {
  const executed = decimal(size).minus(decimal(left))
  const isUntouched = executed.eq('0')
  if (status === 'open') return { state: isUntouched ? 'open' : 'filling', exchangeId, reason: null }
  if (status !== 'finished') throw new Error(`The target has the unknown status ${status.slice(0, 40)}.`)
  if (isUntouched && finish_as === 'filled') throw new Error('The target is filled, and has no size yet.')
  if (isUntouched) {
    return { state: 'ended', exchangeId, reason: finish_as === 'cancelled' ? cancelled : endedBy(finish_as) }
  }
  const inBase = toBase(market, plain(executed.abs()))
  return { state: 'triggered', exchangeId, orderId: exchangeId, size: inBase, reason: null }
}

const cancelled = 'The target was cancelled at the exchange.'

function endedBy(end = ''): string {
  return /^\w{1,40}$/.test(end) ? `The exchange ended the target (${end}).` : 'The exchange ended the target.'
}
