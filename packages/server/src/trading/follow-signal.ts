/**
 * The one path from a signal to orders, for paper, live and backtests alike. Each round reads from the books what this
 * signal has ordered so far, and takes the one next step. So a call after a crash is no special case: it goes on
 * where the books are.
 */

import { decimal, plain, zero } from '../base/decimals.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { haltedReason, OrderDesk, type Patience } from './order-desk.ts'
import { isUnsettled } from './order-status.ts'
import {
  isDust,
  opensAfterClose,
  type PlannedOrder,
  planClose,
  planOpening,
  planSignal,
  whyNoOpening,
} from './plan.ts'
import { dayOf, riskRefusal } from './risk.ts'
import type { BookedOrder, Books, BotSettings, Clock, OrderRequest, TradeSignal, Venue } from './types.ts'

export type FollowSignal = {
  signal: TradeSignal
  settings: BotSettings
  venue: Venue
  books: Books
  clock: Clock
  /** The kill switch: while it is on, nothing new is placed. What was placed is still settled. */
  isHalted(): boolean | Promise<boolean>
  /** Ends the call early; see {@link followSignal}. */
  stop: AbortSignal
  /** The beginning of client order ids, to tell installations apart: at most 10 letters, digits and `-`. */
  orderPrefix?: string
  patience?: Partial<Patience>
}

/**
 * `DONE`: what the signal asked for was ordered and executed, as far as `reason` does not say otherwise. `IGNORED`:
 * there was nothing to do. `REFUSED`: a rule or limit of ours spoke against it, perhaps only against the opening
 * after a close. `FAILED`: the exchange did not do it, or not all of it.
 */
export type SignalOutcome = { status: 'DONE' | 'IGNORED' | 'REFUSED' | 'FAILED'; reason: string | null }

/** A close that is executed in part and then ended by the exchange is ordered again, so many orders in all. */
const closesAtMost = 3

/**
 * Follows one signal for one symbol to its end: resolves when all its orders are settled and the books know. An
 * unknown outcome is asked for, with back-off, as long as it takes.
 *
 * One call at a time for a bot and symbol; the same signal again, after a crash or an abort, goes on from the books.
 * @throws the reason of `stop`, when that is aborted. Orders may be unsettled then: follow the signal again later.
 * @throws what the books throw. The same holds.
 */
export async function followSignal(input: FollowSignal): Promise<SignalOutcome> {
  const { signal, books, stop } = input
  stop.throwIfAborted()
  const hasBegun = (await books.ordersOf(signal.botSignalId)).length > 0
  const whyNotNow = (order: OrderRequest, rules: MarketRules) => whyNotOpen(input, rules, order.size)
  const desk = new OrderDesk({ ...input, whyNotNow })
  const rules = await rulesOf(input, desk, hasBegun)
  if ('status' in rules) return rules
  for (;;) {
    stop.throwIfAborted()
    const orders = await books.ordersOf(signal.botSignalId)
    const unsettled = orders.find(({ status }) => isUnsettled(status))
    if (unsettled !== undefined) {
      await desk.settle(unsettled, rules)
      continue
    }
    const step = await nextStep(input, desk, rules, orders)
    if ('status' in step) return step
    if (await input.isHalted()) return halted(orders)
    await desk.place(orderOf(input, rules, step, orders), rules)
  }
}

/** A signal that has not ordered anything is given up when its market cannot be had; one that has, is not. */
async function rulesOf(
  { signal, venue, clock, patience }: FollowSignal,
  desk: OrderDesk,
  hasBegun: boolean,
): Promise<MarketRules | SignalOutcome> {
  const deadline = clock.now() + (patience?.marketMs ?? desk.patience.marketMs)
  for (let attempt = 0; ; attempt++) {
    try {
      return await venue.rules(signal.symbol)
    } catch (error) {
      if (!isOfVenue(error)) throw error
      if (!hasBegun && error instanceof NoSuchMarket) return { status: 'REFUSED', reason: error.message }
      if (!hasBegun && clock.now() >= deadline) return { status: 'FAILED', reason: error.message }
    }
    await desk.pause(attempt)
  }
}

/** What comes next when all orders so far are settled: another one, or the end. */
async function nextStep(
  input: FollowSignal,
  desk: OrderDesk,
  rules: MarketRules,
  orders: BookedOrder[],
): Promise<PlannedOrder | SignalOutcome> {
  const opening = orders.find(({ purpose }) => purpose === 'open')
  if (opening !== undefined) return endOfOpening(opening, rules, orders)
  if (orders.length > 0) return afterClose(input, desk, rules, orders)
  const { signal, settings, books } = input
  const position = await books.position(rules.symbol)
  const price = await priceOrNull(input, rules)
  const plan = planSignal({ signal, position, rules, price, settings })
  if (plan.status !== 'STEPS') return plan
  return plan.close ?? open(input, desk, rules, orders)
}

async function afterClose(
  input: FollowSignal,
  desk: OrderDesk,
  rules: MarketRules,
  closes: BookedOrder[],
): Promise<PlannedOrder | SignalOutcome> {
  const wanted = decimal(closes[0]!.size)
  const filled = closes.reduce((sum, { filledSize }) => sum.plus(decimal(filledSize)), zero)
  const rest = wanted.minus(filled)
  const position = await input.books.position(rules.symbol)
  const another = rest.gt('0') ? planClose(position, rules, await priceOrNull(input, rules), rest) : null
  if (another !== null || filled.eq('0')) {
    const last = closes.at(-1)!
    const isWorthIt = closes.length < closesAtMost && decimal(last.filledSize).gt('0')
    if (another !== null && isWorthIt) return another
    const what = `${plain(filled)} of ${plain(wanted)} ${rules.base} was closed`
    return { status: 'FAILED', reason: `${what}. ${last.reason ?? 'The exchange ended the order.'}` }
  }
  if (!opensAfterClose(input.signal, rules)) {
    return { status: 'DONE', reason: whyNoOpening(input.signal, rules) }
  }
  if (position.side !== null && position.side !== sideOf(input.signal) && !isDust(position, rules, null)) {
    return { status: 'FAILED', reason: `The position in ${rules.symbol} is not flat after its close.` }
  }
  return open(input, desk, rules, closes)
}

/** With a price and a look at the limits as they are now, which is after the close. */
async function open(
  input: FollowSignal,
  desk: OrderDesk,
  rules: MarketRules,
  closes: BookedOrder[],
): Promise<PlannedOrder | SignalOutcome> {
  const { signal, settings } = input
  const price = await patientPrice(input, desk, rules)
  if (typeof price !== 'string') return refusedOpening('FAILED', price.reason, closes)
  const opening = planOpening({ signal, rules, price, settings })
  if (opening.status === 'REFUSED') return refusedOpening('REFUSED', opening.reason, closes)
  const refusal = await limits(input, rules, opening.order.size, price)
  return refusal === null ? opening.order : refusedOpening('REFUSED', refusal, closes)
}

async function limits(
  { signal, settings, books, clock }: FollowSignal,
  rules: MarketRules,
  size: string,
  price: string,
): Promise<string | null> {
  const now = clock.now()
  return riskRefusal({
    settings,
    rules,
    price,
    side: signal.action === 'LONG' ? 'buy' : 'sell',
    size,
    now,
    signalAt: signal.at,
    booksQuote: await books.quote(),
    position: await books.position(rules.symbol),
    realisedToday: await books.realisedSince(dayOf(now)),
  })
}

async function whyNotOpen(input: FollowSignal, rules: MarketRules, size: string): Promise<string | null> {
  const price = await priceOrNull(input, rules)
  return price === null ? `There is no price of ${rules.symbol}.` : limits(input, rules, size, price)
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
  return { status, reason: hasClosed ? `The position was closed, and none opened. ${reason}` : reason }
}

function halted(orders: BookedOrder[]): SignalOutcome {
  return refusedOpening('REFUSED', haltedReason, orders)
}

/** One look, for whether a rest is worth an order: closing goes on without. */
async function priceOrNull({ venue }: FollowSignal, rules: MarketRules): Promise<string | null> {
  try {
    return await venue.price(rules.symbol)
  } catch (error) {
    if (!isOfVenue(error)) throw error
    return null
  }
}

async function patientPrice(
  { venue, clock }: FollowSignal,
  desk: OrderDesk,
  rules: MarketRules,
): Promise<string | { reason: string }> {
  const deadline = clock.now() + desk.patience.priceMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await venue.price(rules.symbol)
    } catch (error) {
      if (!isOfVenue(error)) throw error
      if (error instanceof NoSuchMarket || clock.now() >= deadline) return { reason: error.message }
    }
    await desk.pause(attempt)
  }
}

/** The same after a restart: it depends on the signal, and on how many orders of it the books have. */
function orderOf(
  { signal, orderPrefix = 'tw' }: FollowSignal,
  rules: MarketRules,
  order: PlannedOrder,
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

function isOfVenue(error: unknown): error is NoSuchMarket | VenueUnreachable {
  return error instanceof NoSuchMarket || error instanceof VenueUnreachable
}
