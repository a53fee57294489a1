import { type Decimal, decimal, plain } from '../base/decimals.ts'
import type { SignalOrigin } from '../db/schema.ts'
import { NoSuchMarket } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { conversionOf } from './amounts.ts'
import { drawdownReached } from './drawdown-limit.ts'
import { isThrough } from './entries/paper-resting.ts'
import { followSignal, type RestingSignal, type SignalOutcome } from './follow-signal.ts'
import { flatPosition, unrealised } from './ledger.ts'
import { type BookedFill, MemoryBooks } from './memory-books.ts'
import { PaperVenue } from './paper-venue.ts'
import { planClose } from './plan.ts'
import { type CandlePrices, worstOrder } from './protection/along-candle.ts'
import { ReplayedProtection } from './protection/replayed.ts'
import { dayOf, lossReached, openLosses } from './risk.ts'
import type { BookedOrder, BotSettings, Position, TradeSignal } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

/** Prices are decimal strings in quote currency; times are Unix milliseconds. */
export type ReplayCandle = CandlePrices & { openedAt: number; closedAt: number }

export type ReplaySignal = Pick<TradeSignal, 'action' | 'at'> & { options?: TradeSignal['options'] }

/**
 * The books at the close of a candle. `balance` is the start balance plus all realised profit. `lowest` is the lowest equity
 * within the candle.
 */
export type CandleEnd = { balance: Decimal; equity: Decimal; lowest: Decimal }

/** What asked for an order that no sender asked for. `end`: the replay is over, and closes what is open. */
export type ReplayOrigin = SignalOrigin | 'end'

/** `origin`: what asked for it, as in the records of the service; `null`: a signal. */
export type ReplayOrder = BookedOrder & { origin: ReplayOrigin | null }

/** What became of a signal. */
export type ReplayOutcome = { signal: ReplaySignal; outcome: SignalOutcome }

/** A signal that is being followed. `cancelled`: why its order may rest no longer. */
type Followed = {
  signal: ReplaySignal
  botSignalId: number
  isAsked: boolean
  before: Position
  cancelled: string | null
}

/**
 * A paper bot for one symbol, with its own venue, books and clock, that goes along candles by the code that also follows
 * signals as they come. It follows a signal at the first opening price at or after the time of the signal and its delay.
 */
export class ReplayBot {
  #rules: MarketRules
  #settings: BotSettings
  #clock = new VirtualClock(0)
  #books = new MemoryBooks()
  #venue: PaperVenue
  #price = '0'
  #outcomes: ReplayOutcome[] = []
  /** What asked for each signal that no sender sent, by its id. */
  #origins = new Map<number, ReplayOrigin>()
  #signals = 0
  /** Signals in order of time; those before `#next` have been followed, or wait behind an order. */
  #due: ReplaySignal[] = []
  #next = 0
  #closesNext = false
  #protection = new ReplayedProtection()
  /** A signal whose opening rests, and the signals that wait behind it. */
  #resting: (RestingSignal & { followed: Followed }) | null = null
  #behind: ReplaySignal[] = []
  /** The position and the balance in the books. Only following a signal changes them. */
  #position = flatPosition()
  #balance: Decimal
  /** Negative for a short; `null` without a position. */
  #size: Decimal | null = null
  /** The equity at a price of zero. */
  #worthless: Decimal
  /** The lowest equity so far in the current candle; `null`: there was no position. */
  #lowest: Decimal | null = null

  constructor(rules: MarketRules, settings: BotSettings) {
    this.#rules = rules
    this.#settings = settings
    this.#balance = decimal(settings.startBalance ?? '0')
    this.#worthless = this.#balance
    this.#venue = new PaperVenue({
      settings,
      books: this.#books,
      market: { rules: async () => rules, price: async (symbol) => this.#priceOf(symbol) },
      now: () => this.#clock.now(),
    })
  }

  get position(): Position {
    return { ...this.#position }
  }

  get fills(): readonly BookedFill[] {
    return this.#books.fills
  }

  get orders(): readonly ReplayOrder[] {
    return this.#books.orders.map((order) => ({
      ...order,
      origin: this.#origins.get(order.botSignalId) ?? null,
    }))
  }

  /** What became of the signals so far. An order may still rest. */
  get outcomes(): ReplayOutcome[] {
    if (this.#resting === null) return this.#outcomes
    const { followed, ...outcome } = this.#resting
    return [...this.#outcomes, { signal: followed.signal, outcome }]
  }

  /** Signals that no opening came after, or that wait behind an order that rests. */
  get unfollowed(): ReplaySignal[] {
    return [...this.#behind, ...this.#due.slice(this.#next)]
  }

  /** Takes a signal, which is later than those before it. */
  add(signal: ReplaySignal): void {
    this.#due.push(signal)
  }

  /** Goes along the next candle, to its close. */
  async along(candle: ReplayCandle): Promise<CandleEnd> {
    this.#lowest = null
    if (this.#closesNext) await this.#closeAtLimit(candle)
    if (this.#isProtected) await this.#protectAt({ ...atOpening(candle), price: candle.open })
    if (this.#resting !== null) await this.#restAtOpening(candle)
    for (; this.#isDue(candle.openedAt); this.#next++) await this.#follow(this.#due[this.#next]!, candle)
    if (this.#resting !== null || this.#isProtected) await this.#protect(candle)
    else this.#see(this.#position.side === 'long' ? candle.low : candle.high)
    return await this.#close(candle)
  }

  /** Ends the order that rests, and closes what is open at the close of the last candle. */
  async end({ closedAt, close }: ReplayCandle): Promise<CandleEnd> {
    this.#priceIs(close, closedAt)
    await this.#callOff('The replay is over.')
    if (this.#position.side !== null) {
      await this.#trade({ action: 'EXIT', at: closedAt }, { origin: 'end' })
    }
    return this.#valueAt(close)
  }

  get #isProtected(): boolean {
    return this.#protection.isOn && this.#position.side !== null
  }

  #isDue(openedAt: number): boolean {
    const signal = this.#due[this.#next]
    return signal !== undefined && this.#dueOf(signal) <= openedAt
  }

  /** When the bot follows a signal at the earliest. Its age counts from then on. */
  #dueOf({ at }: Pick<ReplaySignal, 'at'>): number {
    return at + this.#settings.delaySeconds * 1_000
  }

  #priceOf(symbol: string): string {
    if (symbol === this.#rules.symbol) return this.#price
    throw new NoSuchMarket(`A replay has prices of ${this.#rules.symbol} only, not of ${symbol}.`)
  }

  async #follow(signal: ReplaySignal, candle: ReplayCandle): Promise<void> {
    this.#priceIs(candle.open, candle.openedAt)
    if (this.#resting?.followed.signal.action === signal.action) {
      this.#behind.push(signal)
      return
    }
    await this.#callOff()
    await this.#trade(signal)
  }

  /** Ends the order that rests, as a newer signal of the service does, and then the signals behind it. */
  async #callOff(reason = 'A newer signal of the symbol cancelled the order.'): Promise<void> {
    const resting = this.#resting
    if (resting !== null) await this.#followOn({ ...resting.followed, cancelled: reason })
    for (const signal of this.#behind.splice(0)) await this.#trade(signal, { cancelled: reason })
  }

  /** The price may have jumped over the limit of an order that rests, or its time may be over. */
  async #restAtOpening({ open, openedAt }: ReplayCandle): Promise<void> {
    if (this.#resting === null) return
    this.#priceIs(open, openedAt)
    const { order, followed, until } = this.#resting
    const isReached = order.limit !== undefined && isThrough(open, order.limit.price, order.side)
    if (isReached || openedAt >= until) await this.#followOn(followed)
  }

  /** The limit of the order that rests, if a move of the price goes through it. */
  #limitOnTheWay(to: string): string | null {
    const { order } = this.#resting ?? {}
    return order?.limit !== undefined && isThrough(to, order.limit.price, order.side)
      ? order.limit.price
      : null
  }

  /** Closes the position if its loss reached the limit at the last close, and the bot is set so. */
  async #closeAtLimit({ open, openedAt }: ReplayCandle): Promise<void> {
    this.#closesNext = false
    this.#priceIs(open, openedAt)
    await this.#callOff()
    await this.#trade({ action: 'EXIT', at: openedAt }, { origin: 'limit' })
  }

  /** What a position needs along a candle. Nobody knows when the price passed a level, so the fill is at its close. */
  async #protect(candle: ReplayCandle): Promise<void> {
    const { openedAt, closedAt } = candle
    // What is entered within a candle meets its best price before, and its worst price after.
    const ofEntry = this.#resting?.order.side === 'buy' ? 'short' : 'long'
    let from = candle.open
    for (const [index, to] of worstOrder(this.#position.side ?? ofEntry, candle).entries()) {
      const now = index === 3 ? closedAt : openedAt
      const filledAt = index === 0 ? openedAt : closedAt
      do {
        const limit = this.#limitOnTheWay(to)
        from = this.#protection.nextPrice(this.#position, { from, to: limit ?? to })
        if (from === limit) await this.#enterAt({ price: from, beyond: to, filledAt })
        await this.#protectAt({ price: from, now: from === to ? now : openedAt, filledAt })
      } while (from !== to)
    }
  }

  async #enterAt({ price, beyond, filledAt }: { price: string; beyond: string; filledAt: number }) {
    const resting = this.#resting
    if (resting === null) return
    this.#priceIs(price, filledAt)
    this.#venue.note(this.#rules.symbol, beyond)
    await this.#followOn(resting.followed)
  }

  async #protectAt({
    price,
    now,
    filledAt,
  }: {
    price: string
    now: number
    filledAt: number
  }): Promise<void> {
    const position = this.#position
    this.#see(price)
    const close = this.#protection.closeAt(position, { price, now })
    if (close === null) return
    const { size, reason } = close
    if (planClose(position, this.#rules, price, size === null ? undefined : decimal(size)) === null) return
    this.#priceIs(price, filledAt)
    const options = size === null ? {} : { size: Number(size), forceSize: true }
    await this.#callOff()
    await this.#trade({ action: 'EXIT', at: filledAt, options }, { origin: reason })
  }

  #priceIs(price: string, at: number): void {
    this.#price = price
    this.#clock.moveTo(at)
  }

  /** @param how `origin`: what asked for it, if no sender did. `cancelled`: see `Followed` */
  async #trade(
    signal: ReplaySignal,
    { origin, cancelled = null }: { origin?: ReplayOrigin; cancelled?: string | null } = {},
  ): Promise<void> {
    const botSignalId = ++this.#signals
    if (origin !== undefined) this.#origins.set(botSignalId, origin)
    const before = this.#position
    await this.#followOn({ signal, botSignalId, before, cancelled, isAsked: origin === undefined })
  }

  async #followOn(followed: Followed): Promise<void> {
    const { signal, botSignalId, before, cancelled, isAsked } = followed
    const { action, at, options = {} } = signal
    const outcome = await followSignal({
      signal: {
        botSignalId,
        action,
        symbol: this.#rules.symbol,
        price: null,
        options,
        at: this.#dueOf({ at }),
      },
      settings: this.#settings,
      venue: this.#venue,
      books: this.#books,
      clock: this.#clock,
      whyHalted: () => null,
      whyCancelled: () => cancelled,
      stop: new AbortController().signal,
    })
    await this.#readBooks()
    const orders = await this.#books.ordersOf(botSignalId)
    const opening = orders.find(({ purpose, filledSize }) => purpose === 'open' && filledSize !== '0')
    this.#protection.count(opening, before, this.#position)
    if (outcome.status === 'RESTING') {
      this.#resting = { followed, ...outcome }
      return
    }
    this.#resting = null
    if (isAsked) this.#outcomes.push({ signal, outcome })
    if (cancelled !== null) return
    const next = this.#behind.shift()
    if (next !== undefined) await this.#trade(next)
  }

  async #close({ closedAt, close }: ReplayCandle): Promise<CandleEnd> {
    this.#priceIs(close, closedAt)
    const end = this.#valueAt(close)
    if (this.#settings.maxDailyLoss !== null) await this.#watchLoss(closedAt, close)
    if (this.#settings.maxDrawdown !== null) await this.#watchDrawdown(closedAt, plain(end.equity))
    return end
  }

  #valueAt(price: string): CandleEnd {
    const equity = this.#equityAt(price)
    const isLowest = this.#lowest === null || equity.lt(this.#lowest)
    return { balance: this.#balance, equity, lowest: isLowest ? equity : this.#lowest! }
  }

  /** The price was there while the position was open. */
  #see(price: string): void {
    if (this.#position.side === null) return
    const equity = this.#equityAt(price)
    if (this.#lowest === null || equity.lt(this.#lowest)) this.#lowest = equity
  }

  /** The ledger's rule for the unrealised profit. The parts that no price changes are worked out once for a position. */
  #equityAt(price: string): Decimal {
    return this.#size === null ? this.#balance : this.#worthless.plus(this.#size.times(decimal(price)))
  }

  async #readBooks(): Promise<void> {
    const position = await this.#books.position(this.#rules.symbol)
    const { side, size, realised } = position
    this.#position = position
    this.#balance = decimal(this.#settings.startBalance ?? '0').plus(decimal(realised))
    const isLong = side === 'long'
    this.#size = side === null ? null : isLong ? decimal(size) : decimal(size).neg()
    this.#worthless = this.#balance.plus(decimal(unrealised(position, '0')))
  }

  /** What the service does every few seconds. A replay has no price that could convert amounts. */
  async #watchLoss(now: number, price: string): Promise<void> {
    const settings = this.#settings
    if (conversionOf(settings, this.#rules) !== null) return
    const held = (await this.#books.held()).map((each) => ({ ...each, price }))
    const realised = await this.#books.realisedSince(dayOf(now))
    const limitReachedAt = await this.#books.limitReachedAt()
    const day = { realised, limitReachedAt, ...openLosses(held) }
    const reached = lossReached({ settings, day, rate: null, now })
    if (reached === null) return
    await this.#books.reachLimit(reached)
    this.#closesNext ||= settings.onLimit === 'close'
  }

  /** A replay has no owner who could reset it. */
  async #watchDrawdown(now: number, equity: string): Promise<void> {
    const { maxDrawdown } = this.#settings
    if (maxDrawdown === null) return
    const state = await this.#books.drawdown(equity)
    const reached = drawdownReached({ ...state, maxDrawdown, equity: { amount: equity } }, now)
    if (reached === null) return
    await this.#books.reachDrawdown(reached)
    this.#closesNext = true
  }
}

function atOpening({ openedAt }: ReplayCandle): { now: number; filledAt: number } {
  return { now: openedAt, filledAt: openedAt }
}
