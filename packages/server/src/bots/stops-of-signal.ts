/** What becomes of the stops that rest at the exchange while a signal of their symbol is followed. */
import { isStopReason } from '../trading/protection/plan.ts'
import type { OrderRequest } from '../trading/types.ts'
import type { ClosableVenue } from './closable-venue.ts'
import type { HeldBot, WaitingSignal } from './inbox.ts'

/** `settled`: no leg is left. `changed`: an order of one was taken over. `open`: the exchange has not said what became of one. */
export type Settled = 'settled' | 'changed' | 'open'

/** `old`: those of earlier positions. */
export type WhichLegs = 'all' | 'targets' | 'old'

/** See `LegKeeper`. */
export type StopSettler = {
  settle(
    bot: HeldBot,
    venue: ClosableVenue,
    of: { symbol: string; botSignalId: number; which: WhichLegs },
    stop: AbortSignal,
  ): Promise<Settled>
  /** Looks after the stop while an order of this purpose is in progress. */
  keepDuring(
    bot: HeldBot,
    venue: ClosableVenue,
    of: Pick<OrderRequest, 'symbol' | 'purpose'>,
    stop: AbortSignal,
  ): Promise<void>
}

type Followed = {
  bot: HeldBot
  venue: ClosableVenue
  signal: Pick<WaitingSignal, 'id' | 'origin'>
  /** Aborted when this node releases the bot. */
  stop: AbortSignal
}

/** The signal has the turn of its symbol, so nothing else changes these stops. Symbols are the venue's names. */
export class StopsOfSignal {
  #legs: StopSettler | undefined
  #of: Followed

  /** @param legs settles stops; default: there are none */
  constructor(legs: StopSettler | undefined, of: Followed) {
    this.#legs = of.venue.legs === undefined ? undefined : legs
    this.#of = of
  }

  /**
   * Settles them before an order. A close at the stop comes before what rests at the exchange, which might execute, too. So
   * does every close where a resting stop locks the coins. Any other close leaves it there until the position is flat, and
   * cancels only the targets first. An opening waits until nothing of an earlier position is left.
   * @returns see `FollowSignal`
   */
  async settle(
    symbol: string,
    purpose: OrderRequest['purpose'],
  ): Promise<'settled' | 'changed' | { reason: string }> {
    const { bot, venue, signal, stop } = this.#of
    if (this.#legs === undefined || venue.legs === undefined) return 'settled'
    const { locksFunds, keepsTargets = false } = venue.legs
    const isAtStop = isStopReason(signal.origin)
    if (purpose === 'close' && !locksFunds && !isAtStop && !keepsTargets) return 'settled'
    const ofClose = locksFunds || isAtStop ? 'all' : 'targets'
    const which = purpose === 'close' ? ofClose : 'old'
    const settled = await this.#legs.settle(bot, venue, { symbol, botSignalId: signal.id, which }, stop)
    stop.throwIfAborted()
    if (settled !== 'open') return settled
    if (purpose === 'close' && locksFunds) {
      const reason = `The exchange has not said what became of the stop in ${symbol}, so the bot does not sell yet.`
      return { reason }
    }
    // A close only reduces the position, so it cannot do harm together with the stop.
    if (purpose === 'close') return 'settled'
    const reason = `The exchange has not said what became of the stop of the earlier position in ${symbol}, so the bot opens nothing.`
    return { reason }
  }

  /** Lets the stop follow what an opening has executed, while it is still open. */
  async protectPart(symbol: string): Promise<void> {
    const { bot, venue, stop } = this.#of
    await this.#legs?.keepDuring(bot, venue, { symbol, purpose: 'open' }, stop)
  }

  /** Sets the stop again that a close has cancelled to free its coins, before it failed. */
  async restore(nameOf: () => Promise<string>): Promise<void> {
    const { bot, venue, signal, stop } = this.#of
    if (venue.legs?.locksFunds !== true || isStopReason(signal.origin)) return
    await this.#legs?.keepDuring(bot, venue, { symbol: await nameOf(), purpose: 'close' }, stop)
  }
}
