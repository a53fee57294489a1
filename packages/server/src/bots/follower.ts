import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../base/failures.ts'
import type { Node } from '../db/node.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import { type FollowSignal, followSignal, type SignalOutcome } from '../trading/follow-signal.ts'
import type { Books, Clock, Venue } from '../trading/types.ts'
import { BotLost } from './database-books.ts'
import type { HeldBot, Inbox, WaitingSignal } from './inbox.ts'
import { RepeatedErrors } from './repeated-errors.ts'
import { SymbolNames } from './symbol-names.ts'

export type ClosableVenue = Venue & {
  /** Why it takes no order of this bot: it can be asked about old ones alone. */
  closedReason?: string | null
  close?(): Promise<void>
}

export type FollowerParts = {
  inbox: Inbox
  node: Pick<Node, 'mayWork' | 'beat'>
  /** What it resolves to is closed as soon as it is not used any more. */
  openVenue(bot: HeldBot): Promise<ClosableVenue>
  openBooks(bot: HeldBot): Books
  /** Whether nothing new may be placed for a bot at the moment. */
  isHalted(bot: HeldBot): boolean | Promise<boolean>
  /** See `FollowSignal`. */
  orderPrefix: string
  timeouts?: FollowSignal['timeouts']
  pauses?: Partial<Pauses>
  onOutcome(bot: HeldBot, signal: WaitingSignal, outcome: SignalOutcome): void
  onError(error: unknown, botId: number): void
}

/** Between attempts to follow a signal, in milliseconds. */
export type Pauses = {
  /** After the first error, the second, and so on; the last one is for all that follow. */
  errors: readonly number[]
  /** While the database is away. */
  away: number
  /** Of a signal that is given up and has an order of which nobody knows what became of it. */
  settling: number
}

/** Five attempts fit within a minute, and what passes by itself, as a deadlock does, has time to. */
const defaultPauses: Pauses = { errors: [1_000, 2_000, 5_000, 10_000], away: 1_000, settling: 30_000 }

/** How long an order waits for the database to hear that this node lives. */
const heartbeatTimeoutMs = 5_000

const clock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
}

/**
 * Follows single signals of one bot to their end, whatever it takes but for one thing: an error that repeats ends its
 * signal as `FAILED`, so that the next one is followed.
 */
export class Follower {
  /** As it was read last. */
  #bot: HeldBot
  #parts: FollowerParts
  #names: SymbolNames
  #stop: AbortSignal

  /** @param stop aborted when the bot is given back */
  constructor(bot: HeldBot, parts: FollowerParts, stop: AbortSignal) {
    this.#bot = bot
    this.#parts = parts
    const lookUp = (symbol: string) =>
      this.#withVenue(this.#bot, async (venue) => (await venue.rules(symbol)).symbol)
    this.#names = new SymbolNames(lookUp, stop)
    this.#stop = stop
  }

  /** What the venue of the bot calls a symbol. Never rejects. */
  nameOf(symbol: string): Promise<string> {
    return this.#names.of(symbol)
  }

  /**
   * Never rejects. A database that is away is not the signal's fault, and is waited for.
   * @returns whether this node still holds the bot
   */
  async followToTheEnd(signal: WaitingSignal): Promise<boolean> {
    const pauses = { ...defaultPauses, ...this.#parts.pauses }
    const errors = new RepeatedErrors(pauses.errors)
    while (!this.#stop.aborted) {
      try {
        await this.#follow(signal)
        return true
      } catch (error) {
        if (error instanceof BotLost) return false
        if (this.#stop.aborted) return true
        this.#parts.onError(error, this.#bot.id)
        if (isDatabaseAway(error)) {
          await this.#pause(pauses.away)
          continue
        }
        errors.add(error)
        if (errors.areEnough) signal.givenUp ??= errors.reason
        const state = signal.givenUp === null ? 'trying' : await this.#giveUp(signal)
        if (state === 'ended') return true
        await this.#pause(state === 'settling' ? pauses.settling : errors.pauseMs)
      }
    }
    return true
  }

  async #follow(signal: WaitingSignal): Promise<void> {
    const bot = await this.#readBot()
    const outcome = (await this.#refusal(bot, signal)) ?? (await this.#trade(bot, signal))
    await this.#finish(bot, signal, outcome)
  }

  async #readBot(): Promise<HeldBot> {
    const bot = await this.#parts.inbox.read(this.#bot.id)
    if (bot === undefined) throw new BotLost(`Bot ${this.#bot.id} is held by another node.`)
    if (bot.exchangeId !== this.#bot.exchangeId) this.#names.forget()
    this.#bot = bot
    return bot
  }

  async #finish(bot: HeldBot, signal: WaitingSignal, outcome: SignalOutcome): Promise<void> {
    const { inbox, onOutcome, onError } = this.#parts
    await inbox.finish(signal, bot.userId, outcome)
    try {
      onOutcome(bot, signal, outcome)
    } catch (error) {
      // It has ended, and must not be followed again.
      onError(error, bot.id)
    }
  }

  /**
   * Ends a signal that cannot be followed. On paper nothing is on its way anywhere, so that an order without a report
   * was never executed. At an exchange it may have been: that is asked for as long as it takes.
   * @returns `settling` while there are such orders, `trying` when even this ended in an error
   */
  async #giveUp(signal: WaitingSignal): Promise<'ended' | 'settling' | 'trying'> {
    const { inbox, openBooks, onError } = this.#parts
    const reason = signal.givenUp
    try {
      const bot = await this.#readBot()
      const unsettled = await inbox.unsettled(signal)
      const isPaper = bot.mode === 'paper'
      for (const { clientOrderId, status } of unsettled) {
        // Its owner is told of it by this.
        if (isPaper) await openBooks(bot).note(clientOrderId, 'REJECTED', `${reason}`)
        else if (status === 'PLANNED') await openBooks(bot).note(clientOrderId, 'UNKNOWN', `${reason}`)
      }
      if (unsettled.length > 0 && !isPaper) return 'settling'
      await this.#finish(bot, signal, { status: 'FAILED', reason })
      return 'ended'
    } catch (error) {
      // One of them is that the bot is lost, which the next attempt is told too.
      onError(error, this.#bot.id)
      return 'trying'
    }
  }

  async #refusal(bot: HeldBot, signal: WaitingSignal): Promise<SignalOutcome | undefined> {
    if (signal.hasBegun) return undefined
    if (signal.givenUp !== null) return { status: 'FAILED', reason: signal.givenUp }
    if (!bot.isActive) {
      return { status: 'REFUSED', reason: 'The bot was switched off when the turn of this signal came.' }
    }
    const { symbols } = bot.settings
    // What it holds can always be closed, also when its owner has taken the symbol off the list since.
    if (symbols.length === 0 || signal.action === 'EXIT') return undefined
    const names = [signal.symbol, ...symbols].map((symbol) => this.#names.of(symbol))
    const [name, ...traded] = await Promise.all(names)
    if (traded.includes(name!)) return undefined
    return { status: 'IGNORED', reason: `The bot does not trade ${signal.symbol}.` }
  }

  /** A signal that has ordered nothing fails where the bot cannot trade; one that has must be settled. */
  async #trade(bot: HeldBot, signal: WaitingSignal): Promise<SignalOutcome> {
    try {
      return await this.#withVenue(bot, async (venue) => {
        const { closedReason = null } = venue
        if (closedReason !== null && !signal.hasBegun) return { status: 'FAILED', reason: closedReason }
        const outcome = await this.#tradeOn(venue, bot, signal)
        // What was on its way is settled, and nothing was placed besides.
        const isOver = signal.givenUp !== null && outcome.status !== 'DONE'
        return isOver ? { status: 'FAILED', reason: signal.givenUp } : outcome
      })
    } catch (error) {
      if (!(error instanceof VenueUnreachable) || signal.hasBegun) throw error
      return { status: 'FAILED', reason: error.message }
    }
  }

  #tradeOn(venue: ClosableVenue, bot: HeldBot, signal: WaitingSignal): Promise<SignalOutcome> {
    const { openBooks, isHalted, orderPrefix, timeouts } = this.#parts
    const { id, action, symbol, price, options, at } = signal
    // From here on there may be orders of it, whatever this attempt ends with.
    signal.hasBegun = true
    const isClosed = (venue.closedReason ?? null) !== null
    return followSignal({
      signal: { botSignalId: id, action, symbol, price, options, at },
      settings: bot.settings,
      venue: this.#fenced(venue),
      books: openBooks(bot),
      clock,
      // A bot that was switched off finishes what it has begun, and begins nothing.
      isHalted: () => !bot.isActive || isClosed || signal.givenUp !== null || isHalted(bot),
      stop: this.#stop,
      orderPrefix,
      ...(timeouts === undefined ? {} : { timeouts }),
    })
  }

  /** Sends nothing while another node may hold the bot. */
  #fenced(venue: Venue): Venue {
    return {
      kind: venue.kind,
      rules: (symbol) => venue.rules(symbol),
      price: (symbol) => venue.price(symbol),
      lookUp: (order) => venue.lookUp(order),
      cancel: async (order) => {
        if (this.#parts.node.mayWork()) await venue.cancel(order)
      },
      place: async (order) => {
        if (await this.#isStillOurs()) return venue.place(order)
        return { status: 'unknown', reason: 'It was not sent: this node has lost touch with the database.' }
      },
    }
  }

  /**
   * A process that stood still has missed its heartbeats, and another node may have taken the bot. If the bot is still
   * held here after a new heartbeat, nobody takes it from then on.
   */
  async #isStillOurs(): Promise<boolean> {
    const { node, inbox } = this.#parts
    if (node.mayWork()) return true
    const askAgain = async () => {
      await node.beat()
      return (await inbox.read(this.#bot.id)) !== undefined && node.mayWork()
    }
    const tooLate = sleep(heartbeatTimeoutMs, false, { ref: false })
    return Promise.race([askAgain().catch(() => false), tooLate])
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
