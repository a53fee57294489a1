/**
 * Decides which orders a signal needs, given the position. These are pure functions: live trading, paper trading and
 * replays get the same decisions.
 */
import { mostOrderSize, orderSizeProblem } from '@tickwright/sandbox'
import { type Decimal, decimal, floorToStep, least, plain } from '../base/decimals.ts'
import { readablePrice } from '../base/readable.ts'
import type { MarketRules } from '../market/rules.ts'
import {
  type AmountRate,
  type OpeningAmount,
  type OpeningSettings,
  openingAmount,
  toQuote,
} from './amounts.ts'
import { type EquityPart, type EquityPartInput, equityPart, type Funds } from './equity-size.ts'
import type { StopOf } from './stop-loss.ts'
import type { AmountUnit, BotSettings, OrderRequest, Position, TradeSignal } from './types.ts'

export type PlanInput = {
  signal: TradeSignal
  position: Position
  rules: MarketRules
  /** The current price in quote currency, or `null`. Without a price, the bot opens nothing, but it still closes. */
  price: string | null
  settings: OpeningSettings & Pick<BotSettings, 'strictAmount'>
}

/** `rate` converts the amounts of the bot to quote currency; `null` if they are in it. */
export type OpeningInput = Omit<PlanInput, 'position' | 'settings'> & {
  rate: AmountRate | null
  settings: PlanInput['settings'] & EquityPartInput['settings']
  /** Only for a bot whose amount is a part of its equity. */
  funds: Funds | null
  /** Only for a bot whose amount is what it may lose. */
  stop: StopOf
}

export type PlannedOrder = Pick<OrderRequest, 'side' | 'purpose' | 'reduceOnly' | 'size'>

/** `opens`: whether an opening follows, after the close if there is one. {@link planOpening} plans it. */
export type Plan =
  | { status: 'IGNORED' | 'REFUSED'; reason: string }
  | { status: 'STEPS'; close: PlannedOrder | null; opens: boolean }

/**
 * `unit`: whether the size follows from an amount in quote currency, and so from the price. `note`: why the size is less
 * than the bot is set to; `null` if it is not.
 */
export type Opening =
  | { status: 'REFUSED'; reason: string }
  | { status: 'OPEN'; order: PlannedOrder; unit: OpeningAmount['unit']; note: string | null }

export function planSignal(input: PlanInput): Plan {
  const { signal, position, rules, price, settings } = input
  const problem = sizeProblem(signal, settings)
  if (problem !== null) return refused(problem)
  // Dust counts as flat: no order can close it.
  const held = isDust(position, rules, price) ? null : position.side
  const wanted = wantedSide(signal)
  if (wanted === null) return held === null ? nothingToClose(position, rules) : exit(input, held)
  if (held === null) return opening(wanted, rules)
  if (held !== wanted) return closing(input, opensAfterClose(signal, rules))
  if (signal.options.dilution === true) return opening(wanted, rules)
  return ignored(
    `The position in ${rules.symbol} is already ${held}; only a signal with "dilution" adds to it.`,
  )
}

/** Whether an opening follows the close of this signal. On spot, a bot cannot sell more than it holds. */
export function opensAfterClose({ action }: TradeSignal, { service }: MarketRules): boolean {
  return action === 'LONG' || (action === 'SHORT' && service === 'futures')
}

/** Why a SHORT only closed the position; `null` for a signal that did all it asked for. */
export function noOpeningReason(signal: TradeSignal, rules: MarketRules): string | null {
  if (signal.action !== 'SHORT' || opensAfterClose(signal, rules)) return null
  return `The long position was closed. ${noShort(rules)}`
}

/**
 * The order that opens a position or adds to it. An amount in base currency is the size, and one in quote currency, or a
 * part of the equity, is divided by the price, or by what each unit loses at the stop. All are rounded down to the size
 * step, so the order is never for more than the amount.
 */
export function planOpening({ signal, rules, price, settings, rate, funds, stop }: OpeningInput): Opening {
  if (price === null)
    return refused(`There is no current price of ${rules.symbol}, so the bot opens nothing.`)
  const asked = openingAmount(effectiveSize(signal, settings), settings, rules, signal.options.sizeUnit)
  if ('reason' in asked) return refused(asked.reason)
  const { amount, unit, isOfMarket = false } = asked
  const at = decimal(price, 'price')
  if (!at.gt('0')) return refused(`The price of ${rules.symbol} is ${price}, so the bot opens nothing.`)
  if (rate !== null && !decimal(rate.price, 'price').gt('0')) {
    return refused(`The price of ${rate.market} is ${rate.price}, so the bot opens nothing.`)
  }
  const side = signal.action === 'LONG' ? 'buy' : 'sell'
  const part =
    unit === 'quote' || unit === 'base'
      ? ordinaryPart(amount, unit, isOfMarket ? rules.quote : settings.amountCurrency, rules)
      : equityPart({ percent: amount, unit, funds, settings, rules, side, rate, price, stop })
  if ('reason' in part) return refused(part.reason)
  const converts = unit === 'quote' && !isOfMarket
  const quoted = converts ? toQuote(amount, rate) : part.amount
  const size = floorToStep(unit === 'base' ? amount : quoted.div(at), decimal(rules.sizeStep))
  const conversion = rate === null || !converts ? '' : ` and ${rateText(rate)}`
  const prices = `At a price of ${readablePrice(at)}${conversion}, ${part.what}`
  if (size.gt(largestSize))
    return refused(`${prices} is more than ${mostOrderSize} ${rules.base}, the maximum size of an order.`)
  const tooSmall = belowMinimum(size, rules, price)
  if (tooSmall !== null) {
    const rounded = unit === 'base' && size.eq(amount) ? 'is too small' : `is ${plain(size)} ${rules.base}`
    return refused(`${prices} ${rounded}; ${tooSmall}.`)
  }
  const order: PlannedOrder = { side, purpose: 'open', reduceOnly: false, size: plain(size) }
  return { status: 'OPEN', order, unit, note: part.note }
}

function ordinaryPart(
  amount: Decimal,
  unit: AmountUnit,
  currency: string,
  { base }: MarketRules,
): EquityPart {
  return { amount, what: `${plain(amount)} ${unit === 'base' ? base : currency}`, note: null }
}

/** Names the rate in a reason: `a rate of 64000 (BTC/USDT)`. */
export function rateText({ market, price }: AmountRate): string {
  return `a rate of ${readablePrice(decimal(price, 'price'))} (${market})`
}

/** The order that closes `size` of a position, or all of it; `null` if that is too small for an order. */
export function planClose(
  position: Position,
  rules: MarketRules,
  price: string | null,
  size: Decimal = decimal(position.size, 'size'),
): PlannedOrder | null {
  const closed = floorToStep(least(size, decimal(position.size, 'size')), decimal(rules.sizeStep))
  if (position.side === null || belowCloseMinimum(closed, rules, price) !== null) return null
  const side = position.side === 'long' ? 'sell' : 'buy'
  return { side, purpose: 'close', reduceOnly: true, size: plain(closed) }
}

/**
 * Whether a position is dust: it is below the size step or the exchange's minimum, so no order can close it. Dust stays
 * in the books at its cost and counts in the equity. For a signal, it counts as flat.
 */
export function isDust(position: Position, rules: MarketRules, price: string | null): boolean {
  return position.side !== null && planClose(position, rules, price) === null
}

function wantedSide({ action }: TradeSignal): 'long' | 'short' | null {
  if (action === 'EXIT') return null
  return action === 'LONG' ? 'long' : 'short'
}

function opening(wanted: 'long' | 'short', rules: MarketRules): Plan {
  if (wanted === 'short' && rules.service === 'spot') return refused(noShort(rules))
  return { status: 'STEPS', close: null, opens: true }
}

/** A signal that ends a long must not end the short that a bot holds instead. */
function exit(input: PlanInput, held: 'long' | 'short'): Plan {
  const { closes } = input.signal.options
  if (closes === undefined || closes === held) return closing(input, false)
  return ignored(`The signal closes a ${closes}, and the position in ${input.rules.symbol} is ${held}.`)
}

/** A flip closes the whole position. A signal that only closes can close a part: its `size` is in base currency. */
function closing({ signal, position, rules, price, settings }: PlanInput, opens: boolean): Plan {
  const part = opens ? null : effectiveSize(signal, settings)
  const close = planClose(position, rules, price, part ?? undefined)
  if (close !== null) return { status: 'STEPS', close, opens }
  const size = floorToStep(part!, decimal(rules.sizeStep))
  const reason = belowCloseMinimum(size, rules, price)
  return refused(`The bot cannot close only ${plain(part!)} ${rules.base}; ${reason}.`)
}

function nothingToClose(position: Position, rules: MarketRules): Plan {
  if (position.side === null) return ignored(`There is no position in ${rules.symbol} to close.`)
  const dust = `${position.size} ${rules.base}`
  return ignored(`The remainder in ${rules.symbol}, ${dust}, is too small for an order and stays open.`)
}

const largestSize = decimal(String(mostOrderSize))

/**
 * The service checks sizes when it accepts a signal. But an older version may have stored a signal without this check,
 * and such a signal must not block its bot.
 */
function sizeProblem(signal: TradeSignal, settings: PlanInput['settings']): string | null {
  const { size } = signal.options
  if (size === undefined || ignoresSize(signal, settings)) return null
  const problem = orderSizeProblem(size)
  return problem === null ? null : `The size of the signal ${problem}.`
}

/** Whether the bot uses its own `amount` even if the signal has a size. */
function ignoresSize({ options }: TradeSignal, { strictAmount }: PlanInput['settings']): boolean {
  return strictAmount && options.forceSize !== true
}

/** The size of a signal; `null` if it has none or the bot ignores it. */
function effectiveSize(signal: TradeSignal, settings: PlanInput['settings']): Decimal | null {
  const { size } = signal.options
  if (size === undefined || ignoresSize(signal, settings)) return null
  return decimal(String(size), 'size')
}

function belowMinimum(size: Decimal, rules: MarketRules, price: string | null): string | null {
  const minSize = decimal(rules.minSize, 'minimum size')
  if (size.lt(minSize) || size.eq('0')) {
    const minimum = minSize.gt('0') ? minSize : decimal(rules.sizeStep)
    return `the minimum order size is ${plain(minimum)} ${rules.base}`
  }
  if (price === null || size.times(price).gte(rules.minNotional)) return null
  return `the minimum notional is ${rules.minNotional} ${rules.quote}`
}

/** Reduce-only orders have no minimum notional. They exist on futures only. */
function belowCloseMinimum(size: Decimal, rules: MarketRules, price: string | null): string | null {
  return belowMinimum(size, rules, rules.service === 'futures' ? null : price)
}

/** The size that the close of a signal asks for; `null`: the whole position. */
export function askedSize(
  signal: TradeSignal,
  settings: PlanInput['settings'],
  rules: MarketRules,
): Decimal | null {
  return opensAfterClose(signal, rules) ? null : effectiveSize(signal, settings)
}

function noShort(rules: MarketRules): string {
  return `On spot, a bot cannot sell short, so it opened no short position in ${rules.symbol}.`
}

function ignored(reason: string): Plan {
  return { status: 'IGNORED', reason }
}

function refused(reason: string): { status: 'REFUSED'; reason: string } {
  return { status: 'REFUSED', reason }
}
