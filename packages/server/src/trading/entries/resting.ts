/** An opening that rests at its limit: how long, why no longer, and what follows it. */
import type { MarketRules } from '../../market/rules.ts'
import { followUpOpening, type OpeningInput, type Step } from '../opening.ts'
import { haltedReason, type OrderManager } from '../order-manager.ts'
import { dayOf } from '../risk.ts'
import { endOfOpenings, type RestingSignal, type SignalEnd } from '../signal-outcome.ts'
import type { BookedOrder, OrderRequest } from '../types.ts'
import { afterTimeout, isTimedOut, restsUntil, timeoutReason, wouldTake } from './plan.ts'
import { entryOf } from './settings.ts'

export type EntryInput = OpeningInput & {
  /**
   * Why no new order of this purpose may be placed now, as a sentence; `null` if one may. Orders that were placed are
   * settled in any case.
   */
  whyHalted(purpose: OrderRequest['purpose']): string | null | Promise<string | null>
  /**
   * Why an opening that rests must be cancelled now, as a sentence, such as that of a newer signal; `null`: it may go on.
   * Default: it always may.
   */
  whyCancelled?(): string | null | Promise<string | null>
}

/**
 * Settles an order. An opening that rests is looked at once, and cancelled if it must not go on.
 * @returns `null` if the order is settled, or if its state has to be read again
 */
export async function settleOpening(
  input: EntryInput,
  manager: OrderManager,
  rules: MarketRules,
  order: BookedOrder,
): Promise<RestingSignal | null> {
  if (order.limit === undefined || order.status !== 'OPEN') {
    await manager.settle(order, rules)
    return null
  }
  const { signal, settings, clock } = input
  const entry = entryOf(settings.entry, signal.options.entry)
  const until = restsUntil(order, entry)
  const halt = (await input.whyHalted('open')) ?? (await reachedLimit(input))
  const late = clock.now() >= until ? timeoutReason(order, entry) : null
  const why = halt === null ? ((await input.whyCancelled?.()) ?? late) : haltedReason(halt)
  if (!(await manager.rests(order, rules, why))) return null
  const { side, size, limit } = order
  const reason = `The order to ${side} ${size} ${rules.base} at ${limit.price} rests for at most ${entry?.timeout_seconds ?? 0} s.`
  return { status: 'RESTING', reason, order, until }
}

/** Why a bot that has reached a limit opens nothing more; `null` if it has not. */
async function reachedLimit({ settings, books, clock }: OpeningInput): Promise<string | null> {
  const reachedAt = settings.maxDailyLoss === null ? null : await books.limitReachedAt()
  if (reachedAt !== null && reachedAt >= dayOf(clock.now())) return 'It has reached its max_daily_loss today.'
  // It stays stopped even if its limit is taken away.
  const { stopped } = await books.drawdown(null)
  return stopped === null ? null : 'It has reached its max_drawdown.'
}

/** Before another order is priced because the venue did not let the last one rest. Longer each time. */
const longestPauseMs = 2_000

/**
 * What follows when the last opening is settled. If it only waited too long, or would have taken another order, another
 * one may follow for the rest.
 * @param orders of the signal
 * @throws the reason of `stop`, if that is aborted
 */
export async function afterOpening(
  input: OpeningInput,
  manager: OrderManager,
  rules: MarketRules,
  orders: readonly BookedOrder[],
): Promise<Step | SignalEnd> {
  const { signal, settings, clock } = input
  const openings = orders.filter(({ purpose }) => purpose === 'open')
  const last = openings.at(-1)
  const entry = entryOf(settings.entry, signal.options.entry)
  const isLate = last !== undefined && isTimedOut(last) && clock.now() >= restsUntil(last, entry)
  const isCrossed = last !== undefined && wouldTake(last)
  const next = isLate || isCrossed ? afterTimeout(openings, entry, rules) : null
  if (next === null) return endOfOpenings(orders, rules)
  if (isCrossed && next.kind === 'chase') {
    const earlier = openings.length - 2 - openings.findLastIndex((order) => !wouldTake(order))
    await manager.pause(earlier, longestPauseMs)
  }
  const step = await followUpOpening(input, manager, rules, { ...next, side: last!.side })
  return 'status' in step ? endOfOpenings(orders, rules, step) : step
}
