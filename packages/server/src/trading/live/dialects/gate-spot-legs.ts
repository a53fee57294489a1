/**
 * Stops on Gate's spot markets: price-triggered orders. Each becomes a limit order with another id, because Gate refuses
 * market orders there (github.com/gateio/gateapi-python/issues/155). As in "Create price-triggered order", "Query running
 * auto order list", "Query single auto order details" and "Cancel single auto order" of Gate's documentation, and in its
 * models SpotPriceTriggeredOrder, SpotPriceTrigger and SpotPricePutOrder (github.com/gateio/gateapi-python).
 *
 * Like those of futures, they have no id that the service could choose. One whose answer was lost is found by the time that
 * it stays, its trigger, its size and its time.
 */
import { decimal, floorToStep, plain } from '../../../base/decimals.ts'
import { isCcxtError } from '../../../market/live/ccxt-exchange.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { LegDialect } from './dialect.ts'
import { kindOf } from './gate-account.ts'
import { gateLegs, listedSince, onlyOne, stayOf } from './gate-legs.ts'
import { request } from './requests.ts'

/** Between 18 and 24 hours. */
const stay = { longestS: 86_400, spreadS: 21_600 }
const room = '0.1'

export const gateSpotLegs: LegDialect = {
  ...gateLegs,
  supports: ({ spot }) => spot === true,
  // Gate locks nothing for it. But an order cannot say that it only reduces, so one goes before the other comes.
  locksFunds: true,
  room,
  // Six hours before the first one may end.
  renewAfterMs: 12 * 3_600_000,
  place,
  find,
  cancel: async (account, leg, market) => {
    const { exchangeId } = leg
    const ids =
      exchangeId === undefined
        ? (await listed(account, market, leg, 'open')).map(({ id }) => id)
        : [exchangeId]
    for (const id of ids) await request(account, 'privateSpotDeletePriceOrdersOrderId', { order_id: id })
  },
}

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  const { id } = await request<{ id?: string }>(account, 'privateSpotPostPriceOrders', {
    trigger: { price: leg.price, rule: ruleOf(leg), expiration: stayOf(leg, stay) },
    put: {
      type: 'limit',
      side: leg.side,
      price: worstPrice(market, leg),
      amount,
      account: await accountOf(account),
      // What it does not get within the room is not left in the order book.
      time_in_force: 'ioc',
    },
    market: market.id,
  })
  return id ?? ''
}

function ruleOf({ side }: LegRequest): '<=' | '>=' {
  return side === 'sell' ? '<=' : '>='
}

async function accountOf(account: CcxtAccount): Promise<'normal' | 'unified'> {
  return (await kindOf(account)) === 'unified' ? 'unified' : 'normal'
}

/** The limit of the order that a stop becomes. */
function worstPrice({ precision }: CcxtTradedMarket, { side, price }: LegRequest): string {
  const level = decimal(price)
  const away = level.times(room)
  const worst = side === 'sell' ? level.minus(away) : level.plus(away)
  return plain(floorToStep(worst, decimal(String(precision.price), 'price step')))
}

type PriceOrder = {
  id: string
  /** In seconds. */
  ctime: string
  status: string
  /** The order that it has become; 0 before that. */
  fired_order_id?: string
  market: string
  put: { side: string; amount: string }
  trigger: { price: string; rule: string; expiration: string }
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const known = leg.exchangeId === undefined ? undefined : await byId(account, leg.exchangeId)
  const found = known ?? (await onlyOne((status) => listed(account, market, leg, status)))
  return found && isOf(found, market, leg) ? foundOf(found) : undefined
}

/** @returns `undefined` if Gate says that there is none: it may have forgotten one that ended long ago */
async function byId(account: CcxtAccount, id: string): Promise<PriceOrder | undefined> {
  try {
    return await request<PriceOrder>(account, 'privateSpotGetPriceOrdersOrderId', { order_id: id })
  } catch (error) {
    if (isCcxtError(error, 'BaseError') && /"label":\s*"(AUTO_)?ORDER_NOT_FOUND"/.test(String(error)))
      return undefined
    throw error
  }
}

/** The stops like this one, of those that rest there or have ended. */
async function listed(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
  status: 'open' | 'finished',
) {
  const asked = { status, market: market.id, account: await accountOf(account) }
  const all = await listedSince(leg, async (page) => {
    const rows = await request<PriceOrder[]>(account, 'privateSpotGetPriceOrders', { ...asked, ...page })
    return rows.map((row) => ({ ...row, create_time: row.ctime }))
  })
  return all.filter((one) => isOf(one, market, leg) && isLike(one, leg))
}

function isOf({ market: id, put }: PriceOrder, market: CcxtTradedMarket, leg: LegRequest): boolean {
  return id === market.id && put.side === leg.side
}

function isLike({ put, trigger }: PriceOrder, leg: LegRequest): boolean {
  return (
    decimal(put.amount).eq(decimal(leg.size)) &&
    trigger.rule === ruleOf(leg) &&
    Number(trigger.expiration) === stayOf(leg, stay) &&
    decimal(trigger.price).eq(decimal(leg.price))
  )
}

function foundOf({ id: exchangeId, status, fired_order_id: orderId = '0' }: PriceOrder): FoundLeg {
  // A stop whose order is known is followed, whatever else is said about it.
  if (/^[1-9]\d*$/.test(orderId)) return { state: 'triggered', exchangeId, orderId, reason: null }
  switch (status) {
    case 'open':
      return { state: 'open', exchangeId, reason: null }
    case 'finish':
      return { state: 'triggering', exchangeId, reason: null }
    case 'cancelled':
    case 'expired':
    case 'failed':
      return { state: 'ended', exchangeId, reason: endings[status] }
    default:
      throw new Error(`The stop has the unknown status ${status.slice(0, 40)}.`)
  }
}

const endings = {
  cancelled: 'The stop was cancelled at the exchange.',
  expired: 'The stop has expired: the service lets Gate keep it for at most a day.',
  failed: 'The price reached the stop, but the exchange refused its order.',
}
