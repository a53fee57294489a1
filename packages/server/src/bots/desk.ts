import { setTimeout as sleep } from 'node:timers/promises'
import { VenueUnreachable } from '../market/price-source.ts'
import type { Node } from '../runs/node.ts'
import { type FollowSignal, followSignal, type SignalOutcome } from '../trading/follow-signal.ts'
import type { Books, Clock, Venue } from '../trading/types.ts'
import { BotLost } from './database-books.ts'
import type { HeldBot, Inbox, WaitingSignal } from './inbox.ts'

export type ClosableVenue = Venue & {
  /** Why it takes no order of this bot: it can be asked about old ones alone. */
  closedReason?: string | null
  close?(): Promise<void>
}

export type DeskParts = {
  inbox: Inbox
  node: Pick<Node, 'mayWork' | 'beat'>
  /** What it resolves to is closed as soon as it is not used any more. */
  openVenue(bot: HeldBot): Promise<ClosableVenue>
  openBooks(bot: HeldBot): Books
  /** Whether nothing new may be placed for a bot at the moment. */
  isHalted(bot: HeldBot): boolean | Promise<boolean>
  /** See `FollowSignal`. */
  orderPrefix: string
  patience?: FollowSignal['patience']
  onOutcome(bot: HeldBot, signal: WaitingSignal, outcome: SignalOutcome): void
  onError(error: unknown, botId: number): void
}

/** Signals that are followed at once, and that wait in memory behind them. */
const inHandAtMost = 1_000
const afterErrorMs = 1_000
/** How long an order waits for the database to hear that this node lives. */
const heartbeatPatienceMs = 5_000

const clock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
}

/**
 * Works off the signals of one bot, as long as this node holds it: those for one symbol one after another, in the
 * order in which they came; symbols side by side, so that an order whose fate is unknown holds up no other symbol.
 */
export class Desk {
  readonly botId: number
  #parts: DeskParts
  /** The last of those that wait for each symbol. */
  #lanes = new Map<string, Promise<void>>()
  #inHand = new Set<number>()
  #wanted = false
  /** Resolved when somebody asks for the inbox to be looked at. */
  #bell = Promise.withResolvers<void>()
  #working: Promise<void> | undefined
  #stop = new AbortController()

  constructor(botId: number, parts: DeskParts) {
    this.botId = botId
    this.#parts = parts
  }

  get isIdle(): boolean {
    return this.#working === undefined
  }

  /** There may be signals. */
  wake(): void {
    this.#wanted = true
    this.#bell.resolve()
    if (this.#stop.signal.aborted) return
    this.#working ??= this.#work()
      .catch((error: unknown) => this.#recover(error))
      .finally(() => {
        this.#working = undefined
        if (this.#wanted) this.wake()
      })
  }

  /** Places nothing more; what is under way is left to be settled by the next holder. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#bell.resolve()
    await this.#working
  }

  async #work(): Promise<void> {
    this.#wanted = false
    const { inbox } = this.#parts
    const bot = await inbox.claim(this.botId)
    if (bot === undefined) return
    try {
      await this.#takeAll(bot)
    } finally {
      await Promise.all(this.#lanes.values())
      await inbox.release(this.botId)
    }
  }

  async #takeAll(bot: HeldBot): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wanted = false
      this.#bell = Promise.withResolvers()
      const signals = await this.#parts.inbox.waiting(this.botId, this.#inHand)
      for (const signal of signals) await this.#take(bot, signal)
      if (signals.length > 0) continue
      if (this.#lanes.size === 0) return
      // What comes meanwhile for other symbols is not to wait for the slowest.
      await Promise.race([...this.#lanes.values(), this.#bell.promise])
    }
  }

  async #take(bot: HeldBot, signal: WaitingSignal): Promise<void> {
    while (this.#inHand.size >= inHandAtMost) await Promise.race(this.#lanes.values())
    this.#inHand.add(signal.id)
    const key = await this.#laneOf(bot, signal.symbol)
    const before = this.#lanes.get(key) ?? Promise.resolve()
    const lane = before
      .then(() => this.#followToTheEnd(signal))
      .finally(() => {
        this.#inHand.delete(signal.id)
        if (this.#lanes.get(key) === lane) this.#lanes.delete(key)
      })
    this.#lanes.set(key, lane)
  }

  /**
   * One symbol, however it is spelled. A paper bot has one lane for all: what one order spends, the next one must know,
   * and none of them ever waits.
   */
  async #laneOf(bot: HeldBot, symbol: string): Promise<string> {
    return bot.mode === 'paper' ? 'paper' : this.#nameOf(bot, symbol)
  }

  /** The venue's name of a symbol; one that cannot be looked up now is told apart by its letters. */
  async #nameOf(bot: HeldBot, symbol: string): Promise<string> {
    try {
      return await this.#withVenue(bot, async (venue) => (await venue.rules(symbol)).symbol)
    } catch {
      return symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
    }
  }

  /** Tries again after errors of ours, so that a later signal never overtakes. */
  async #followToTheEnd(signal: WaitingSignal): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        return await this.#follow(signal)
      } catch (error) {
        if (error instanceof BotLost || this.#stop.signal.aborted) return
        this.#parts.onError(error, this.botId)
        await sleep(afterErrorMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
      }
    }
  }

  async #follow(signal: WaitingSignal): Promise<void> {
    const { inbox, onOutcome } = this.#parts
    const bot = await inbox.read(this.botId)
    if (bot === undefined) throw new BotLost(`Bot ${this.botId} is held by another node.`)
    const outcome = (await this.#refusal(bot, signal)) ?? (await this.#trade(bot, signal))
    await inbox.finish(signal.id, outcome)
    onOutcome(bot, signal, outcome)
  }

  async #refusal(bot: HeldBot, signal: WaitingSignal): Promise<SignalOutcome | undefined> {
    if (signal.hasBegun) return undefined
    if (!bot.isActive) {
      return { status: 'REFUSED', reason: 'The bot was switched off when the turn of this signal came.' }
    }
    const { symbols } = bot.settings
    // What it holds can always be closed, also when its owner has taken the symbol off the list since.
    if (symbols.length === 0 || signal.action === 'EXIT') return undefined
    const name = await this.#nameOf(bot, signal.symbol)
    for (const symbol of symbols) if ((await this.#nameOf(bot, symbol)) === name) return undefined
    return { status: 'IGNORED', reason: `The bot does not trade ${signal.symbol}.` }
  }

  /** A signal that has ordered nothing fails where the bot cannot trade; one that has must be settled. */
  async #trade(bot: HeldBot, signal: WaitingSignal): Promise<SignalOutcome> {
    try {
      return await this.#withVenue(bot, async (venue) => {
        const { closedReason = null } = venue
        if (closedReason !== null && !signal.hasBegun) return { status: 'FAILED', reason: closedReason }
        return this.#tradeOn(venue, bot, signal)
      })
    } catch (error) {
      if (!(error instanceof VenueUnreachable) || signal.hasBegun) throw error
      return { status: 'FAILED', reason: error.message }
    }
  }

  #tradeOn(venue: ClosableVenue, bot: HeldBot, signal: WaitingSignal): Promise<SignalOutcome> {
    const { openBooks, isHalted, orderPrefix, patience } = this.#parts
    const { id, action, symbol, price, options, at } = signal
    // From here on there may be orders of it, whatever this attempt ends with.
    signal.hasBegun = true
    return followSignal({
      signal: { botSignalId: id, action, symbol, price, options, at },
      settings: bot.settings,
      venue: this.#fenced(venue),
      books: openBooks(bot),
      clock,
      // A bot that was switched off finishes what it has begun, and begins nothing.
      isHalted: () => !bot.isActive || (venue.closedReason ?? null) !== null || isHalted(bot),
      stop: this.#stop.signal,
      orderPrefix,
      ...(patience === undefined ? {} : { patience }),
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
      return (await inbox.read(this.botId)) !== undefined && node.mayWork()
    }
    const tooLate = sleep(heartbeatPatienceMs, false, { ref: false })
    return Promise.race([askAgain().catch(() => false), tooLate])
  }

  async #withVenue<T>(bot: HeldBot, use: (venue: ClosableVenue) => Promise<T>): Promise<T> {
    const venue = await this.#parts.openVenue(bot)
    try {
      return await use(venue)
    } finally {
      await venue.close?.()
    }
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return
    this.#parts.onError(error, this.botId)
    await sleep(afterErrorMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
    this.#wanted = true
  }
}
