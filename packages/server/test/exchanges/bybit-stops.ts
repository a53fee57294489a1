/**
 * Conditional orders of Bybit's perpetual futures: stops that rest at the exchange. The fields are those of the pages
 * "Place Order", "Get Open & Closed Orders" and "Cancel Order", the states those of "Enums Definitions", and the refusals
 * those of "Error Codes" and of https://github.com/sieblyio/bybit-api/issues/193.
 */
import Big from 'big.js'
import { type BybitMarket, type Clock, failure, type Sent, success } from './bybit-requests.ts'
import type { Reply } from './stand-in.ts'
import { type Stop, StopBook } from './stops.ts'
import type { AccountBook } from './trading.ts'

const fields = new Set([
  ...['category', 'symbol', 'side', 'orderType', 'qty', 'triggerDirection', 'triggerPrice', 'triggerBy'],
  ...['reduceOnly', 'closeOnTrigger', 'positionIdx', 'orderLinkId'],
])
const tick = '0.5'
const sizeStep = '0.001'
/** So many conditional orders may rest in a symbol. */
const mostResting = 10
/** The history has orders that never executed anything for this long only. */
const unfilledMs = 86_400_000

/** A triggered order stays the same order. */
export function bybitStops(book: AccountBook): StopBook {
  return new StopBook(book, ({ id, clientId }) => ({ id, clientOrderId: clientId }))
}

export function isConditional({ triggerPrice }: Sent): boolean {
  return triggerPrice !== undefined
}

export function placeStop(
  market: BybitMarket | undefined,
  sent: Sent,
  body: string,
  clock: Clock,
  { book, stops }: { book: AccountBook; stops: StopBook },
): Reply {
  stops.noteRequest(body)
  const no = (code: number, msg: string) => failure(clock, code, msg)
  const strange = Object.keys(sent).find((name) => !fields.has(name))
  if (strange !== undefined) return no(10001, `The stand-in does not know ${strange} of a stop`)
  if (market?.category !== 'linear') return no(10001, 'symbol invalid')
  const { qty = '0', triggerPrice: price = '0', orderLinkId: clientId = '', orderType } = sent
  if (orderType !== 'Market' || sent.triggerBy !== 'LastPrice') return no(10001, 'params error')
  if (!new Big(price).mod(tick).eq(0)) return no(10001, 'params error: trigger price invalid')
  if (!new Big(qty).mod(sizeStep).eq(0) || !new Big(qty).gt(0)) return no(10001, 'Qty invalid')
  const idx = Number(sent.positionIdx ?? 0)
  if ((idx !== 0) !== (book.mode.position === 'hedge')) {
    return no(10001, 'position idx not match position mode')
  }
  if (stops.find((one) => one.clientId === clientId) !== undefined || book.wasUsed(clientId)) {
    return no(110072, 'OrderLinkedID is duplicate')
  }
  const side = sent.side === 'Buy' ? ('buy' as const) : ('sell' as const)
  const wanted = {
    clientId,
    symbol: market.symbol,
    side,
    size: qty,
    price,
    reduceOnly: String(sent.reduceOnly) === 'true',
  }
  if (Number(sent.triggerDirection) !== (side === 'buy' ? 1 : 2)) return no(10001, 'params error')
  if (stops.isBeyond(wanted)) {
    const compared = `trigger_price[${scaled(price)}] # current[${scaled(book.price(market.symbol))}]??LastPrice`
    return side === 'buy'
      ? no(110092, `expect Rising, but ${compared.replace('#', '<=')}`)
      : no(110093, `expect Falling, but ${compared.replace('#', '>=')}`)
  }
  if (!stops.hasToReduce(wanted)) {
    return no(110017, 'current position is zero, cannot fix reduce-only order qty')
  }
  if (stops.control.open().filter(({ symbol }) => symbol === market.symbol).length >= mostResting) {
    return no(110009, 'The number of stop orders exceeds the maximum allowable limit')
  }
  const positionSide = idx === 1 ? ('long' as const) : ('short' as const)
  const { id } = stops.add({ ...wanted, ...(idx !== 0 && { positionSide }) })
  return success(clock, { orderId: id, orderLinkId: clientId })
}

/** Bybit writes prices of the engine without their point. */
function scaled(price: string): string {
  return new Big(price).times(10_000).toFixed(0)
}

export function cancelStop({ orderLinkId = '' }: Sent, clock: Clock, stops: StopBook): Reply | undefined {
  const stop = stops.resting(orderLinkId)
  if (stop === undefined) return undefined
  stops.cancel(stop)
  return success(clock, { orderId: stop.id, orderLinkId })
}

/** The stops that are no orders of the book: those that rest, and those that have ended without becoming one. */
export function listedStops(stops: StopBook, list: 'realtime' | 'history', isNamed: boolean): Stop[] {
  return stops.control.all().filter(({ status, at }) => {
    if (status === 'triggered') return false
    if (status === 'open') return list === 'realtime'
    return isNamed && at > Date.now() - unfilledMs
  })
}

/** What is different about a stop, in a list of orders. */
export function toldStop(stop: Stop): Record<string, unknown> {
  const states = { open: 'Untriggered', triggered: 'Triggered', canceled: 'Cancelled', rejected: 'Rejected' }
  const isRejected = stop.status === 'rejected'
  return {
    orderStatus: states[stop.status],
    cancelType: stop.status === 'canceled' ? 'CancelByUser' : 'UNKNOWN',
    rejectReason: isRejected
      ? 'EC_Others'
      : stop.status === 'canceled'
        ? 'EC_PerCancelRequest'
        : 'EC_NoError',
    ...conditionOf(stop),
  }
}

/** What an order keeps of the stop that it was. */
export function conditionOf({ side, price, at }: Stop): Record<string, unknown> {
  return {
    stopOrderType: 'Stop',
    triggerPrice: price,
    triggerDirection: side === 'buy' ? 1 : 2,
    triggerBy: 'LastPrice',
    createType: 'CreateByStopOrder',
    closeOnTrigger: true,
    createdTime: String(at),
  }
}
