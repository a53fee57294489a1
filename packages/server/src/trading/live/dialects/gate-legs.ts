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
import { allPages, beforeOf, dayMs, hashOf } from './lookups.ts'
import { request } from './requests.ts'

export const settle = 'usdt'

export const gateLegs: LegDialect = {
  supports: ({ contract, linear, swap, settle: currency }) =>
    contract === true && linear === true && swap === true && currency === 'USDT',
  locksFunds: false,
  // Gate carries out a request whose time differs from its own by up to a minute.
  requestLifeMs: 60_000,
  // A day before the first one may end.
  renewAfterMs: 5 * dayMs,
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
      expiration: stayOf(leg, stay),
    },
  })
  return id ?? ''
}

/** A number of contracts, below zero for a sale. */
export function signed({ side }: Pick<LegRequest, 'side'>, contracts: string): number {
  return Number(side === 'sell' ? `-${contracts}` : contracts)
}

/** 1: the price is at least that of the trigger. 2: at most. */
function ruleOf({ side }: LegRequest): 1 | 2 {
  return side === 'buy' ? 1 : 2
}

/** Between six and seven days. */
const stay = { longestS: 604_800, spreadS: 86_400 }

/** How long a stop stays, in seconds: for each stop another time. */
export function stayOf({ clientId }: LegRequest, { longestS, spreadS }: typeof stay): number {
  return longestS - (Number.parseInt(hashOf(clientId).slice(0, 8), 16) % spreadS)
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
  const found = await onlyOne((status) => listed(account, market, leg, status))
  return found && foundOf(found)
}

/** The one stop of a list that is like a leg. @throws {Error} if there are several: nobody knows which one is meant */
export async function onlyOne<T>(
  list: (status: 'open' | 'finished') => Promise<T[]>,
): Promise<T | undefined> {
  // What rests comes first: a stop that is triggered between the two requests is in one of the two answers.
  const open = await list('open')
  const own = open.length > 0 ? open : await list('finished')
  if (own.length > 1) throw new Error('Gate has more than one stop like this.')
  return own[0]
}

/** The stops like this one, of those that rest there or have ended. */
async function listed(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
  status: 'open' | 'finished',
): Promise<PriceOrder[]> {
  const all = await listedSince(leg, (page) => {
    const asked = { settle, status, contract: market.id, ...page }
    return request<PriceOrder[]>(account, 'privateFuturesGetSettlePriceOrders', asked)
  })
  return all.filter((one) => isLike(one, market, leg))
}

const pageLimit = 100

/** The rows of one of Gate's lists that are not from before the leg was sent. */
export async function listedSince<T extends { id: string; create_time: string }>(
  { sentAt }: LegRequest,
  read: (page: { limit: number; offset: number }) => Promise<T[]>,
): Promise<T[]> {
  const since = beforeOf(sentAt)!
  const isEarlier = ({ create_time: at }: T) => Number(at) * 1_000 < since
  const all = await allPages<T>(pageLimit, async (_, page) => {
    const rows = await read({ limit: pageLimit, offset: (page - 1) * pageLimit })
    // Then the pages after this one are from before it was sent, too.
    return rows.every(isEarlier) && areLatestFirst(rows) ? [] : rows
  })
  return all.filter((one) => !isEarlier(one))
}

/** Gate's documentation does not say in which order it lists. */
function areLatestFirst(rows: readonly { create_time: string }[]): boolean {
  const [first, last] = [rows.at(0), rows.at(-1)]
  return Number(first?.create_time ?? 0) >= Number(last?.create_time ?? 0)
}

function isLike({ initial, trigger }: PriceOrder, market: CcxtTradedMarket, leg: LegRequest): boolean {
  const amount = fromBase(market, leg.size)
  return (
    amount !== undefined &&
    initial.contract === market.id &&
    decimal(initial.size).eq(String(signed(leg, amount))) &&
    Number(trigger.price_type) === 0 &&
    Number(trigger.rule) === ruleOf(leg) &&
    Number(trigger.expiration) === stayOf(leg, stay) &&
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
