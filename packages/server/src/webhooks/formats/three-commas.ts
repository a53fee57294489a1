import { decimal, plain } from '../../base/decimals.ts'
import type { SignalOptions } from '../../db/schema.ts'
import { readProtection } from '../../trading/protection/settings.ts'
import { type PayloadReader, Wrong } from '../payload-reader.ts'
import { definedFields, readBoolean, readSize, readSymbol } from '../payload-values.ts'
import type { AlertOrder, Format } from './format.ts'
import { type AskedAmount, exitOf, openingOrder, orderOf, type ReadPrice } from './order.ts'
import { readTiming } from './timing.ts'
import { percentLevel, priceLevel, readPosition, readPrice, wordIn } from './words.ts'

const actions = ['enter_long', 'enter_short', 'exit_long', 'exit_short', 'buy', 'sell'] as const
const currencies = ['base', 'quote', 'margin_percent', 'position_percent'] as const
const hundredth = decimal('0.01')
const ofBot = 'only the amount of a bot can be a percentage (amount_unit), not that of a signal'

/**
 * Alerts for the Signal Bot of 3Commas, of both of its types: "Custom signal", with `enter_long` and the like, and
 * "Strategy", with `buy` or `sell` and the position of the strategy.
 *
 * Sources: the help of 3Commas, "Signal bot: JSON file in Custom signal type"
 * (https://help.3commas.io/en/articles/8894481) and "Signal bot: JSON file for Strategy type"
 * (https://help.3commas.io/en/articles/9374557).
 */
export const threeCommas: Format = {
  secret: 'secret',
  read(payload, receivedAtMs) {
    const symbol = payload.need('tv_instrument', readSymbol)
    const action = payload.need('action', readAction)
    const price = () => payload.read('trigger_price', readPrice)
    if (payload.has('positions_sub_action')) {
      payload.refuse('positions_sub_action', 'belongs to disable, which no signal can do here')
    }
    const given = payload.within('order')
    const strategy = payload.within('strategy_info')
    const order = action && readOrder({ payload, action, price, given, strategy })
    const opens = order !== undefined && order.action !== 'EXIT'
    const entry = given && readOrderType(given, opens)
    const protection = opens ? readStops(payload) : undefined
    return { symbol, order, entry, protection, timing: readTiming(payload, receivedAtMs) }
  },
}

type Given = {
  payload: PayloadReader
  action: (typeof actions)[number]
  price: ReadPrice
  given: PayloadReader | undefined
  strategy: PayloadReader | undefined
}

function readOrder({ payload, action, price, given, strategy }: Given): AlertOrder | undefined {
  const position = strategy?.read('market_position', readPosition)
  const previous = strategy?.read('prev_market_position', readPosition)
  // A close of everything needs no amount.
  if (position === 'flat') return exitOf(undefined, price)
  const isExit = action === 'exit_long' || action === 'exit_short'
  const amount = given && readOrderAmount(given, isExit)
  if (isExit) return exitOf(amount, price, action === 'exit_long' ? 'long' : 'short')
  if (action === 'buy' || action === 'sell') {
    const isSized = strategy !== undefined && position !== undefined && amount?.unit === 'base'
    const value = isSized ? strategy.read('market_position_size', readPrice) : undefined
    const positionSize = { value, field: 'strategy_info.market_position_size' }
    const wish = { side: action, position, previous, positionSize, amount, price }
    return orderOf({ ...wish, countsOrder: position !== undefined }, { side: payload, field: 'action' })
  }
  const opened = action === 'enter_long' ? 'long' : 'short'
  if (position === undefined || position === opened) return openingOrder(opened, amount, price)
  payload.refuse('action', `is ${action}, but strategy_info.market_position is ${position}`)
  return undefined
}

function readAction(value: unknown): (typeof actions)[number] {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (word === 'disable' || word === 'enable') {
    throw new Wrong(
      `is ${word}, and no signal can switch a bot on or off; use exit_long or exit_short to close`,
    )
  }
  return wordIn(actions)(value)
}

/** The amount of an order; `undefined` if the bot's own counts, or all of the position. */
function readOrderAmount(order: PayloadReader, isExit: boolean): AskedAmount | undefined {
  const value = order.read('amount', readSize)
  const unit = order.read('currency_type', wordIn(currencies)) ?? 'base'
  if (value === undefined) return undefined
  if (unit === 'base' || unit === 'quote') return { value, unit, at: order, field: 'amount' }
  if (unit === 'position_percent' && isExit) {
    if (value !== 100)
      order.refuse('amount', 'must be 100 with position_percent: a signal closes all, or an amount')
    return undefined
  }
  order.refuse('currency_type', `is ${unit}: ${ofBot}`)
  return undefined
}

function readOrderType(order: PayloadReader, opens: boolean): SignalOptions['entry'] {
  const type = order.read('order_type', wordIn(['market', 'limit']))
  if (type === undefined) return undefined
  if (type === 'market') return opens ? { type: 'market' } : undefined
  if (!opens) {
    order.refuse('order_type', 'is limit, and a bot closes with market orders')
    return undefined
  }
  if (order.has('price_percent'))
    order.refuse('price_percent', 'is not followed: give price, or leave the limit to the bot')
  const price = order.read('price', priceLevel)
  return { type: 'limit', ...(price !== undefined && { price }) }
}

/** What is switched off counts as absent: the bot's own protection stays. */
function readStops(payload: PayloadReader): SignalOptions['protection'] | undefined {
  const stop_loss = enabledIn(payload, 'stop_loss', readStop)
  const take_profit = enabledIn(payload, 'take_profit', readTargets)
  if (stop_loss === undefined && take_profit === undefined) return undefined
  const read = readProtection(definedFields({ stop_loss, take_profit }), 'body.')
  payload.add(read.problems)
  return read.changes
}

function enabledIn<T>(
  payload: PayloadReader,
  name: string,
  read: (fields: PayloadReader) => T,
): T | undefined {
  const fields = payload.within(name)
  if (fields === undefined) return undefined
  const isEnabled = fields.read('enabled', readBoolean) ?? true
  return isEnabled ? read(fields) : undefined
}

function readStop(stop: PayloadReader): string | undefined {
  if (stop.read('order_type', wordIn(['market', 'limit'])) === 'limit') {
    stop.refuse('order_type', 'is limit, and the stop of a bot is a market order')
  }
  const percent = stop.read('trigger_price_percent', percentLevel)
  const price = stop.read('trigger_price', priceLevel)
  if (percent !== undefined && price !== undefined)
    stop.refuse('trigger_price', 'cannot be given together with trigger_price_percent')
  if (!stop.has('trigger_price') && !stop.has('trigger_price_percent')) {
    stop.refuse('trigger_price_percent', 'is required')
  }
  refuseTrailing(stop)
  refuseUnread(stop)
  return percent ?? price
}

function readTargets(profit: PayloadReader): { at: string; part: string }[] | undefined {
  const steps = profit.need('steps', (value) => {
    if (Array.isArray(value) && value.length >= 1 && value.length <= 8) return value as unknown[]
    throw new Wrong('must be a list of 1 to 8 steps')
  })
  refuseUnread(profit)
  return steps?.flatMap((_, index) => {
    const step = profit.item('steps', index)
    return step === undefined ? [] : readTarget(step)
  })
}

function readTarget(step: PayloadReader): { at: string; part: string }[] {
  // A target closes at its price either way.
  step.read('order_type', wordIn(['market', 'limit']))
  const at = step.has('price') ? step.read('price', priceLevel) : step.need('price_percent', percentLevel)
  const part = step.need('volume_percent', readPart)
  refuseTrailing(step)
  refuseUnread(step)
  return at === undefined || part === undefined ? [] : [{ at, part }]
}

function refuseTrailing(fields: PayloadReader): void {
  const trailing = fields.within('trailing')
  if (trailing === undefined) return
  if (trailing.read('enabled', readBoolean) ?? true) {
    fields.refuse('trailing', 'is not followed here; set it in the protection of the bot')
  }
}

/** A misspelt field of a stop must not leave a position without it. */
function refuseUnread(fields: PayloadReader): void {
  const [name] = fields.unread
  if (name !== undefined) fields.refuse(name.slice(0, 64), 'is not known here')
}

function readPart(value: unknown): string {
  const percent = readSize(value)
  if (percent > 100) throw new Wrong('must be at most 100')
  // Floating point makes more than 100 % of 14.3 % and 85.7 %.
  return priceLevel(plain(decimal(String(percent)).times(hundredth)))
}
