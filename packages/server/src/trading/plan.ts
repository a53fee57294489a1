/** What a signal asks for, given what is held: pure decisions, so that a test and a backtest see the very same ones. */
import { mostOrderSize, orderSizeProblem } from '@tickwright/sandbox'
import { type Decimal, decimal, floorToStep, least, plain } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import type { BotSettings, OrderRequest, Position, TradeSignal } from './types.ts'

export type PlanInput = {
  signal: TradeSignal
  position: Position
  rules: MarketRules
  /** In quote currency; `null` where none is known: then nothing is opened, but closing goes on. */
  price: string | null
  settings: Pick<BotSettings, 'amount' | 'strictAmount'>
}

export type PlannedOrder = Pick<OrderRequest, 'side' | 'purpose' | 'reduceOnly' | 'size'>

/** `opens`: whether something is opened, after the close where there is one, by {@link planOpening}. */
export type Plan =
  | { status: 'IGNORED' | 'REFUSED'; reason: string }
  | { status: 'STEPS'; close: PlannedOrder | null; opens: boolean }

export type Opening = { status: 'REFUSED'; reason: string } | { status: 'OPEN'; order: PlannedOrder }

export function planSignal(input: PlanInput): Plan {
  const { signal, position, rules, price, settings } = input
  const problem = sizeProblem(signal, settings)
  if (problem !== null) return refused(problem)
  const held = isDust(position, rules, price) ? null : position.side
  const wanted = wantedSide(signal)
  if (wanted === null) return held === null ? nothingToClose(position, rules) : closing(input, false)
  if (held === null) return opening(wanted, rules)
  if (held !== wanted) return closing(input, opensAfterClose(signal, rules))
  if (signal.options.dilution === true) return opening(wanted, rules)
  return ignored(`The position in ${rules.symbol} is ${held} already; with "dilution" the signal adds to it.`)
}

/** Whether a close of this signal is followed by an opening: on spot, nothing can be sold that is not held. */
export function opensAfterClose({ action }: TradeSignal, { service }: MarketRules): boolean {
  return action === 'LONG' || (action === 'SHORT' && service === 'futures')
}

/** Why a signal that closed opens nothing; `null` where it was not to. */
export function whyNoOpening(signal: TradeSignal, rules: MarketRules): string | null {
  if (signal.action !== 'SHORT' || opensAfterClose(signal, rules)) return null
  return `The long position was closed; ${noShort(rules)}`
}

/** The order that opens, for a position that is flat or is added to. The size is rounded down to the size step. */
export function planOpening({ signal, rules, price, settings }: Omit<PlanInput, 'position'>): Opening {
  if (price === null) return refused(`There is no price of ${rules.symbol} to open at.`)
  const amount = countedSize(signal, settings) ?? decimal(settings.amount, 'amount')
  const at = decimal(price, 'price')
  if (!at.gt('0')) return refused(`There is no price of ${rules.symbol} to open at, but ${price}.`)
  const size = floorToStep(amount.div(at), decimal(rules.sizeStep))
  if (size.gt(largest)) return refused(`no order can have a size above ${mostOrderSize} ${rules.base}.`)
  const sizes = `${plain(amount)} ${rules.quote} is ${plain(size)} ${rules.base} at ${price}`
  const tooSmall = belowMinimum(size, rules, price)
  if (tooSmall !== null) return refused(`${sizes}; ${tooSmall}.`)
  const side = signal.action === 'LONG' ? 'buy' : 'sell'
  return { status: 'OPEN', order: { side, purpose: 'open', reduceOnly: false, size: plain(size) } }
}

/** The order that closes `size` of a position, or all of it; `null` when no order can be that small. */
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
 * Whether no order can close what is held: a rest below the size step or the minimum of the exchange. It stays in
 * the books at its cost, and counts as flat for what a signal asks for.
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

/** A flip closes all of it. What only closes may close a part: `size` is in base currency then. */
function closing({ signal, position, rules, price, settings }: PlanInput, opens: boolean): Plan {
  const part = opens ? null : countedSize(signal, settings)
  const close = planClose(position, rules, price, part ?? undefined)
  if (close !== null) return { status: 'STEPS', close, opens }
  const size = floorToStep(part!, decimal(rules.sizeStep))
  const reason = belowCloseMinimum(size, rules, price)
  return refused(`${plain(part!)} ${rules.base} cannot be closed alone; ${reason}.`)
}

function nothingToClose(position: Position, rules: MarketRules): Plan {
  if (position.side === null) return ignored(`There is no position in ${rules.symbol} to close.`)
  const rest = `${position.size} ${rules.base}`
  return ignored(`What is left in ${rules.symbol}, ${rest}, is below the smallest order and stays.`)
}

const largest = decimal(String(mostOrderSize))

/**
 * What comes in is held against the same bounds. A signal that was stored by an older version was not, and is no
 * reason for its bot to stand still.
 */
function sizeProblem(signal: TradeSignal, settings: PlanInput['settings']): string | null {
  const { size } = signal.options
  if (size === undefined || isOverruled(signal, settings)) return null
  const problem = orderSizeProblem(size)
  return problem === null ? null : `The size of the signal ${problem}.`
}

/** Whether this bot trades its own amount, whatever the signal says. */
function isOverruled({ options }: TradeSignal, { strictAmount }: PlanInput['settings']): boolean {
  return strictAmount && options.forceSize !== true
}

/** The size of a signal, where it counts for this bot. */
function countedSize(signal: TradeSignal, settings: PlanInput['settings']): Decimal | null {
  const { size } = signal.options
  if (size === undefined || isOverruled(signal, settings)) return null
  return decimal(String(size), 'size')
}

function belowMinimum(size: Decimal, rules: MarketRules, price: string | null): string | null {
  const minSize = decimal(rules.minSize, 'smallest size')
  if (size.lt(minSize) || size.eq('0')) {
    const smallest = minSize.gt('0') ? minSize : decimal(rules.sizeStep)
    return `the smallest order is ${plain(smallest)} ${rules.base}`
  }
  if (price === null || size.times(price).gte(rules.minNotional)) return null
  return `the smallest order is worth ${rules.minNotional} ${rules.quote}`
}

/** Exchanges ask no least worth of an order that only reduces, which is one on futures alone. */
function belowCloseMinimum(size: Decimal, rules: MarketRules, price: string | null): string | null {
  return belowMinimum(size, rules, rules.service === 'futures' ? null : price)
}

function noShort(rules: MarketRules): string {
  return `on spot nothing is sold short, so ${rules.symbol} was not opened.`
}

function ignored(reason: string): Plan {
  return { status: 'IGNORED', reason }
}

function refused(reason: string): { status: 'REFUSED'; reason: string } {
  return { status: 'REFUSED', reason: reason.charAt(0).toUpperCase() + reason.slice(1) }
}
