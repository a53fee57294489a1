/**
 * Stops at Kraken Futures: orders of the type `stp`, which become market orders. As on the pages "Send order", "Get Specific
 * Orders' Status", "Get open orders", "Get your fills", "Get trigger events" and "Get order events". These pages do not say
 * which id the order of a stop has. So it is followed by each id that could connect both: the stop's own id, and ours.
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { LegDialect } from './dialect.ts'
import { cliOrdIdOf, readFills } from './kraken-futures-fills.ts'
import { beforeOf, validOr } from './lookups.ts'
import { request } from './requests.ts'

export const krakenFuturesLegs: LegDialect = {
  supports: ({ contract, linear }) => contract === true && linear === true,
  locksFunds: false,
  // Kraken has no time after which it does not carry out a request, unless the request names one.
  requestLifeMs: 30_000,
  clientId: (id) => validOr(id, /^[\w-]{1,100}$/),
  place,
  find,
  cancel: async (account, { clientId }) => {
    await request(account, 'privatePostCancelorder', { cliOrdId: clientId })
  },
  // No refusal says so: the exchange executes such a stop at once.
  isBeyond: /(?!)/,
}

type Verifying = { verifyOrderActionSuccess(status: string, method: string): void }

function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  // The price that the service watches, too.
  const price = { stopPrice: leg.price, triggerSignal: 'last' }
  return sendOrder(account, market, leg, { orderType: 'stp', size: amount, price })
}

/**
 * Sends an order, which only reduces the position unless it is to open.
 * @returns the id that the exchange gave it
 * @throws the errors of ccxt
 */
export async function sendOrder(
  account: CcxtAccount,
  { id: symbol }: CcxtTradedMarket,
  { side, clientId }: Pick<LegRequest, 'side' | 'clientId'>,
  {
    orderType,
    size,
    price,
    isOpening = false,
  }: { orderType: 'stp' | 'lmt' | 'post'; size: string; price: object; isOpening?: boolean },
): Promise<string> {
  type Sent = { sendStatus: { status: string; order_id?: string } }
  const { sendStatus } = await request<Sent>(account, 'privatePostSendorder', {
    ...{ orderType, symbol, side, size },
    ...price,
    ...(!isOpening && { reduceOnly: 'true' }),
    cliOrdId: clientId,
  })
  const { status, order_id = '' } = sendStatus
  // A refused order has no HTTP error. ccxt throws for the words that it knows.
  const { verifyOrderActionSuccess: verify } = account as unknown as Verifying
  if (status !== 'filled') verify.call(account, status, 'createOrder')
  return order_id
}

/** An order as the exchange lists it, and what became of it. */
export type Listed = {
  order: {
    type: string
    orderId: string
    cliOrdId: string | null
    symbol: string
    side: string
    filled: string
  }
  status: string
  updateReason: string | null
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  return (
    (await amongStatuses(account, market, leg)) ??
    (await amongOpen(account, market, leg)) ??
    inHistory(account, market, leg)
  )
}

/** All orders with the id of a leg which are open, or ended less than five seconds ago. @throws the errors of ccxt */
export async function listedAs(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
): Promise<Listed[]> {
  const asked = { cliOrdIds: leg.clientId }
  const { orders } = await request<{ orders: Listed[] }>(account, 'privateGetOrdersStatus', asked)
  return orders.filter(({ order }) => order.cliOrdId === leg.clientId && isOf(order, market, leg))
}

async function amongStatuses(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
): Promise<FoundLeg | undefined> {
  const found = (await listedAs(account, market, leg)).map(foundOf)
  // The stop and its order may both be listed. What has been executed counts, and then what may still be.
  return (
    found.find(({ state }) => state === 'triggered') ??
    found.find(({ state }) => state !== 'ended') ??
    found[0]
  )
}

/** Whether something is of the market and the side of a leg. */
export function isOf(
  one: { symbol: string; side: string },
  { id }: CcxtTradedMarket,
  { side }: LegRequest,
): boolean {
  return one.symbol.toLowerCase() === id.toLowerCase() && one.side.toLowerCase() === side
}

function foundOf({ order, status, updateReason }: Listed): FoundLeg {
  const { type, orderId: exchangeId, filled } = order
  const isStop = type === 'TRIGGER_ORDER'
  const triggered: FoundLeg = { state: 'triggered', exchangeId, orderId: exchangeId, reason: null }
  switch (status) {
    case 'TRIGGER_PLACED':
      return { state: 'open', exchangeId, reason: null }
    case 'ENTERED_BOOK':
    case 'FULLY_EXECUTED':
      return triggered
    case 'TRIGGER_ACTIVATION_FAILURE':
      return { state: 'ended', exchangeId, reason: notExecuted }
    case 'CANCELLED':
    case 'REJECTED':
      if (Number(filled ?? 0) > 0) return triggered
      if (!isStop) return { state: 'ended', exchangeId, reason: notExecuted }
      // The stop is gone because it has been triggered.
      if (updateReason === 'STOP_ORDER_TRIGGERED') return { state: 'triggering', exchangeId, reason: null }
      return { state: 'ended', exchangeId, reason: cancelled }
    default:
      throw new Error(`The stop has the unknown status ${status.slice(0, 40)}.`)
  }
}

const cancelled = 'The stop was cancelled at the exchange.'
const notExecuted = 'The price reached the stop, but the exchange did not execute its order.'

type Open = {
  order_id: string
  cliOrdId?: string
  symbol: string
  side: string
  stopPrice?: string | null
  filledSize?: string
}

/** The open order with the id of a leg. @throws the errors of ccxt */
export async function openAs(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
): Promise<Open | undefined> {
  const { openOrders } = await request<{ openOrders: Open[] }>(account, 'privateGetOpenorders')
  return openOrders.find((one) => one.cliOrdId === leg.clientId && isOf(one, market, leg))
}

async function amongOpen(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
): Promise<FoundLeg | undefined> {
  const open = await openAs(account, market, leg)
  if (open === undefined) return undefined
  const { order_id: exchangeId, stopPrice } = open
  return stopPrice == null
    ? { state: 'triggered', exchangeId, orderId: exchangeId, reason: null }
    : { state: 'open', exchangeId, reason: null }
}

type Trigger = { uid: string; clientId: string; tradeable: string; direction: string }
type TriggerEvent = {
  timestamp: string
  event: {
    OrderTriggerPlaced?: { order: Trigger }
    OrderTriggerActivated?: { order: Trigger }
    OrderTriggerCancelled?: { order: Trigger }
  }
}

/** The exchange returns at most so many events, the latest first. */
const eventLimit = 1_000

/** What became of a stop that is no longer listed. */
async function inHistory(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
): Promise<FoundLeg | undefined> {
  const since = beforeOf(leg.sentAt)!
  const fills = (await readFills(account, since)).filter(({ timestamp = 0 }) => timestamp >= since)
  const byOurId = fills.find((fill) => cliOrdIdOf(fill) === leg.clientId)
  if (byOurId?.order !== undefined) return triggeredAs(byOurId.order, byOurId.order)
  const events = await triggerEvents(account, market, since)
  const ofLeg = (order: Trigger | undefined) =>
    order !== undefined &&
    order.clientId === leg.clientId &&
    isOf({ symbol: order.tradeable, side: order.direction }, market, leg)
  const own = events.filter(({ event }) => ofLeg(Object.values(event)[0]?.order))
  const exchangeId = own
    .map(({ event }) => Object.values(event)[0]?.order.uid)
    .find((uid) => uid !== undefined)
  if (exchangeId === undefined) return undefined
  if (fills.some(({ order }) => order === exchangeId)) return triggeredAs(exchangeId, exchangeId)
  if (own.some(({ event }) => event.OrderTriggerActivated !== undefined)) {
    return madeOf(account, market, leg, exchangeId)
  }
  if (own.some(({ event }) => event.OrderTriggerCancelled !== undefined)) {
    return { state: 'ended', exchangeId, reason: cancelled }
  }
  throw new Error('Kraken has taken the stop, lists it no longer, and does not say yet what became of it.')
}

type Made = { uid: string; clientId: string; tradeable: string; direction: string; filled: string }
type OrderEvent = {
  event: Record<string, { order?: Made; newOrder?: Made } | undefined>
}

/** What has happened to orders of the market since a leg was sent, the latest first. @throws the errors of ccxt */
export async function orderEvents(
  account: CcxtAccount,
  { id: tradeable }: CcxtTradedMarket,
  { sentAt }: Pick<LegRequest, 'sentAt'>,
): Promise<{ kind: string; order: Made }[]> {
  const asked = { since: beforeOf(sentAt), tradeable, sort: 'desc', count: eventLimit }
  const { elements } = await request<{ elements: OrderEvent[] }>(account, 'historyGetOrders', asked)
  return elements.flatMap(({ event }) => {
    const [kind = '', what] = Object.entries(event)[0] ?? []
    const order = what?.newOrder ?? what?.order
    return order === undefined ? [] : [{ kind, order }]
  })
}

/** The order of a stop that was triggered, and has no fills yet. */
async function madeOf(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
  exchangeId: string,
): Promise<FoundLeg> {
  const ids = [exchangeId, leg.clientId]
  const events = await orderEvents(account, market, leg)
  const own = events.filter(({ order }) => ids.includes(order.uid) || ids.includes(order.clientId))
  const executed = own.find(({ order }) => Number(order.filled) > 0)
  if (executed !== undefined) return triggeredAs(exchangeId, executed.order.uid)
  const isOver = own.some(({ kind }) => kind === 'OrderRejected' || kind === 'OrderCancelled')
  return isOver
    ? { state: 'ended', exchangeId, reason: notExecuted }
    : { state: 'triggering', exchangeId, reason: null }
}

function triggeredAs(exchangeId: string, orderId: string): FoundLeg {
  return { state: 'triggered', exchangeId, orderId, reason: null }
}

async function triggerEvents(account: CcxtAccount, { id }: CcxtTradedMarket, since: number) {
  const asked = { since, tradeable: id, sort: 'desc', count: eventLimit }
  const { elements } = await request<{ elements: TriggerEvent[] }>(account, 'historyGetTriggers', asked)
  if (elements.length >= eventLimit) throw new Error('There are too many events of stops to search.')
  return elements
}
