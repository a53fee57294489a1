/**
 * Trigger orders of Hyperliquid perpetuals. The shapes are those of "Exchange endpoint" (Place an order) and "Info endpoint"
 * (Query order status by oid or cloid) of its documentation, the refusals those of "Error responses". The order that a stop
 * becomes has its ids.
 */
import Big from 'big.js'
import { type Stop, StopBook } from './stops.ts'
import type { AccountBook } from './trading.ts'

export type SentOrder = {
  a: number
  b: boolean
  p: string
  s: string
  r: boolean
  t: { limit?: { tif?: string }; trigger?: { isMarket?: boolean; triggerPx?: string; tpsl?: string } }
  c?: string
}

type Market = { symbol: string; id: string; sizeDecimals: number }

export class HyperliquidStops extends StopBook {
  constructor(book: AccountBook) {
    super(book, ({ id, clientId }) => ({ id, clientOrderId: clientId }))
  }

  /** @returns an entry of `statuses` */
  send({ a, b, p, s, r, t, c = '' }: SentOrder, { symbol, sizeDecimals }: Market): object {
    const { isMarket, triggerPx = '', tpsl } = t.trigger ?? {}
    const side = b ? 'buy' : 'sell'
    const fail = (error: string) => ({ error: `${error} asset=${a}` })
    if (isMarket !== true || tpsl !== 'sl') return fail('Only stops for the market are taken here.')
    if (![p, triggerPx].every((price) => isPrice(price, sizeDecimals))) {
      return fail('Price must be divisible by tick size.')
    }
    if (b ? new Big(p).lt(triggerPx) : new Big(p).gt(triggerPx))
      return fail('The price would not be executed.')
    const stop = { clientId: c, symbol, side, size: s, price: triggerPx, reduceOnly: r } as const
    if (this.isBeyond(stop)) return fail('Invalid TP/SL price.')
    if (r && !this.hasToReduce(stop)) return fail('Reduce only order would increase position.')
    const added = this.add(stop)
    return { resting: { oid: Number(added.id), cloid: c } }
  }

  withId(id: string): Stop | undefined {
    return this.find((stop) => stop.id === id || stop.clientId === id)
  }
}

/** The rules of the page "Tick and lot size". */
export function isPrice(text: string, sizeDecimals: number, isContract = true): boolean {
  if (!/^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(text) || Number(text) <= 0) return false
  const price = new Big(text)
  if (price.eq(price.round(0))) return true
  return price.c.length <= 5 && price.round((isContract ? 6 : 8) - sizeDecimals).eq(price)
}

/** A stop as the answers about orders have it. @param status in the exchange's words @param left what is not executed */
export function toldStop(stop: Stop, { id: coin }: Market, status: string, left: string) {
  const { side, size, price, reduceOnly, clientId, at, changedAt } = stop
  return {
    order: {
      coin,
      side: side === 'buy' ? 'B' : 'A',
      limitPx: price,
      sz: left,
      oid: Number(stop.id),
      timestamp: at,
      triggerCondition: `Price ${side === 'buy' ? 'above' : 'below'} ${price}`,
      isTrigger: true,
      triggerPx: price,
      children: [],
      isPositionTpsl: false,
      reduceOnly,
      orderType: 'Stop Market',
      origSz: size,
      tif: null,
      cloid: clientId === '' ? null : clientId,
    },
    status,
    statusTimestamp: changedAt,
  }
}
