/**
 * The one path from a signal to orders, for paper bots, live bots and replays. Each round reads from the books which
 * orders the signal has already placed, and then takes one step. So a call after a crash is not a special case: it
 * continues where the books are.
 */

import { isDue } from '../base/due.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { afterOpening, type EntryInput, settleOpening } from './entries/resting.ts'
import {
  isVenueError,
  openingRefusalOf,
  openingSide,
  planOpeningNow,
  priceOrNull,
  type Step,
} from './opening.ts'
import { haltedBeginning, haltedReason, OrderManager, type Timeouts } from './order-manager.ts'
import { isUnsettled } from './order-status.ts'
import { askedSize, isDust, noOpeningReason, opensAfterClose, type PlannedOrder, planSignal } from './plan.ts'
import { directionRefusal } from './risk.ts'
import { sellableNow } from './sellable.ts'
import {
  endOfOpenings,
  type PendingSignal,
  type RestingSignal,
  refusedOpening,
  type SignalEnd,
  type SignalOutcome,
} from './signal-outcome.ts'
import { type BookedOrder, type OrderRequest, PlanOutdated, type TradeSignal } from './types.ts'
import {
  type CloseProgress,
  closeReason,
  isPrompt,
  longPauseMs,
  nextCloseAt,
  outsideReason,
  progressOf,
} from './wanted-close.ts'

export type { PendingSignal, RestingSignal, SignalEnd, SignalOutcome }

export type FollowSignal = EntryInput & {
  /**
   * Makes the books equal the account, after a close was refused and before a late retry: the position may have been
   * closed at the exchange. It must not reject.
   */
  reconcile?(symbol: string): Promise<void>
  /**
   * Settles the stops that rest at the exchange, right before an order of this purpose is placed. `changed`: one of them
   * has become an order of the signal. Or why the order may not be placed now. Default: there are none.
   */
  settleLegs?(
    symbol: string,
    purpose: OrderRequest['purpose'],
  ): Promise<'settled' | 'changed' | { reason: string }>
  /**
   * Lets the stop at the exchange follow what an opening has executed, while it is still open. Default: there is none.
   * Its errors end the call, like those of the books.
   */
  protectPart?(symbol: string): Promise<void>
  /** What the account has free of an asset. Default: unknown. @throws {VenueUnreachable} */
  freeOf?(asset: string): Promise<string>
  /** Ends the call early: see {@link followSignal}. */
  stop: AbortSignal
  /** The prefix of client order ids, different for each start of the service: at most 10 letters, digits and `-`. */
  orderPrefix?: string
  timeouts?: Partial<Timeouts>
}

/**
 * `hasTried`: whether this call has placed or settled an order of the signal. `hasCompared`: whether it has compared the
 * books with the account, because nothing was left to sell, or before an opening that rests.
 */
type Round = {
  input: FollowSignal
  manager: OrderManager
  rules: MarketRules
  hasTried: boolean
  hasCompared: boolean
}

/**
 * Follows one signal for one symbol until it ends, or until its close has to wait. When it resolves, all orders of the
 * signal are settled in the books. It looks up an order with an unknown outcome, with a backoff, for as long as it takes.
 *
 * For each bot and symbol, only one call may run at a time. After a crash, an abort or a pause, call it again with the
 * same signal: it continues from the books.
 * @throws the reason of `stop`, if that is aborted. Orders may be unsettled then, so follow the signal again later.
 * @throws any error of the books. Orders may be unsettled then, too.
 */
export async function followSignal(input: FollowSignal): Promise<SignalOutcome> {
  const { signal, books, stop } = input
  stop.throwIfAborted()
  const begun = await books.ordersOf(signal.botSignalId)
  const openingRefusal = (order: OrderRequest, rules: MarketRules) =>
    openingRefusalOf(input, rules, order.size)
  const manager = new OrderManager({ ...input, openingRefusal })
  const rules = await rulesOf(input, manager, begun)
  if ('status' in rules) return rules
  const round: Round = { input, manager, rules, hasTried: false, hasCompared: false }
  let note: string | null = null
  // Only this call changes them, so the first round has them already.
  let known: BookedOrder[] | null = begun
  for (;;) {
    stop.throwIfAborted()
    const orders = known ?? (await books.ordersOf(signal.botSignalId))
    known = null
    const unsettled = orders.find(({ status }) => isUnsettled(status))
    if (unsettled !== undefined) {
      const resting = await settleOpening(input, manager, rules, unsettled)
      if (resting !== null) return resting
      round.hasTried = true
      continue
    }
    const step = await nextStep(round, orders)
    if ('status' in step) return noted(step, note)
    note = step.note ?? null
    const why = await input.whyHalted(step.purpose)
    if (why !== null) return halted(round, step, orders, why)
    const newer = isEntry(step, orders) ? await input.whyCancelled?.() : null
    if (newer != null) return endOfOpenings(orders, rules, { status: 'IGNORED', reason: newer })
    if (await isCompareDue(round, step)) {
      await input.reconcile?.(rules.symbol)
      round.hasCompared = true
      continue
    }
    const legs = (await input.settleLegs?.(rules.symbol, step.purpose)) ?? 'settled'
    if (legs === 'changed') continue
    if (typeof legs !== 'string') return unsettledLegs(round, step, orders, legs.reason)
    const { order, reason } = await sellableNow(input, rules, step, orders)
    if (order === null) {
      if (round.hasCompared) return nothingToSell(round, orders, reason)
      await input.reconcile?.(rules.symbol)
      round.hasCompared = true
      continue
    }
    try {
      const refusal = await manager.place(orderOf(input, rules, order, orders), rules, step.room)
      if (refusal !== null) return refusedOpening(refusal, orders, rules)
    } catch (error) {
      if (error instanceof PlanOutdated) continue
      throw error
    }
    round.hasTried = true
  }
}

/**
 * The rules of the market. If they cannot be read, a signal without orders ends, and a close that is wanted waits. Any
 * other signal with orders keeps trying, because its orders must be settled, or tell how it ends.
 */
async function rulesOf(
  input: FollowSignal,
  manager: OrderManager,
  begun: BookedOrder[],
): Promise<MarketRules | SignalOutcome> {
  const { signal, venue, clock } = input
  const deadline = clock.now() + manager.timeouts.marketMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await venue.rules(signal.symbol)
    } catch (error) {
      if (!isVenueError(error)) throw error
      const isOver = error instanceof NoSuchMarket || clock.now() >= deadline
      if (isOver && (await isCloseWanted(input, begun, error))) {
        const why = begun.length > 0 ? await input.whyHalted('close') : null
        if (why !== null) return { status: 'WAITING', reason: why }
        return closingLater(input, manager, begun, error)
      }
      if (isOver && begun.length === 0) {
        return { status: error instanceof NoSuchMarket ? 'REFUSED' : 'FAILED', reason: error.message }
      }
    }
    await manager.pause(attempt)
  }
}

/** A bot can also hold a position in a market that the exchange no longer lists. Then it has the name in the books. */
async function isCloseWanted(
  { signal, books }: FollowSignal,
  begun: BookedOrder[],
  error: Error,
): Promise<boolean> {
  if (begun.some(({ status, purpose }) => isUnsettled(status) || purpose === 'open')) return false
  if (begun.length === 0 && signal.action !== 'EXIT') return false
  if (begun.length === 0 && error instanceof VenueUnreachable) return true
  return (await books.position(begun[0]?.symbol ?? signal.symbol)).side !== null
}

function closingLater(
  { clock }: FollowSignal,
  { timeouts: { closePausesMs } }: OrderManager,
  closes: BookedOrder[],
  error: Error,
): PendingSignal {
  const pauseMs = error instanceof NoSuchMarket ? closePausesMs.at(-1) : closePausesMs[0]
  const nextAt = clock.now() + (pauseMs ?? 0)
  const { message: reason } = error
  return { status: 'CLOSING', reason, attempts: closes.length + 1, refusals: refusalsOf(closes), nextAt }
}

/** The books hold coins that the account lacks. The owner can move them back, or adopt the number of the account. */
function nothingToSell(
  { input: { clock }, manager }: Round,
  closes: BookedOrder[],
  reason: string | null,
): PendingSignal {
  const nextAt = clock.now() + (manager.timeouts.closePausesMs.at(-1) ?? 0)
  const refusals = refusalsOf(closes)
  return { status: 'CLOSING', reason: reason ?? '', attempts: closes.length + 1, refusals, nextAt }
}

/**
 * The exchange has not said what became of a stop. An opening is refused. A close that would sell the coins of the stop
 * waits: if both were executed, they would sell more than the bot holds.
 */
function unsettledLegs(
  { input: { clock }, manager, rules }: Round,
  { purpose }: PlannedOrder,
  orders: BookedOrder[],
  reason: string,
): SignalOutcome {
  if (purpose === 'open') return refusedOpening(reason, orders, rules)
  const nextAt = clock.now() + (manager.timeouts.closePausesMs[0] ?? 0)
  return { status: 'CLOSING', reason, attempts: orders.length + 1, refusals: refusalsOf(orders), nextAt }
}

/** The next step when all orders so far are settled: another order, or the end. */
async function nextStep(round: Round, orders: BookedOrder[]): Promise<Step | SignalOutcome> {
  const { input, rules } = round
  if (orders.some(({ purpose }) => purpose === 'open'))
    return afterOpening(input, round.manager, rules, orders)
  if (orders.length > 0) return afterClose(round, orders)
  const { signal, settings, books } = input
  const position = await books.position(rules.symbol)
  const price = await priceOrNull(input, rules.symbol)
  const plan = planSignal({ signal, position, rules, price, settings })
  if (plan.status !== 'STEPS') return plan
  return plan.close ?? open(round, orders)
}

async function afterClose(round: Round, closes: BookedOrder[]): Promise<Step | SignalOutcome> {
  const { input, rules } = round
  let progress = await progressNow(round, closes)
  if (progress.rest !== null && !isPrompt(closes)) {
    const { plannedAt = 0 } = closes.at(-1)!
    const { closePausesMs } = round.manager.timeouts
    const nextAt = nextCloseAt(closes, closePausesMs)
    const now = input.clock.now()
    const triesNow = !round.hasTried && isDue(nextAt, now, closePausesMs)
    if (round.hasTried || (triesNow && Math.abs(now - plannedAt) >= longPauseMs)) {
      await input.reconcile?.(rules.symbol)
      progress = await progressNow(round, closes)
    }
    if (progress.rest !== null && !triesNow)
      return pendingClose(round, progress, closes, Math.max(now, nextAt))
  }
  return progress.rest ?? afterLastClose(round, progress, closes)
}

/** The position may have changed at the exchange, so each look at it is a new one. */
async function progressNow({ input, rules }: Round, closes: BookedOrder[]): Promise<CloseProgress> {
  const position = await input.books.position(rules.symbol)
  return progressOf({
    ...{ closes, position, rules, price: await priceOrNull(input, rules.symbol) },
    asked: askedSize(input.signal, input.settings, rules),
  })
}

async function pendingClose(
  { input, rules }: Round,
  progress: CloseProgress,
  closes: BookedOrder[],
  nextAt: number,
): Promise<PendingSignal> {
  const why = await input.whyHalted('close')
  if (why !== null) return { status: 'WAITING', reason: why }
  const reason = closeReason(progress, rules, closes.at(-1)!.reason)
  return { status: 'CLOSING', reason, attempts: closes.length, refusals: refusalsOf(closes), nextAt }
}

/** Nothing is left that an order could close. */
async function afterLastClose(
  round: Round,
  progress: CloseProgress,
  closes: BookedOrder[],
): Promise<Step | SignalOutcome> {
  const { input, rules } = round
  const { signal } = input
  const { isFlat, filled } = progress
  if (!isFlat && filled === '0') {
    return { status: 'FAILED', reason: closeReason(progress, rules, closes.at(-1)!.reason) }
  }
  if (!opensAfterClose(signal, rules)) {
    const outside = isFlat ? outsideReason(progress, rules) : null
    return { status: 'DONE', reason: outside ?? noOpeningReason(signal, rules) }
  }
  const position = await input.books.position(rules.symbol)
  if (position.side !== null && position.side !== sideOf(signal) && !isDust(position, rules, null)) {
    return { status: 'FAILED', reason: `The position in ${rules.symbol} is still open after its close.` }
  }
  return open(round, closes)
}

/** Whether the step is an opening that rests, or one that follows it. */
function isEntry({ purpose, limit }: Step, orders: readonly BookedOrder[]): boolean {
  return purpose === 'open' && (limit !== undefined || orders.some((order) => order.purpose === 'open'))
}

/**
 * While an opening rests, nobody compares the books with the account. In an account that was never compared, the stop of
 * its first part would wait for its end.
 */
async function isCompareDue({ input, rules, hasCompared }: Round, { limit }: Step): Promise<boolean> {
  if (limit === undefined || hasCompared || input.venue.kind !== 'live') return false
  return (await input.books.isCompared?.(rules.symbol)) === false
}

/** Plans the opening now, which in a flip is after the close. */
async function open({ input, manager, rules }: Round, closes: BookedOrder[]): Promise<Step | SignalOutcome> {
  const opening = await planOpeningNow(input, manager, rules)
  return 'status' in opening ? endOfOpenings(closes, rules, opening) : opening
}

/** Names the rate at which an amount was converted. After a crash in between, only the order's own price is known. */
function noted(outcome: SignalOutcome, note: string | null): SignalOutcome {
  if (note === null || outcome.status !== 'DONE') return outcome
  return { ...outcome, reason: outcome.reason === null ? note : `${note} ${outcome.reason}` }
}

/**
 * A close waits. An opening would have another price later, and so would a flip that has not begun, unless the bot would
 * only close with it anyway.
 */
function halted(
  { input, rules }: Round,
  { purpose }: PlannedOrder,
  orders: BookedOrder[],
  why: string,
): SignalOutcome {
  const { signal, settings } = input
  const mayOpen =
    opensAfterClose(signal, rules) && directionRefusal(settings, openingSide(signal), rules) === null
  const isOnlyClose = orders.length > 0 || !mayOpen
  if (purpose === 'close' && isOnlyClose) return { status: 'WAITING', reason: why }
  return refusedOpening(haltedReason(why), orders, rules)
}

function refusalsOf(closes: BookedOrder[]): number {
  const isHalt = (reason: string | null) => reason?.startsWith(haltedBeginning) ?? false
  return closes.filter(({ status, reason }) => status === 'REJECTED' && !isHalt(reason)).length
}

/**
 * The order with its client order id. The step depends only on the orders in the books. The prefix is another one after
 * each start, so an order in the books is always looked up under the id that it has there.
 */
function orderOf(
  { signal, clock, orderPrefix = 'tw' }: FollowSignal,
  rules: MarketRules,
  { note: _, room: __, ...order }: Step,
  orders: BookedOrder[],
): OrderRequest {
  const earlier = orders.filter(({ purpose }) => purpose === order.purpose).length
  const step = `${order.purpose === 'open' ? 'o' : 'c'}${earlier === 0 ? '' : earlier + 1}`
  const clientOrderId = `${orderPrefix}-${signal.botSignalId}-${step}`
  return { ...order, symbol: rules.symbol, clientOrderId, plannedAt: clock.now() }
}

function sideOf({ action }: TradeSignal): 'long' | 'short' | null {
  if (action === 'EXIT') return null
  return action === 'LONG' ? 'long' : 'short'
}
