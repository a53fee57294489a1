import type { SignalOptions } from '../../db/schema.ts'
import { type PayloadReader, Wrong } from '../payload-reader.ts'
import { readId, readSize, readSymbol } from '../payload-values.ts'
import type { Format } from './format.ts'
import { orderOf } from './order.ts'
import { readTiming } from './timing.ts'
import { isZero, type Position, priceLevel, readAmount, readPrice, wordIn } from './words.ts'

/**
 * Orders for OpenAlgo: `placeorder`, and `placesmartorder`, whose `position_size` is the position after the order, less
 * than zero for a short.
 *
 * Sources: the documentation of OpenAlgo, "PlaceOrder" and "PlaceSmartOrder"
 * (https://docs.openalgo.in/api-documentation/v1/orders-api/placesmartorder), and `blueprints/tv_json.py` of
 * marketcalls/openalgo, which makes the messages for TradingView.
 */
export const openalgo: Format = {
  secret: 'apikey',
  read(payload, receivedAtMs) {
    const symbol = payload.need('symbol', readSymbol)
    const side = payload.need('action', wordIn(['buy', 'sell']))
    const target = payload.read('position_size', readSigned)
    for (const name of ['trigger_price', 'disclosed_quantity']) {
      if (payload.has(name) && !isZero(payload.value(name))) {
        payload.refuse(name, 'is not followed: bots place market and limit orders')
      }
    }
    const price = () => payload.read('price', readPrice)
    const position = target && positionOf(target.sign)
    const quantity = position === 'flat' ? undefined : payload.read('quantity', readAmount)
    const order = orderOf(
      {
        ...{ side, position, price },
        positionSize: { value: target?.size, field: 'position_size' },
        amount:
          quantity === undefined
            ? undefined
            : { value: quantity, unit: 'base', at: payload, field: 'quantity' },
        countsOrder: position !== undefined,
      },
      { side: payload, field: 'action' },
    )
    const opens = order !== undefined && order.action !== 'EXIT'
    return {
      ...{ symbol, order, entry: readPriceType(payload, opens) },
      id: payload.read('strategy', readId),
      timing: readTiming(payload, receivedAtMs),
    }
  },
}

function readPriceType(payload: PayloadReader, opens: boolean): SignalOptions['entry'] {
  const type = payload.read('pricetype', wordIn(['market', 'limit', 'sl', 'sl-m']))
  if (type === undefined) return undefined
  if (type === 'sl' || type === 'sl-m') {
    payload.refuse('pricetype', `is ${type.toUpperCase()}, and bots open with MARKET and LIMIT orders`)
    return undefined
  }
  if (type === 'market') return opens ? { type } : undefined
  if (!opens) {
    payload.refuse('pricetype', 'is LIMIT, and a bot closes with market orders')
    return undefined
  }
  const price = payload.need('price', priceLevel)
  return price === undefined ? undefined : { type, price }
}

function positionOf(sign: number): Position {
  if (sign === 0) return 'flat'
  return sign > 0 ? 'long' : 'short'
}

/** A size with a sign. */
function readSigned(value: unknown): { sign: -1 | 0 | 1; size: number | undefined } {
  if (isZero(value)) return { sign: 0, size: undefined }
  if (typeof value === 'number' && value < 0) return { sign: -1, size: readSize(-value) }
  const text = typeof value === 'string' ? value.trim() : ''
  if (text.startsWith('-')) return { sign: -1, size: readSize(text.slice(1)) }
  if (typeof value !== 'number' && typeof value !== 'string') throw new Wrong('must be a number')
  return { sign: 1, size: readSize(value) }
}
