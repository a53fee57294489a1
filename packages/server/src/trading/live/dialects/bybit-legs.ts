/**
 * Stops at Bybit. On perpetual futures they are conditional orders, on spot TP/SL orders, in the same lists and under the
 * same ids as all orders: when one is triggered, it stays the same order. As on the pages "Place Order", "Get Open & Closed Orders", "Get
 * Order History", "Cancel Order" and "Enums Definitions".
 */
import { decimal, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { isHedged, type Page, type Result, type Row, requireUnified } from './bybit-account.ts'
import { type LegDialect, requireAhead } from './dialect.ts'
import { dayMs, validOr, windowsSince } from './lookups.ts'
import { request } from './requests.ts'

/** The longest time that a request for the history may span, and how far back it goes. */
const windowMs = 7 * dayMs
const historyMs = 730 * dayMs
/** The clocks may differ. */
const clockMs = 60_000

export const bybitLegs: LegDialect = {
  supports: ({ contract, linear, swap }) => contract === true && linear === true && swap === true,
  locksFunds: false,
  clientId: (id) => validOr(id, /^[\w-]{1,36}$/),
  place,
  find,
  cancel: async (account, { clientId: orderLinkId }, { id: symbol }) => {
    await request(account, 'privatePostV5OrderCancel', { category: 'linear', symbol, orderLinkId })
  },
  // With 110093, and formerly with 10001: "expect Falling, but trigger_price[…] >= current[…]".
  isBeyond: /expect (Rising|Falling), but trigger_price/,
}

export const bybitSpotLegs: LegDialect = {
  ...bybitLegs,
  supports: ({ spot }) => spot === true,
  locksFunds: true,
  place: placeOnSpot,
  cancel: async (account, { clientId: orderLinkId }, { id: symbol }) => {
    const query = { category: 'spot', symbol, orderLinkId, orderFilter: 'tpslOrder' }
    await request(account, 'privatePostV5OrderCancel', query)
  },
}

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  await requireUnified(account)
  const { result } = await request<Result<Row>>(account, 'privatePostV5OrderCreate', {
    category: 'linear',
    symbol: market.id,
    side: leg.side === 'buy' ? 'Buy' : 'Sell',
    orderType: 'Market',
    qty: amount,
    // 1: when the price rises to it. 2: when it falls to it.
    triggerDirection: leg.side === 'buy' ? 1 : 2,
    triggerPrice: leg.price,
    // The price that the service watches, too.
    triggerBy: 'LastPrice',
    reduceOnly: true,
    // Without it, Bybit cancels a triggered order for which the account lacks margin, which is likely at a loss.
    closeOnTrigger: true,
    ...(await positionOf(account, market, leg)),
    orderLinkId: leg.clientId,
  })
  return result?.orderId ?? ''
}

/**
 * On spot, nobody can say in which direction the price must reach a stop: Bybit takes the one in which the price is away
 * from it. So a stop that is beyond the price would wait for the price to come back
 * (https://github.com/ccxt/ccxt/issues/19000), and is not sent. If the price passes it in the moment in between, the
 * service closes the position, as whenever an exchange does not execute a stop that the price is beyond.
 * @throws {BeyondLevel}
 */
async function placeOnSpot(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  await requireUnified(account)
  const { side } = leg
  requireAhead(leg, await lastPrice(account, market))
  const { result } = await request<Result<Row>>(account, 'privatePostV5OrderCreate', {
    category: 'spot',
    symbol: market.id,
    side: side === 'buy' ? 'Buy' : 'Sell',
    orderType: 'Market',
    // In base currency, also of a purchase.
    qty: amount,
    marketUnit: 'baseCoin',
    triggerPrice: leg.price,
    orderFilter: 'tpslOrder',
    orderLinkId: leg.clientId,
  })
  return result?.orderId ?? ''
}

async function lastPrice(account: CcxtAccount, { id: symbol }: CcxtTradedMarket): Promise<string> {
  const query = { category: 'spot', symbol }
  const [ticker] = await listed(account, 'publicGetV5MarketTickers', query)
  if (ticker?.lastPrice === undefined) throw new Error('Bybit did not say what the last price is.')
  return ticker.lastPrice
}

/** In hedge mode, an order names the position that it changes: 1 is the long, 2 the short. */
export async function positionOf(account: CcxtAccount, { id }: CcxtTradedMarket, { side }: LegRequest) {
  return (await isHedged.of(account, id)) ? { positionIdx: side === 'sell' ? 1 : 2 } : {}
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const row = await findRow(account, market, { orderLinkId: leg.clientId }, leg.sentAt)
  if (row === undefined || row.symbol !== market.id) return undefined
  return row.side?.toLowerCase() === leg.side ? foundOf(row) : undefined
}

/**
 * Returns an order as Bybit lists it, or `undefined` if there is none. The first list has open orders, and the latest 500
 * that have ended; the history has the others, and of those that never executed anything only the last 24 hours.
 * @param since when the order was created; without it, only the last days of the history count
 * @throws the errors of ccxt
 */
export async function findRow(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  by: { orderId: string } | { orderLinkId: string },
  since = Date.now() - windowMs,
): Promise<Row | undefined> {
  const query = { category: market.spot === true ? 'spot' : 'linear', symbol: market.id, ...by }
  const [current] = await listed(account, 'privateGetV5OrderRealtime', query)
  if (current !== undefined) return current
  for (const window of windowsSince(since - clockMs, windowMs, historyMs).toReversed()) {
    const [old] = await listed(account, 'privateGetV5OrderHistory', { ...query, ...window })
    if (old !== undefined) return old
  }
  return undefined
}

async function listed(account: CcxtAccount, name: string, query: object): Promise<Row[]> {
  const { result } = await request<Page>(account, name, query)
  if (result?.list === undefined) throw new Error('Bybit sent no list.')
  return result.list
}

/** ccxt counts an order that was cancelled half-way as filled. */
export function withExactStatus(order: CcxtOrder): CcxtOrder {
  const { orderStatus } = order.info as { orderStatus?: string }
  return orderStatus === 'PartiallyFilledCanceled' ? { ...order, status: 'canceled' } : order
}

function foundOf(row: Row): FoundLeg {
  const { orderId: exchangeId = '', orderStatus = '', cumExecQty = '' } = row
  // A leg that has executed something is followed, whatever else is said about it.
  if (cumExecQty !== '' && decimal(cumExecQty).gt(zero)) {
    return { state: 'triggered', exchangeId, orderId: exchangeId, reason: null }
  }
  switch (orderStatus) {
    case 'Untriggered':
      return { state: 'open', exchangeId, reason: null }
    // A market order is `New` only for a moment.
    case 'Triggered':
    case 'New':
    case 'PartiallyFilled':
    case 'Filled':
      return { state: 'triggering', exchangeId, reason: null }
    case 'Rejected':
    case 'Cancelled':
    case 'Deactivated':
      return { state: 'ended', exchangeId, reason: endingOf(row) }
    default:
      throw new Error(`The stop has the unknown status ${orderStatus.slice(0, 40)}.`)
  }
}

function endingOf({ orderStatus, cancelType = '', rejectReason = '' }: Row): string {
  if (cancelType === 'CancelByUser' || rejectReason === 'EC_PerCancelRequest') {
    return 'The stop was cancelled at the exchange.'
  }
  const words = [rejectReason, cancelType].find((one) => /^(EC_(?!NoError$)|CancelBy)\w{1,60}$/.test(one))
  const what =
    orderStatus === 'Rejected'
      ? 'The exchange refused the stop, or its order when the price reached it'
      : 'The exchange cancelled the stop'
  return `${what}${words === undefined ? '' : ` (${words})`}.`
}
