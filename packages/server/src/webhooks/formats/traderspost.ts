import type { SignalOptions } from '../../db/schema.ts'
import { type PayloadReader, Wrong } from '../payload-reader.ts'
import { readSize, readSymbol } from '../payload-values.ts'
import type { AlertOrder, Format } from './format.ts'
import { type AskedAmount, exitOf, openingOrder, orderOf, type ReadPrice } from './order.ts'
import { readTiming } from './timing.ts'
import { isZero, type Position, percentLevel, priceLevel, readPrice, stopPercent, wordIn } from './words.ts'

const actions = ['buy', 'sell', 'exit', 'add'] as const
const sentiments = ['bullish', 'long', 'bearish', 'short', 'flat'] as const
const quantityTypes = [
  ...['fixed_quantity', 'dollar_amount', 'amount_per_position', 'risk_dollar_amount', 'risk_per_position'],
  ...['risk_percent', 'percent_of_equity', 'percent_of_position'],
]
const ofOptions = 'belongs to an option, and bots trade no options'
const unknownHere: Record<string, string> = {
  ...{ optionType: ofOptions, intrinsicValue: ofOptions, expiration: ofOptions, strikeCount: ofOptions },
  ...{ strikesAway: ofOptions, strikePrice: ofOptions },
  stopPrice: 'belongs to a stop order, and bots open with market and limit orders',
  trailAmount: 'belongs to a trailing stop order, and bots open with market and limit orders',
  trailPercent: 'belongs to a trailing stop order, and bots open with market and limit orders',
  cancel: 'is not followed: a bot decides itself which of its orders it cancels',
  cancelOrderType: 'is not followed: a bot decides itself which of its orders it cancels',
}

/**
 * Alerts for TradersPost.
 *
 * Source: the documentation of TradersPost, "JSON Message Reference"
 * (https://docs.traderspost.io/docs/core-concepts/signals/webhooks).
 */
export const tradersPost: Format = {
  read(payload, receivedAtMs) {
    const symbol = payload.need('ticker', readSymbol)
    const action = payload.need('action', readAction)
    const sentiment = payload.read('sentiment', wordIn(sentiments))
    for (const [name, message] of Object.entries(unknownHere)) {
      if (payload.has(name)) payload.refuse(name, message)
    }
    if (payload.has('delay') && !isZero(payload.value('delay'))) {
      payload.refuse('delay', 'is not followed: set the delay of the bot')
    }
    const price = () => payload.read(payload.has('signalPrice') ? 'signalPrice' : 'price', readPrice)
    const order = action && readOrder(payload, { action, position: positionOf(sentiment), price })
    const opens = order !== undefined && order.action !== 'EXIT'
    return {
      ...{ symbol, order },
      entry: readOrderType(payload, opens),
      protection: opens ? readProtection(payload) : undefined,
      timing: readTiming(payload, receivedAtMs, 'time'),
    }
  },
}

function readAction(value: unknown): (typeof actions)[number] {
  if (typeof value === 'string' && value.trim().toLowerCase() === 'cancel') {
    throw new Wrong('is cancel, and a signal can cancel no orders; exit closes the position')
  }
  return wordIn(actions)(value)
}

function positionOf(sentiment: (typeof sentiments)[number] | undefined): Position | undefined {
  if (sentiment === undefined || sentiment === 'flat') return sentiment
  return sentiment === 'bullish' || sentiment === 'long' ? 'long' : 'short'
}

type Asked = { action: (typeof actions)[number]; position: Position | undefined; price: ReadPrice }

/** The position that the sender wants takes precedence. Unlike with a chart, the quantity is what is opened. */
function readOrder(payload: PayloadReader, { action, position, price }: Asked): AlertOrder | undefined {
  if (position === 'flat') return exitOf(undefined, price)
  const isExit = action === 'exit'
  const amount = readQuantity(payload, isExit)
  if (isExit) {
    if (position === undefined) return exitOf(amount, price)
    payload.refuse('action', `is exit, but sentiment says that the position is ${position}`)
    return undefined
  }
  if (action === 'add') {
    if (position !== undefined) return openingOrder(position, amount, price, true)
    payload.refuse('action', 'is add, so the payload must say to which position: give sentiment')
    return undefined
  }
  const wanted = action === 'buy' ? 'long' : 'short'
  // Without a quantity, TradersPost closes everything.
  if (position !== undefined && position !== wanted) return exitOf(amount, price, position)
  return orderOf({ side: action, position, amount, price }, { side: payload, field: 'action' })
}

function readQuantity(payload: PayloadReader, isExit: boolean): AskedAmount | undefined {
  const value = payload.read('quantity', readSize)
  const type = payload.read('quantityType', wordIn(quantityTypes)) ?? 'fixed_quantity'
  if (value === undefined) return undefined
  if (type === 'fixed_quantity') return { value, unit: 'base', at: payload, field: 'quantity' }
  if (type === 'dollar_amount') return { value, unit: 'quote', at: payload, field: 'quantity' }
  if (type === 'percent_of_position' && isExit && value === 100) return undefined
  payload.refuse(
    'quantityType',
    `is ${type}: only the amount of a bot can be a part of its equity (amount_unit), not that of a signal`,
  )
  return undefined
}

function readOrderType(payload: PayloadReader, opens: boolean): SignalOptions['entry'] {
  const type = payload.read('orderType', readEntryType)
  if (type === undefined) return undefined
  if (type === 'market') return opens ? { type } : undefined
  if (!opens) {
    payload.refuse('orderType', 'is limit, and a bot closes with market orders')
    return undefined
  }
  if (payload.has('timeInForce')) {
    payload.refuse('timeInForce', 'is not followed: the entry of the bot says how long a limit rests')
  }
  const price = payload.read(payload.has('limitPrice') ? 'limitPrice' : 'price', priceLevel)
  return { type, ...(price !== undefined && { price }) }
}

function readEntryType(value: unknown): 'market' | 'limit' {
  const type = wordIn(['market', 'limit', 'stop', 'stop_limit', 'trailing_stop'])(value)
  if (type === 'market' || type === 'limit') return type
  throw new Wrong(`is ${type}, and bots open with market and limit orders`)
}

function readProtection(payload: PayloadReader): SignalOptions['protection'] | undefined {
  const profit = payload.within('takeProfit')
  const stop = payload.within('stopLoss')
  const at = profit && readTarget(profit)
  const stopped = stop && readStop(stop)
  if (at === undefined && stopped === undefined) return undefined
  return { ...(at !== undefined && { take_profit: [{ at, part: '1' }] }), ...stopped }
}

function readTarget(profit: PayloadReader): string | undefined {
  const percent = profit.read('percent', percentLevel)
  const price = profit.read(profit.has('limitPrice') ? 'limitPrice' : 'price', priceLevel)
  refuseUnread(profit)
  if (!['percent', 'limitPrice', 'price'].some((name) => profit.has(name))) {
    profit.refuse('percent', 'is required, or limitPrice')
  }
  return price ?? percent
}

function readStop(stop: PayloadReader): SignalOptions['protection'] | undefined {
  const type = stop.read('type', wordIn(['stop', 'stop_limit', 'trailing_stop'])) ?? 'stop'
  if (type === 'stop_limit') stop.refuse('type', 'is stop_limit, and the stop of a bot is a market order')
  if (type === 'trailing_stop') {
    const by = stop.need('trailPercent', stopPercent)
    refuseUnread(stop)
    return by === undefined ? undefined : { trailing: { by, from: null, step: null } }
  }
  const percent = stop.read('percent', stopPercent)
  const price = stop.read('stopPrice', priceLevel)
  refuseUnread(stop)
  if (!stop.has('percent') && !stop.has('stopPrice')) stop.refuse('percent', 'is required, or stopPrice')
  const stop_loss = price ?? percent
  return stop_loss === undefined ? undefined : { stop_loss }
}

/** A field of a stop that nobody follows must not leave a position without it. */
function refuseUnread(fields: PayloadReader): void {
  for (const name of fields.unread.slice(0, 1)) {
    fields.refuse(name.slice(0, 64), 'is not followed here: give a percentage or a price')
  }
}
