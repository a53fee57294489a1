/** How following a signal ends, or what it waits for. */
import { decimal, plain, zero } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import { wouldTake } from './entries/plan.ts'
import { haltedBeginning } from './order-manager.ts'
import type { BookedOrder } from './types.ts'

/**
 * `DONE`: the orders of the signal were executed; if one was only partly executed, `reason` says so. `IGNORED`: there
 * was nothing to do, or the price of an opening did not come. `REFUSED`: a rule or a limit of the service prevented it,
 * or, in a flip, only the opening after the close. `FAILED`: the exchange did not execute it, or only a part of it, or
 * there was no price.
 */
export type SignalEnd = { status: 'DONE' | 'IGNORED' | 'REFUSED' | 'FAILED'; reason: string | null }

/**
 * The signal has not ended. `CLOSING`: its close was not executed and is still wanted, so follow the signal again at
 * `nextAt`. `attempts` is the number of its closes, and `refusals` of those that were refused. `WAITING`: no order may be placed now, and the
 * close waits until a person decides.
 */
export type PendingSignal =
  | { status: 'CLOSING'; reason: string; attempts: number; refusals: number; nextAt: number }
  | { status: 'WAITING'; reason: string }
  | RestingSignal

/**
 * An opening of the signal rests. Follow the signal again when the limit of `order` may have been reached, when the order
 * may have to be cancelled, and at `until`, in Unix milliseconds.
 */
export type RestingSignal = { status: 'RESTING'; reason: string; order: BookedOrder; until: number }

export type SignalOutcome = SignalEnd | PendingSignal

/** No opening, or no further one, may be placed. */
export function refusedOpening(
  reason: string,
  orders: readonly BookedOrder[],
  rules: MarketRules,
): SignalEnd {
  return endOfOpenings(orders, rules, { status: 'REFUSED', reason })
}

/**
 * How a signal ends that opens nothing more.
 * @param orders of the signal, all settled
 * @param end how it ends if no opening was executed, and why no more was; default: as the last opening says
 */
export function endOfOpenings(
  orders: readonly BookedOrder[],
  { base }: MarketRules,
  end?: SignalEnd,
): SignalEnd {
  const openings = orders.filter(({ purpose }) => purpose === 'open')
  const [first] = openings
  const last = openings.at(-1)
  if (last?.status === 'FILLED') return { status: 'DONE', reason: last.reason }
  const reason = end?.reason ?? last?.reason ?? null
  const filled = openings.reduce((sum, { filledSize }) => sum.plus(decimal(filledSize)), zero)
  if (first !== undefined && filled.gt('0')) {
    const why = reason === null ? '' : ` ${reason}`
    return { status: 'DONE', reason: `Only ${plain(filled)} of ${first.size} ${base} was executed.${why}` }
  }
  const status = end?.status ?? statusOfNothing(last)
  const text = reason ?? 'The exchange did not execute the order.'
  const hasClosed = orders.some(({ purpose }) => purpose === 'close')
  return { status, reason: hasClosed ? `The position was closed, but no new one was opened. ${text}` : text }
}

/** An order that rested was not executed because its price did not come, or because nobody wanted it any longer. */
function statusOfNothing(last: BookedOrder | undefined): SignalEnd['status'] {
  if (last?.limit === undefined) return 'FAILED'
  if (wouldTake(last)) return 'IGNORED'
  if (last.status !== 'CANCELED') return 'FAILED'
  return last.reason?.startsWith(haltedBeginning) === true ? 'REFUSED' : 'IGNORED'
}
