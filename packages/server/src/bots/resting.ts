/** How the follower waits for an opening that rests at its limit. */
import type { RestingSignal } from '../trading/follow-signal.ts'
import type { Books, Clock, Venue } from '../trading/types.ts'
import type { WaitingSignal } from './inbox.ts'
import type { NewerSignals } from './symbol-queues.ts'

/** An opening that rests notices this soon that trading is halted, or its bot switched off. */
export const lookMs = 2_000
/** Between two looks, whatever the reason. */
const shortestMs = 50
/**
 * About all live openings that rest together, a node asks so often a second at most. Each question costs a weight of 4 on
 * Binance spot, where an address has 6,000 a minute.
 */
const mostPerSecond = 5

/** How often exchanges are asked about openings that rest: the more there are, the less often. */
export class RestingPace {
  #resting = new Set<object>()

  /** Counts an opening until it is disposed of. `pauseMs`: between two questions about it, as things are now. */
  begin(kind: Venue['kind']): Disposable & { pauseMs(): number } {
    const one = {}
    // Nobody is asked about those on paper.
    if (kind === 'live') this.#resting.add(one)
    return {
      pauseMs: () => Math.max(lookMs, (this.#resting.size * 1_000) / mostPerSecond),
      [Symbol.dispose]: () => void this.#resting.delete(one),
    }
  }
}

/** That of this process, which has one address. */
export const restingPace = new RestingPace()

/**
 * Waits until the limit of an order may have been reached, until the order may have to be cancelled, or until `over` is
 * aborted.
 * @returns whether it was woken by one of these, and not by the time for another look
 */
export async function waitForOpening(
  venue: Pick<Venue, 'reached'>,
  { order, until }: RestingSignal,
  clock: Clock,
  over: AbortSignal,
): Promise<boolean> {
  const reached = new AbortController()
  void venue.reached?.(order).then(() => reached.abort())
  const ms = Math.min(lookMs, Math.max(shortestMs, until - clock.now()))
  const woken = AbortSignal.any([over, reached.signal])
  await clock.sleep(ms, woken)
  return woken.aborted || clock.now() >= until
}

/**
 * The signals that can cancel an opening of `signal` that rests: newer ones that close, or open the other side. An EXIT of
 * a short does not concern a LONG.
 */
export function cancelling({ id, action }: WaitingSignal, { signals }: NewerSignals): WaitingSignal[] {
  const opened = action === 'LONG' ? 'long' : 'short'
  return signals.filter(
    (newer) => newer.id > id && newer.action !== action && (newer.options.closes ?? opened) === opened,
  )
}

/** Why an opening that rested was cancelled. */
export function cancelledReason({ id }: WaitingSignal): string {
  return `A newer signal of the symbol cancelled the order: ${id} in the bot's list of signals.`
}

/** Ends a paper order that rested: it exists nowhere but in the books. */
export function callOff(books: Books, clientOrderId: string, reason: string | null): Promise<void> {
  const report = { exchangeOrderId: null, status: 'CANCELED' as const, executions: [], reason }
  // Nothing was executed, so the terms do not matter.
  return books.report(clientOrderId, report, { base: '', quote: '', service: 'spot', feeRates: {} })
}
