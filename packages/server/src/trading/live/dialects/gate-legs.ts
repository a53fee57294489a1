/**
 * Stops at Gate's USDT futures: price-triggered orders. As in "Create price-triggered order", "Query auto order list" and
 * "Cancel single auto order" of Gate's documentation, and in its models FuturesPriceTriggeredOrder, FuturesPriceTrigger and
 * FuturesInitialOrder (github.com/gateio/gateapi-python).
 *
 * They have no id that the service could choose. But each stays for a while that the service chooses, to the second. So a
 * stop is found by that, its trigger, its size and its time.
 */
import { decimal } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import { fromBase } from '../../../market/live/market-rules.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { LegDialect } from './dialect.ts'
import { textOf } from './gate-account.ts'
import { allPages, beforeOf, hashOf } from './lookups.ts'
import { request } from './requests.ts'

export const settle = 'usdt'

export const gateLegs: LegDialect = {
  supports: ({ contract, linear, swap, settle: currency }) =>
    contract === true && linear === true && swap === true && currency === 'USDT',
  locksFunds: false,
  // Gate carries out a request whose time differs from its own by up to a minute.
  requestLifeMs: 60_000,
  clientId: textOf,
  place,
  find,
  cancel: async (account, leg, market) => {
    for (const { id } of await listed(account, market, leg, 'open')) {
      await request(account, 'privateFuturesDeleteSettlePriceOrdersOrderId', { settle, order_id: id })
    }
  },
  isBeyond: /AUTO_TRIGGER_PRICE_(LESS|GREATE)_LAST/,
}

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  const { id } = await request<{ id?: string }>(account, 'privateFuturesPostSettlePriceOrders', {
    settle,
    initial: {
      contract: market.id,
      size: signed(leg, amount),
      price: '0',
      tif: 'ioc',
      reduce_only: true,
    },
    trigger: {
      strategy_type: 0,
      // The price that the service watches, too.
      price_type: 0,
      price: leg.price,
      rule: ruleOf(leg),
      expiration: stayOf(leg),
    },
  })
  return id ?? ''
}

/** A number of contracts, below zero for a sale. */
export function signed({ side }: LegRequest, contracts: string): number {
  return Number(side === 'sell' ? `-${contracts}` : contracts)
}

/** 1: the price is at least that of the trigger. 2: at most. */
function ruleOf({ side }: LegRequest): 1 | 2 {
  return side === 'buy' ? 1 : 2
}

const weekS = 604_800
const dayS = 86_400

/** How long a stop stays, in seconds: between six and seven days, and for each stop another time. */
function stayOf({ clientId }: LegRequest): number {
  return weekS - (Number.parseInt(hashOf(clientId).slice(0, 8), 16) % dayS)
}

type PriceOrder = {
  id: string
  create_time: string
  status: string
  finish_as?: string
  /** The order that it has become; 0 before that. */
  trade_id?: string
  initial: { contract: string; size: string; is_reduce_only?: unknown }
  trigger: { price_type: string; price: string; rule: string; expiration?: string }
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const open = await listed(account, market, leg, 'open')
  const own = open.length > 0 ? open : await listed(account, market, leg, 'finished')
  if (own.length > 1) throw new Error('Gate has more than one stop like this.')
  return own[0] === undefined ? undefined : foundOf(own[0])
}

const pageLimit = 100

/** The stops like this one, of those that rest there or have ended. */
async function listed(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
  status: 'open' | 'finished',
): Promise<PriceOrder[]> {
  const isEarlier = isEarlierThan(leg)
  const all = await allPages<PriceOrder>(pageLimit, async (_, page) => {
    const asked = { settle, status, contract: market.id, limit: pageLimit, offset: (page - 1) * pageLimit }
    const rows = await request<PriceOrder[]>(account, 'privateFuturesGetSettlePriceOrders', asked)
    // The pages after this one are from before it was sent.
    return rows.every(isEarlier) ? [] : rows
  })
  return all.filter((one) => !isEarlier(one) && isLike(one, market, leg))
}

/** Whether an order is from before the leg was sent. */
export function isEarlierThan({ sentAt }: LegRequest): (order: { create_time: string }) => boolean {
  const since = beforeOf(sentAt)!
  return ({ create_time: at }) => Number(at) * 1_000 < since
}

function isLike({ initial, trigger }: PriceOrder, market: CcxtTradedMarket, leg: LegRequest): boolean {
  const amount = fromBase(market, leg.size)
  return (
    amount !== undefined &&
    initial.contract === market.id &&
    decimal(initial.size).eq(String(signed(leg, amount))) &&
    Number(trigger.price_type) === 0 &&
    Number(trigger.rule) === ruleOf(leg) &&
    Number(trigger.expiration) === stayOf(leg) &&
    decimal(trigger.price).eq(decimal(leg.price))
  )
}

function foundOf({
  id: exchangeId,
  status,
  finish_as: end = '',
  trade_id: orderId = '0',
}: PriceOrder): FoundLeg {
  // A stop whose order is known is followed, whatever else is said about it.
  if (/^[1-9]\d*$/.test(orderId)) return { state: 'triggered', exchangeId, orderId, reason: null }
  if (status === 'open') return { state: 'open', exchangeId, reason: null }
  if (status !== 'finished') throw new Error(`The stop has the unknown status ${status.slice(0, 40)}.`)
  if (end === 'succeeded') return { state: 'triggering', exchangeId, reason: null }
  const reason = endings[end]
  if (reason === undefined) throw new Error(`The stop has ended in the unknown way ${end.slice(0, 40)}.`)
  return { state: 'ended', exchangeId, reason }
}

const endings: Record<string, string | undefined> = {
  cancelled: 'The stop was cancelled at the exchange.',
  expired: 'The stop has expired: Gate keeps it for at most seven days.',
  failed: 'The price reached the stop, but the exchange refused its order.',
}
