import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../base/failures.ts'
import type { Node } from '../db/node.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import type { AccountReader } from '../trading/account.ts'
import {
  type FollowSignal,
  followSignal,
  type RestingSignal,
  type SignalEnd,
  type SignalOutcome,
} from '../trading/follow-signal.ts'
import { marginTermsOf } from '../trading/isolated-margin.ts'
import type { Books, Clock, OrderRequest } from '../trading/types.ts'
import type { ClosableVenue } from './closable-venue.ts'
import { fencedVenue } from './fenced-venue.ts'
import { BotLost } from './held-bot.ts'
import {
  type Closing,
  type HeldBot,
  type Inbox,
  type ProtectedClose,
  replacedReason,
  type WaitingClose,
  type WaitingSignal,
} from './inbox.ts'
import { isProtective } from './inbox-rows.ts'
import { SignalOver } from './planned-orders.ts'
import { RepeatedErrors } from './repeated-errors.ts'
import { callOff, cancelledReason, cancelling, lookMs, restingPace, waitForOpening } from './resting.ts'
import { type StopSettler, StopsOfSignal } from './stops-of-signal.ts'
import { SymbolNames } from './symbol-names.ts'
import type { NewerSignals } from './symbol-queues.ts'

export type FollowerParts = {
  inbox: Inbox
  node: Pick<Node, 'mayWork' | 'beat'>
  /** The follower closes the venue after use. */
  openVenue(bot: HeldBot): Promise<ClosableVenue>
  openBooks(bot: HeldBot): Books
  /** Why no new order of this purpose may be placed for the bot now, as a sentence; `null` if one may. */
  whyHalted(bot: HeldBot, purpose: OrderRequest['purpose']): string | null | Promise<string | null>
  /** Makes the books of the bot equal the account, in one symbol. Default: it does nothing. */
  reconcile?(bot: HeldBot, symbol: string): Promise<void>
  /** Liquidates a paper position whose margin a price has ended, before anything else is done with it. Default: nobody does. */
  settleMargin?(bot: HeldBot, symbol: string): Promise<void>
  /** Settles stops at the exchange. Default: there are none. */
  legs?: StopSettler
  /** See `FollowSignal`. */
  orderPrefix: string
  timeouts?: FollowSignal['timeouts']
  pauses?: Partial<Pauses>
  onOutcome(bot: HeldBot, signal: WaitingSignal, outcome: SignalEnd): void
  onError(error: unknown, botId: number): void
}

/** The pauses between attempts to follow a signal, in milliseconds. */
export type Pauses = {
  /** After the first error, the second, and so on. The last one also counts for later errors. */
  errors: readonly number[]
  /** While the database is unreachable. */
  away: number
  /** After giving up on a signal, while one of its orders is unsettled. */
  settling: number
}

/** The signals behind the one that is followed, and what tells them that its opening rests. */
type Behind = { newer: NewerSignals; onRest(): void }
/** `close`: the protection that a close comes from. */
type Around = Behind & { close: ProtectedClose | undefined }

type FollowedSignal = Exclude<SignalOutcome, RestingSignal>

/** Five attempts fit within a minute. A temporary error, such as a deadlock, has time to pass. */
const defaultPauses: Pauses = { errors: [1_000, 2_000, 5_000, 10_000], away: 1_000, settling: 30_000 }

/** How long a bot that was read counts as it was. Shorter than the first pause between two attempts at an order. */
const freshMs = 100
/** The pause between two attempts to close, while the venue cannot even be opened. */
const closedPauseMs = 30_000

/** A close that waits for its next attempt notices this soon that trading is halted. The switch is in memory. */
const haltLookMs = 1_000

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
}

/**
 * Follows single signals of one bot to their end, for as long as it takes. Only an error that repeats ends a signal early,
 * as `FAILED`, so that it does not block the next one.
 */
export class Follower {
  /** As last read. */
  #bot: HeldBot
  #readMs: number
  #parts: FollowerParts
  #names: SymbolNames
  #stop: AbortSignal
  /** Signals of targets that have ended in the turn of a close. */
  #booked = new Set<number>()

  /**
   * @param bot as it has just been read
   * @param stop aborted when this node releases the bot
   */
  constructor(bot: HeldBot, parts: FollowerParts, stop: AbortSignal) {
    this.#bot = bot
    this.#readMs = performance.now()
    this.#parts = parts
    const lookUp = (symbol: string) =>
      this.#withVenue(this.#bot, async (venue) => (await venue.rules(symbol)).symbol)
    this.#names = new SymbolNames(lookUp, stop)
    this.#stop = stop
  }

  /** Returns the venue's name of a symbol. Never rejects. */
  nameOf(symbol: string): Promise<string> {
    return this.#names.of(symbol)
  }

  /**
   * Never rejects. If the database is unreachable, it waits: that is not an error of the signal.
   * @param newer the signals of the symbol that wait behind this one: one of them can replace a close that is refused, or
   *   cancel an opening that rests
   * @param onRest called when its opening rests at the venue, which may take long
   * @returns whether this node still holds the bot
   */
  async followToTheEnd(
    signal: WaitingSignal,
    newer: NewerSignals,
    onRest: () => void = () => undefined,
  ): Promise<boolean> {
    if (this.#booked.delete(signal.id)) return true
    const pauses = { ...defaultPauses, ...this.#parts.pauses }
    let errors = new RepeatedErrors(pauses.errors)
    while (!this.#stop.aborted) {
      try {
        // If it is CLOSING although trading is halted, another attempt would not change that.
        const wasHalted = (await this.#parts.whyHalted(this.#bot, 'close')) !== null
        const closing = await this.#follow(signal, { newer, onRest })
        if (closing === null || (await this.#isReplaced(signal, { ...closing, wasHalted }, newer)))
          return true
        errors = new RepeatedErrors(pauses.errors)
      } catch (error) {
        if (error instanceof BotLost) return false
        if (this.#stop.aborted || error instanceof SignalOver) return true
        this.#parts.onError(error, this.#bot.id)
        if (isDatabaseAway(error)) {
          await this.#pause(pauses.away)
          continue
        }
        errors.add(error)
        if (errors.areEnough) signal.giveUpReason ??= errors.reason
        const state = signal.giveUpReason === null ? 'trying' : await this.#giveUp(signal)
        if (state === 'ended') return true
        await this.#pause(state === 'settling' ? pauses.settling : errors.pauseMs)
      }
    }
    return true
  }

  /** @returns when to follow the signal again; `null` if it has left the queue */
  async #follow(signal: WaitingSignal, behind: Behind): Promise<Closing | null> {
    const bot = await this.#botNow()
    const { inbox } = this.#parts
    if (hasMargin(bot)) await this.#parts.settleMargin?.(bot, await this.#names.of(signal.symbol))
    const close = await this.#protectedClose(signal)
    const outcome =
      (await this.#refusal(bot, signal, close)) ?? (await this.#trade(bot, signal, { ...behind, close }))
    if (outcome.status === 'CLOSING') {
      signal.isClosing = true
      return (await inbox.closing(signal, bot, outcome)) ? outcome : null
    }
    if (outcome.status === 'WAITING') await inbox.wait(signal, bot, outcome.reason)
    else await this.#finish(bot, signal, outcome)
    return null
  }

  /** Waits until the next attempt at a close, or a halt. @returns whether a newer signal of the symbol replaced it */
  async #isReplaced(
    signal: WaitingSignal,
    { nextAt, wasHalted }: Closing & { wasHalted: boolean },
    newer: NewerSignals,
  ): Promise<boolean> {
    // By both clocks: the wall clock may be set back, and the other one stands still while the machine is suspended.
    const dueMs = performance.now() + nextAt - clock.now()
    const leftMs = () => Math.max(0, Math.min(nextAt - clock.now(), dueMs - performance.now()))
    for (;;) {
      const { arrival } = newer
      const later = newer.signals.filter(({ id }) => id > signal.id)
      if (await this.#bookTargets(later, newer)) return false
      const replacement = await this.#firstToFollow(later.filter(replacesCloses))
      if (replacement !== undefined) {
        await this.#finish(this.#bot, signal, { status: 'IGNORED', reason: replacedReason(replacement.id) })
        return true
      }
      const wake = AbortSignal.any([this.#stop, arrival])
      // Even if the attempt is due already: the database in this process lets nothing else run between two queries.
      do {
        await clock.sleep(Math.min(haltLookMs, leftMs()), wake)
        if (!wasHalted && !wake.aborted && (await this.#parts.whyHalted(this.#bot, 'close')) !== null)
          return false
      } while (!wake.aborted && leftMs() > 0)
      if (this.#stop.aborted || leftMs() === 0) return false
    }
  }

  /**
   * Books what targets have executed at the exchange while a close waits for its next attempt: until then, the close asks for
   * more than there is. @returns whether there was any
   */
  async #bookTargets(later: readonly WaitingSignal[], newer: NewerSignals): Promise<boolean> {
    let hasBooked = false
    for (const target of later) {
      if (target.origin !== 'take_profit' || !target.hasBegun || this.#booked.has(target.id)) continue
      if ((await this.#follow(target, { newer, onRest: () => undefined })) !== null) continue
      this.#booked.add(target.id)
      hasBooked = true
    }
    return hasBooked
  }

  /** A signal that the bot would refuse replaces nothing: the close would be lost. */
  async #firstToFollow(signals: readonly WaitingSignal[]): Promise<WaitingSignal | undefined> {
    if (signals.length === 0) return undefined
    const bot = await this.#readBot()
    for (const signal of signals) {
      const close = await this.#protectedClose(signal)
      if ((await this.#refusal(bot, signal, close)) === undefined) return signal
    }
    return undefined
  }

  async #readBot(): Promise<HeldBot> {
    const bot = await this.#parts.inbox.read(this.#bot.id)
    if (bot === undefined) throw new BotLost(this.#bot.id)
    this.know(bot)
    return bot
  }

  /** The bot, as it has just been read. */
  know(bot: HeldBot): void {
    if (bot.exchangeId !== this.#bot.exchangeId) this.#names.forget()
    this.#bot = bot
    this.#readMs = performance.now()
  }

  /**
   * The bot may be switched off while a signal is in progress. Right after it was read, it is not read again: it is read
   * together with the signals, so a signal never finds a bot from before its own arrival.
   */
  async #botNow(): Promise<HeldBot> {
    return performance.now() - this.#readMs < freshMs ? this.#bot : this.#readBot()
  }

  async #finish(bot: HeldBot, signal: WaitingSignal, outcome: SignalEnd): Promise<void> {
    const { inbox, onOutcome, onError } = this.#parts
    const waiting = await inbox.finish(signal, bot, outcome)
    try {
      if (waiting.length > 0 && replacesCloses(signal)) await this.#replaceWaiting(signal, waiting)
      onOutcome(bot, signal, outcome)
    } catch (error) {
      // The signal has ended and must not be followed again.
      onError(error, bot.id)
    }
  }

  async #replaceWaiting(signal: WaitingSignal, waiting: WaitingClose[]): Promise<void> {
    const name = await this.#names.of(signal.symbol)
    const names = await Promise.all(waiting.map(({ symbol }) => this.#names.of(symbol)))
    const replaced = waiting.filter((_, index) => names[index] === name)
    if (replaced.length === 0) return
    await this.#parts.inbox.replace(
      replaced.map(({ id }) => id),
      signal,
    )
  }

  /**
   * Ends a signal that cannot be followed. A paper order without a report was never executed. An order at an exchange may
   * have been, so the follower looks it up for as long as it takes.
   * @returns `settling` while there are such orders, `trying` if this failed too
   */
  async #giveUp(signal: WaitingSignal): Promise<'ended' | 'settling' | 'trying'> {
    const { inbox, openBooks, onError } = this.#parts
    const reason = signal.giveUpReason
    try {
      const bot = await this.#readBot()
      const unsettled = await inbox.unsettled(signal)
      const isPaper = bot.mode === 'paper'
      for (const { clientOrderId, status } of unsettled) {
        // This also notifies the owner.
        if (isPaper && status === 'OPEN') await callOff(openBooks(bot), clientOrderId, reason)
        else if (isPaper) await openBooks(bot).note(clientOrderId, 'REJECTED', `${reason}`)
        else if (status === 'PLANNED') await openBooks(bot).note(clientOrderId, 'UNKNOWN', `${reason}`)
      }
      if (unsettled.length > 0 && !isPaper) return 'settling'
      await this.#finish(bot, signal, { status: 'FAILED', reason })
      return 'ended'
    } catch (error) {
      // If the bot is lost, the next attempt gets the same error and handles it.
      onError(error, this.#bot.id)
      return 'trying'
    }
  }

  async #refusal(
    bot: HeldBot,
    signal: WaitingSignal,
    close: ProtectedClose | undefined,
  ): Promise<SignalEnd | undefined> {
    if (signal.hasBegun) return undefined
    if (signal.giveUpReason !== null) return { status: 'FAILED', reason: signal.giveUpReason }
    if (isProtective(signal.origin) && close === undefined) {
      // An earlier signal has closed it, or its owner has changed the protection. Nobody asked to close a later position.
      return {
        status: 'IGNORED',
        reason: 'The position that this close was for is closed, or protected otherwise.',
      }
    }
    // An EXIT of a bot that is switched off waits for its owner.
    if (!bot.isActive && signal.action !== 'EXIT') {
      return { status: 'REFUSED', reason: "The bot was switched off when this signal's turn came." }
    }
    const { symbols } = bot.settings
    // An EXIT can always close a position, even if its symbol is no longer on the list.
    if (symbols.length === 0 || signal.action === 'EXIT') return undefined
    const names = [signal.symbol, ...symbols].map((symbol) => this.#names.of(symbol))
    const [name, ...traded] = await Promise.all(names)
    if (traded.includes(name!)) return undefined
    return { status: 'IGNORED', reason: notTraded(signal.symbol) }
  }

  /** If the bot cannot trade, a signal without orders fails, unless it is a close. A signal with orders must be settled. */
  async #trade(bot: HeldBot, signal: WaitingSignal, around: Around): Promise<FollowedSignal> {
    const { hasBegun } = signal
    const isClose = signal.action === 'EXIT' || signal.isClosing
    try {
      const outcome = await this.#withVenue(bot, async (venue) => {
        const { closedReason = null } = venue
        if (closedReason !== null && !hasBegun && !isClose) return failed(closedReason)
        return this.#tradeOn(venue, bot, signal, around)
      })
      // Its orders are settled, and no others were placed.
      if (signal.giveUpReason !== null && outcome.status !== 'DONE') return failed(signal.giveUpReason)
      return outcome.status === 'CLOSING' && !hasBegun ? this.#closingOrFailed(outcome) : outcome
    } catch (error) {
      if (!(error instanceof VenueUnreachable) || (hasBegun && !isClose)) throw error
      if (!isClose) return failed(error.message)
      const nextAt = clock.now() + closedPauseMs
      const closing = { status: 'CLOSING', reason: error.message, attempts: 1, refusals: 0, nextAt } as const
      return hasBegun ? closing : this.#closingOrFailed(closing)
    }
  }

  /** A bot without any position has nothing to close, whatever the symbol is called. */
  async #closingOrFailed(closing: Closing): Promise<FollowedSignal> {
    return (await this.#parts.inbox.holds(this.#bot.id)) ? closing : failed(closing.reason)
  }

  /** Until its opening rests no longer. The venue stays open meanwhile, because it watches the price. */
  async #tradeOn(
    venue: ClosableVenue,
    begun: HeldBot,
    signal: WaitingSignal,
    around: Around,
  ): Promise<FollowedSignal> {
    using pace = new DisposableStack()
    let resting: ReturnType<typeof restingPace.begin> | undefined
    for (let bot = begun; ; bot = await this.#readBot()) {
      const { arrival } = around.newer
      const outcome = await this.#tradeNow(venue, bot, signal, around)
      if (outcome.status !== 'RESTING') return outcome
      around.onRest()
      resting ??= pace.use(restingPace.begin(venue.kind))
      const over = AbortSignal.any([this.#stop, arrival])
      // In looks, not by the clock: a timer may end a little early, and then an exchange would be asked a look later.
      let leftMs = resting.pauseMs()
      while (!(await waitForOpening(venue, outcome, clock, over))) {
        leftMs -= lookMs
        // A halt, or a bot that is switched off, is noticed as soon as if there were few.
        if (leftMs <= 0 || (await this.#whyHalted(signal, 'open')) !== null) break
      }
      this.#stop.throwIfAborted()
    }
  }

  async #tradeNow(
    venue: ClosableVenue,
    bot: HeldBot,
    signal: WaitingSignal,
    { newer, close }: Around,
  ): Promise<SignalOutcome> {
    const { inbox, node, openBooks, orderPrefix, timeouts } = this.#parts
    const { id, action, symbol, price, options, at } = signal
    // From here on the signal may have orders, however this attempt ends.
    signal.hasBegun = true
    const closedReason = venue.closedReason ?? null
    const stops = new StopsOfSignal(this.#parts.legs, { bot, venue, signal, stop: this.#stop })
    const outcome = await followSignal({
      signal: { botSignalId: id, action, symbol, price, options, at },
      settings: bot.settings,
      venue: fencedVenue(venue, { inbox, node, botId: bot.id }, close),
      books: openBooks(bot),
      clock,
      whyHalted: (purpose) => closedReason ?? signal.giveUpReason ?? this.#whyHalted(signal, purpose),
      whyCancelled: async () => {
        const newest = await this.#firstToFollow(cancelling(signal, newer))
        return newest === undefined ? null : cancelledReason(newest)
      },
      reconcile: (name) => this.#reconcile(bot, name),
      settleLegs: (name, purpose) => stops.settle(name, purpose),
      protectPart: (name) => stops.protectPart(name),
      ...(venue.account && { freeOf: freeOf(venue.account), account: venue.account }),
      stop: this.#stop,
      orderPrefix,
      ...(timeouts === undefined ? {} : { timeouts }),
    })
    if (outcome.status === 'CLOSING') await stops.restore(() => this.#names.of(symbol))
    if (outcome.status !== 'WAITING') return outcome
    const reason = `${outcome.reason} The close waits until you let it proceed or drop it.`
    return { status: 'WAITING', reason }
  }

  /** A bot that was switched off settles its orders but places no new ones. */
  async #whyHalted(signal: WaitingSignal, purpose: OrderRequest['purpose']): Promise<string | null> {
    const bot = await this.#botNow()
    return isOff(bot, signal) ? 'The bot is switched off.' : this.#parts.whyHalted(bot, purpose)
  }

  async #reconcile(bot: HeldBot, symbol: string): Promise<void> {
    try {
      await this.#parts.reconcile?.(bot, symbol)
    } catch (error) {
      // The close is tried again anyway.
      this.#parts.onError(error, bot.id)
    }
  }

  /** The protection that a close comes from. */
  async #protectedClose({ id, origin }: WaitingSignal): Promise<ProtectedClose | undefined> {
    return isProtective(origin) ? this.#parts.inbox.protects(id) : undefined
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop, ref: false }).catch(() => undefined)
  }

  async #withVenue<T>(bot: HeldBot, use: (venue: ClosableVenue) => Promise<T>): Promise<T> {
    const venue = await this.#parts.openVenue(bot)
    try {
      return await use(venue)
    } finally {
      await venue.close?.()
    }
  }
}

/** Whether its positions may be liquidated by the service. */
function hasMargin({ mode, settings }: HeldBot): boolean {
  return mode === 'paper' && marginTermsOf(settings) !== null
}

/** Whether a signal takes the place of closes that are still wanted. A target closes a part: the rest would stay open. */
function replacesCloses({ origin }: WaitingSignal): boolean {
  return origin !== 'take_profit'
}

/** Why a bot ignores a symbol that its settings leave out. */
export function notTraded(symbol: string): string {
  return `The bot does not trade ${symbol}: its setting "symbol" does not include it.`
}

function freeOf(account: AccountReader): (asset: string) => Promise<string> {
  return async (wanted) => {
    const balances = await account.balances()
    return balances.find(({ asset }) => asset === wanted)?.free ?? '0'
  }
}

/** A close that the owner or the protection of a position asks for is followed even if the bot is switched off. */
function isOff({ isActive }: HeldBot, { origin }: WaitingSignal): boolean {
  return !isActive && origin !== 'owner' && !isProtective(origin)
}

function failed(reason: string | null): SignalEnd {
  return { status: 'FAILED', reason }
}
