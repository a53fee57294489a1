/**
 * The one path from a signal to orders, for paper bots, live bots and replays. Each round reads from the books which
 * orders the signal has already placed, and then takes one step. So a call after a crash is not a special case: it
 * continues where the books are.
 */

import { decimal, plain, zero } from '../base/decimals.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { type AmountRate, conversionOf } from './amounts.ts'
import { haltedReason, OrderManager, type Timeouts } from './order-manager.ts'
import { isUnsettled } from './order-status.ts'
import {
  isDust,
  noOpeningReason,
  opensAfterClose,
  type PlannedOrder,
  planClose,
  planOpening,
  planSignal,
  rateText,
} from './plan.ts'
import { dayOf, lossReachedAtOpening, openLosses, type RiskInput, riskRefusal } from './risk.ts'
import type { BookedOrder, Books, BotSettings, Clock, OrderRequest, TradeSignal, Venue } from './types.ts'

export type FollowSignal = {
  signal: TradeSignal
  settings: BotSettings
  venue: Venue
  books: Books
  clock: Clock
  /** The kill switch. While it is on, no new order is placed, but orders that were placed are still settled. */
  isHalted(): boolean | Promise<boolean>
  /** Ends the call early: see {@link followSignal}. */
  stop: AbortSignal
  /** The prefix of client order ids, different for each installation: at most 10 letters, digits and `-`. */
  orderPrefix?: string
  timeouts?: Partial<Timeouts>
}

/**
 * `DONE`: the orders of the signal were executed; if one was only partly executed, `reason` says so. `IGNORED`: there
 * was nothing to do. `REFUSED`: a rule or a limit of the service prevented it, or, in a flip, only the opening after the
 * close. `FAILED`: the exchange did not execute it, or only a part of it, or there was no price.
 */
export type SignalOutcome = { status: 'DONE' | 'IGNORED' | 'REFUSED' | 'FAILED'; reason: string | null }

/** If the exchange ends a close before all of it is executed, the bot closes the rest, with this many orders in all. */
const mostCloses = 3

/**
 * Follows one signal for one symbol to its end: it resolves when all orders of the signal are settled in the books. It
 * looks up an order with an unknown outcome, with a backoff, for as long as it takes.
 *
 * For each bot and symbol, only one call may run at a time. After a crash or an abort, call it again with the same
 * signal: it continues from the books.
 * @throws the reason of `stop`, if that is aborted. Orders may be unsettled then, so follow the signal again later.
 * @throws any error of the books. Orders may be unsettled then, too.
 */
export async function followSignal(input: FollowSignal): Promise<SignalOutcome> {
  const { signal, books, stop } = input
  stop.throwIfAborted()
  const hasBegun = (await books.ordersOf(signal.botSignalId)).length > 0
  const openingRefusal = (order: OrderRequest, rules: MarketRules) =>
    openingRefusalOf(input, rules, order.size)
  const manager = new OrderManager({ ...input, openingRefusal })
  const rules = await rulesOf(input, manager, hasBegun)
  if ('status' in rules) return rules
  let note: string | null = null
  for (;;) {
    stop.throwIfAborted()
    const orders = await books.ordersOf(signal.botSignalId)
    const unsettled = orders.find(({ status }) => isUnsettled(status))
    if (unsettled !== undefined) {
      await manager.settle(unsettled, rules)
      continue
    }
    const step = await nextStep(input, manager, rules, orders)
    if ('status' in step) return noted(step, note)
    note = step.note ?? null
    if (await input.isHalted()) return halted(orders)
    await manager.place(orderOf(input, rules, step, orders), rules)
  }
}

/**
 * The rules of the market. If they cannot be read, a signal without orders ends; a signal with orders keeps trying,
 * because its orders must be settled.
 */
async function rulesOf(
  { signal, venue, clock, timeouts }: FollowSignal,
  manager: OrderManager,
  hasBegun: boolean,
): Promise<MarketRules | SignalOutcome> {
  const deadline = clock.now() + (timeouts?.marketMs ?? manager.timeouts.marketMs)
  for (let attempt = 0; ; attempt++) {
    try {
      return await venue.rules(signal.symbol)
    } catch (error) {
      if (!isVenueError(error)) throw error
      if (!hasBegun && error instanceof NoSuchMarket) return { status: 'REFUSED', reason: error.message }
      if (!hasBegun && clock.now() >= deadline) return { status: 'FAILED', reason: error.message }
    }
    await manager.pause(attempt)
  }
}

/** An order, and what the reason of the signal says about it. */
type Step = PlannedOrder & { note?: string }

/** The next step when all orders so far are settled: another order, or the end. */
async function nextStep(
  input: FollowSignal,
  manager: OrderManager,
  rules: MarketRules,
  orders: BookedOrder[],
): Promise<Step | SignalOutcome> {
  const opening = orders.find(({ purpose }) => purpose === 'open')
  if (opening !== undefined) return endOfOpening(opening, rules, orders)
  if (orders.length > 0) return afterClose(input, manager, rules, orders)
  const { signal, settings, books } = input
  const position = await books.position(rules.symbol)
  const price = await priceOrNull(input, rules.symbol)
  const plan = planSignal({ signal, position, rules, price, settings })
  if (plan.status !== 'STEPS') return plan
  return plan.close ?? open(input, manager, rules, orders)
}

async function afterClose(
  input: FollowSignal,
  manager: OrderManager,
  rules: MarketRules,
  closes: BookedOrder[],
): Promise<Step | SignalOutcome> {
  const wanted = decimal(closes[0]!.size)
  const filled = closes.reduce((sum, { filledSize }) => sum.plus(decimal(filledSize)), zero)
  const rest = wanted.minus(filled)
  const position = await input.books.position(rules.symbol)
  const another = rest.gt('0')
    ? planClose(position, rules, await priceOrNull(input, rules.symbol), rest)
    : null
  if (another !== null || filled.eq('0')) {
    const last = closes.at(-1)!
    const mayContinue = closes.length < mostCloses && decimal(last.filledSize).gt('0')
    if (another !== null && mayContinue) return another
    const what = `Only ${plain(filled)} of ${plain(wanted)} ${rules.base} was closed`
    return { status: 'FAILED', reason: `${what}. ${last.reason ?? 'The exchange ended the order.'}` }
  }
  if (!opensAfterClose(input.signal, rules)) {
    return { status: 'DONE', reason: noOpeningReason(input.signal, rules) }
  }
  if (position.side !== null && position.side !== sideOf(input.signal) && !isDust(position, rules, null)) {
    return { status: 'FAILED', reason: `The position in ${rules.symbol} is still open after its close.` }
  }
  return open(input, manager, rules, closes)
}

/** Plans the opening with the current price and checks the limits now, which in a flip is after the close. */
async function open(
  input: FollowSignal,
  manager: OrderManager,
  rules: MarketRules,
  closes: BookedOrder[],
): Promise<Step | SignalOutcome> {
  const { signal, settings } = input
  const rate = await awaitRate(input, manager, rules)
  if (rate !== null && 'reason' in rate) return refusedOpening(rate.status, rate.reason, closes)
  const price = await awaitPrice(input, manager, rules.symbol)
  if (typeof price !== 'string') return refusedOpening('FAILED', price.reason, closes)
  const opening = planOpening({ signal, rules, price, settings, rate })
  if (opening.status === 'REFUSED') return refusedOpening('REFUSED', opening.reason, closes)
  const refusal = await limitRefusal(input, rules, { size: opening.order.size, price, rate })
  if (refusal !== null) return refusedOpening('REFUSED', refusal, closes)
  if (rate === null) return opening.order
  return { ...opening.order, note: `The amount was converted at ${rateText(rate)}.` }
}

async function limitRefusal(
  input: FollowSignal,
  rules: MarketRules,
  opening: Pick<RiskInput, 'size' | 'price' | 'rate'>,
): Promise<string | null> {
  const { signal, settings, books, clock } = input
  const now = clock.now()
  const risk: RiskInput = {
    ...opening,
    settings,
    rules,
    side: signal.action === 'LONG' ? 'buy' : 'sell',
    now,
    signalAt: signal.at,
    booksQuote: await books.quote(),
    position: await books.position(rules.symbol),
    day: settings.maxDailyLoss === null ? null : await dayOfBot(input, dayOf(now)),
  }
  const reached = lossReachedAtOpening(risk)
  if (reached !== null) await books.reachLimit(reached)
  return riskRefusal(risk)
}

/** What the bot has lost today, at current prices. */
async function dayOfBot(input: FollowSignal, since: number): Promise<RiskInput['day']> {
  const { books } = input
  const held = await books.held()
  const prices = await Promise.all(held.map(({ symbol }) => priceOrNull(input, symbol)))
  return {
    realised: await books.realisedSince(since),
    ...openLosses(held.map((each, index) => ({ ...each, price: prices[index]! }))),
    limitReachedAt: await books.limitReachedAt(),
  }
}

async function openingRefusalOf(
  input: FollowSignal,
  rules: MarketRules,
  size: string,
): Promise<string | null> {
  const price = await priceOrNull(input, rules.symbol)
  if (price === null) return `There is no current price of ${rules.symbol}.`
  const conversion = conversionOf(input.settings, rules)
  if (conversion === null) return limitRefusal(input, rules, { size, price, rate: null })
  if ('reason' in conversion) return conversion.reason
  const ratePrice = await priceOrNull(input, conversion.market)
  if (ratePrice === null) return `There is no current price of ${conversion.market}.`
  return limitRefusal(input, rules, { size, price, rate: { ...conversion, price: ratePrice } })
}

function endOfOpening(
  { status, size, filledSize, reason }: BookedOrder,
  { base }: MarketRules,
  orders: BookedOrder[],
): SignalOutcome {
  if (status === 'FILLED') return { status: 'DONE', reason }
  if (decimal(filledSize).gt('0')) {
    const why = reason === null ? '' : ` ${reason}`
    return { status: 'DONE', reason: `Only ${filledSize} of ${size} ${base} was executed.${why}` }
  }
  return refusedOpening('FAILED', reason ?? 'The exchange did not execute the order.', orders)
}

function refusedOpening(status: 'REFUSED' | 'FAILED', reason: string, orders: BookedOrder[]): SignalOutcome {
  const hasClosed = orders.some(({ purpose }) => purpose === 'close')
  return {
    status,
    reason: hasClosed ? `The position was closed, but no new one was opened. ${reason}` : reason,
  }
}

/** Names the rate at which an amount was converted. After a crash in between, only the order's own price is known. */
function noted(outcome: SignalOutcome, note: string | null): SignalOutcome {
  if (note === null || outcome.status !== 'DONE') return outcome
  return { ...outcome, reason: outcome.reason === null ? note : `${note} ${outcome.reason}` }
}

function halted(orders: BookedOrder[]): SignalOutcome {
  return refusedOpening('REFUSED', haltedReason, orders)
}

/** Asks once. Closing continues without a price. */
async function priceOrNull({ venue }: FollowSignal, symbol: string): Promise<string | null> {
  try {
    return await venue.price(symbol)
  } catch (error) {
    if (!isVenueError(error)) throw error
    return null
  }
}

/** The rate that converts the amounts of the bot; `null` if they are in the quote currency of the market. */
async function awaitRate(
  input: FollowSignal,
  manager: OrderManager,
  rules: MarketRules,
): Promise<AmountRate | null | { status: 'REFUSED' | 'FAILED'; reason: string }> {
  const conversion = conversionOf(input.settings, rules)
  if (conversion === null) return null
  if ('reason' in conversion) return { status: 'REFUSED', reason: conversion.reason }
  const price = await awaitPrice(input, manager, conversion.market)
  return typeof price === 'string' ? { ...conversion, price } : { status: 'FAILED', reason: price.reason }
}

/** Asks until there is a price or the time is over. */
async function awaitPrice(
  { venue, clock }: FollowSignal,
  manager: OrderManager,
  symbol: string,
): Promise<string | { reason: string }> {
  const deadline = clock.now() + manager.timeouts.priceMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await venue.price(symbol)
    } catch (error) {
      if (!isVenueError(error)) throw error
      if (error instanceof NoSuchMarket || clock.now() >= deadline) return { reason: error.message }
    }
    await manager.pause(attempt)
  }
}

/**
 * The order with its client order id. The id depends only on the signal and on the orders in the books, so it is the same
 * after a restart.
 */
function orderOf(
  { signal, orderPrefix = 'tw' }: FollowSignal,
  rules: MarketRules,
  { note: _, ...order }: Step,
  orders: BookedOrder[],
): OrderRequest {
  const closes = orders.filter(({ purpose }) => purpose === 'close').length
  const step = order.purpose === 'open' ? 'o' : closes === 0 ? 'c' : `c${closes + 1}`
  return { ...order, symbol: rules.symbol, clientOrderId: `${orderPrefix}-${signal.botSignalId}-${step}` }
}

function sideOf({ action }: TradeSignal): 'long' | 'short' | null {
  if (action === 'EXIT') return null
  return action === 'LONG' ? 'long' : 'short'
}

function isVenueError(error: unknown): error is NoSuchMarket | VenueUnreachable {
  return error instanceof NoSuchMarket || error instanceof VenueUnreachable
}
