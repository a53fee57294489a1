import { decimal, plain } from '../base/decimals.ts'
import { NoSuchMarket } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { isThrough } from './entries/paper-resting.ts'
import { followSignal, type RestingSignal, type SignalOutcome } from './follow-signal.ts'
import { type FundingMoment, FundingUnknown, fundingOf } from './funding.ts'
import { isLiquidatedAt, type MarginEnd, marginEnd } from './isolated-margin.ts'
import { flatPosition } from './ledger.ts'
import type { MarketConditions } from './market-conditions.ts'
import { type BookedFill, type BookedPayment, MemoryBooks } from './memory-books.ts'
import { PaperVenue } from './paper-venue.ts'
import { planClose } from './plan.ts'
import { bestOrder, worstOrder } from './protection/along-candle.ts'
import { ReplayedProtection } from './protection/replayed.ts'
import type { ReplayCandle, ReplayOrder, ReplayOrigin, ReplayOutcome, ReplaySignal } from './replayed.ts'
import { type CandleEnd, ReplayedEquity } from './replayed-equity.ts'
import { reachesDrawdown, reachesLoss } from './replayed-limits.ts'
import { ReplayedVolume } from './replayed-volume.ts'
import { paperTradeId } from './trade-ids.ts'
import type { BotSettings, OrderRequest, Position } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

export type { CandleEnd, ReplayCandle, ReplayOrder, ReplayOrigin, ReplayOutcome, ReplaySignal }

type ClosingSignal = Extract<SignalOutcome, { status: 'CLOSING' }>

/** A signal that is being followed. `at`: its age counts from then on. `cancelled`: why its order may rest no longer. */
type Followed = {
  signal: ReplaySignal
  botSignalId: number
  at: number
  isAsked: boolean
  before: Position
  cancelled: string | null
}

/**
 * A paper bot for one symbol, with its own venue, books and clock, that goes along candles by the code that also follows
 * signals as they come. It follows a signal at the first opening price at or after the time of the signal, its delay and the
 * latency.
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
  /** A signal whose close the market did not take completely, and which is tried again. */
  #closing: (ClosingSignal & { followed: Followed }) | null = null
  /** The position in the books. Only following a signal changes it. */
  #position = flatPosition()
  #equity: ReplayedEquity
  #volume: ReplayedVolume
  readonly #conditions: MarketConditions
  readonly #latencyMs: number
  /** Where the margin of the position ends; `null` without a position, or without margin. */
  #marginEnd: MarginEnd | null = null
  #hasGuessed = false
  /** Moments before `#nextFunding` are over. */
  #funding: readonly FundingMoment[]
  #nextFunding = 0
  /** The end of the candle before. */
  #pricedUntil = 0

  /** @param conditions default: the market takes any order, at once */
  constructor(rules: MarketRules, given: BotSettings, conditions: MarketConditions = {}) {
    const { maintenanceRate: maintenance } = conditions
    const settings = maintenance === undefined ? given : { ...given, maintenance }
    this.#rules = rules
    this.#settings = settings
    this.#conditions = conditions
    this.#latencyMs = conditions.latencyMs ?? 0
    this.#funding = conditions.funding ?? []
    this.#equity = new ReplayedEquity(settings.startBalance ?? '0')
    this.#volume = new ReplayedVolume(rules, conditions.participation)
    this.#venue = new PaperVenue({
      settings,
      books: this.#books,
      market: {
        rules: async () => rules,
        price: async (symbol) => this.#priceOf(symbol),
        take: ({ size }) => this.#volume.take(size),
      },
      now: () => this.#clock.now(),
    })
  }

  /** Whether the order of high and low within a candle could have mattered so far. */
  get hasGuessed(): boolean {
    return this.#hasGuessed
  }

  get position(): Position {
    return { ...this.#position }
  }

  get fills(): readonly BookedFill[] {
    return this.#books.fills
  }

  /** What the position paid and received without an execution. */
  get payments(): readonly BookedPayment[] {
    return this.#books.payments
  }

  get orders(): readonly ReplayOrder[] {
    return this.#books.orders.map((order) => ({
      ...order,
      origin: this.#origins.get(order.botSignalId) ?? null,
    }))
  }

  /** What became of the signals so far. An order may still rest. */
  get outcomes(): ReplayOutcome[] {
    const pending = [this.#closing, this.#resting].filter((each) => each !== null)
    const asked = pending.filter(({ followed }) => followed.isAsked)
    return [...this.#outcomes, ...asked.map(({ followed: { signal }, ...outcome }) => ({ signal, outcome }))]
  }

  /** Signals that no opening came after, or that wait behind an order that rests. */
  get unfollowed(): ReplaySignal[] {
    return [...this.#behind, ...this.#due.slice(this.#next)]
  }

  /** Takes a signal, which is later than those before it. */
  add(signal: ReplaySignal): void {
    this.#due.push(signal)
  }

  /**
   * Goes along the next candle, to its close. At its opening comes first the price, then what waited for it, then funding,
   * and then the signals of that moment.
   * @throws {FundingUnknown}
   */
  async along(candle: ReplayCandle): Promise<CandleEnd> {
    await this.open(candle)
    return await this.through(candle)
  }

  /** Whether nothing can happen along the next candle but that the price changes, and with it the equity. */
  isQuiet({ openedAt, closedAt }: Pick<ReplayCandle, 'openedAt' | 'closedAt'>): boolean {
    const { maxDailyLoss, maxDrawdown } = this.#settings
    const isWaiting = this.#closing !== null || this.#resting !== null || this.#closesNext
    const isWatched = maxDailyLoss !== null || maxDrawdown !== null
    if (isWaiting || isWatched || this.#isDue(openedAt)) return false
    if (this.#position.side === null) return true
    const nextPayment = this.#funding[this.#nextFunding]?.at ?? Infinity
    return !this.#isProtected && this.#marginEnd === null && nextPayment >= closedAt
  }

  /** `along` for a candle that is quiet, which takes a tenth of the time. */
  pass(candle: ReplayCandle): CandleEnd {
    this.skip(candle)
    const { side } = this.#position
    if (side === null) return this.#equity.flat
    this.#equity.beginCandle()
    this.#equity.see(side === 'long' ? candle.low : candle.high)
    return this.#equity.at(this.#price)
  }

  /** `pass` for a candle whose equity nobody asks for. */
  skip(candle: ReplayCandle): void {
    this.#volume.beginCandle(candle.volume)
    this.#pricedUntil = candle.closedAt
    if (this.#position.side !== null) this.#priceIs(candle.close, candle.closedAt)
  }

  /** The beginning of `along`: until after the funding of the opening. */
  async open(candle: ReplayCandle): Promise<void> {
    const { openedAt, open } = candle
    this.#equity.beginCandle()
    this.#volume.beginCandle(candle.volume)
    // The price is still that of the last close.
    await this.#payUntil(openedAt, this.#price)
    if (this.#closesNext) await this.#closeAtLimit(candle)
    if (this.#closing !== null) await this.#closeAgain(candle)
    if (this.#isProtected || this.#marginEnd !== null) {
      await this.#protectAt({ ...atOpening(candle), price: open })
    }
    if (this.#resting !== null) await this.#restAtOpening(candle)
    for (; this.#isDue(openedAt) && this.#due[this.#next]!.at < openedAt; this.#next++) {
      await this.#follow(this.#due[this.#next]!, candle)
    }
    await this.#payUntil(openedAt + 1, open)
  }

  /** After `open`: follows the signals that are due at the opening. The same one is followed once. */
  async followAt(candle: ReplayCandle): Promise<void> {
    for (; this.#isDue(candle.openedAt); this.#next++) await this.#follow(this.#due[this.#next]!, candle)
  }

  /** The rest of `along`, after `open`. */
  async through(candle: ReplayCandle): Promise<CandleEnd> {
    const { closedAt, open } = candle
    await this.followAt(candle)
    // Nobody knows the price within a candle, nor whether the position was closed before.
    await this.#payUntil(closedAt, open)
    if (this.#resting !== null || this.#isProtected || this.#marginEnd !== null) await this.#protect(candle)
    else this.#equity.see(this.#position.side === 'long' ? candle.low : candle.high)
    this.#pricedUntil = closedAt
    return await this.#close(candle)
  }

  /** Ends the order that rests, and closes what is open at the close of the last candle. */
  async end({ closedAt, close }: ReplayCandle): Promise<CandleEnd> {
    this.#priceIs(close, closedAt)
    await this.#callOff('The replay is over.')
    if (this.#position.side !== null) {
      await this.#trade({ action: 'EXIT', at: closedAt }, { origin: 'end' })
    }
    return this.#equity.at(close)
  }

  /** While a close of the whole position is tried again, nothing else closes it. */
  get #isProtected(): boolean {
    const isClosing = this.#closing !== null && this.#closing.followed.signal.options?.size === undefined
    return this.#protection.isOn && this.#position.side !== null && !isClosing
  }

  /** Pays the funding of each moment before a time. */
  async #payUntil(time: number, lastPrice: string): Promise<void> {
    for (; (this.#funding[this.#nextFunding]?.at ?? Infinity) < time; this.#nextFunding++) {
      const { at, rate, price } = this.#funding[this.#nextFunding]!
      const { side, size } = this.#position
      if (side === null) continue
      if (rate === null) throw new FundingUnknown(at)
      const payment = { at, symbol: this.#rules.symbol, price: price ?? lastPrice, rate }
      const value = plain(fundingOf(this.#position, payment.price, rate))
      this.#books.pay({ ...payment, size: side === 'long' ? size : `-${size}`, value })
      await this.#readBooks()
    }
  }

  #isDue(openedAt: number): boolean {
    const signal = this.#due[this.#next]
    return signal !== undefined && this.#dueOf(signal) <= openedAt
  }

  /** When the bot follows a signal at the earliest. */
  #dueOf({ at }: Pick<ReplaySignal, 'at'>): number {
    return at + this.#settings.delaySeconds * 1_000 + this.#latencyMs
  }

  /**
   * From when on the age of a signal counts. With a latency, its order may be on the way while a candle lasts. The market
   * has prices then, which only the candle does not say, so that wait makes no signal older.
   */
  #bornAt(signal: ReplaySignal): number {
    const due = this.#dueOf(signal)
    return this.#latencyMs > 0 ? Math.max(due, this.#pricedUntil) : due
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

  /** Tries a close again, as the service does after a pause. */
  async #closeAgain({ open, openedAt }: ReplayCandle): Promise<void> {
    if (this.#closing === null || openedAt < this.#closing.nextAt) return
    this.#priceIs(open, openedAt)
    await this.#followOn(this.#closing.followed)
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
    const order = this.#conditions.firstExtreme === 'better' ? bestOrder : worstOrder
    this.#hasGuessed ||= candle.high !== candle.low
    let from = candle.open
    for (const [index, to] of order(this.#position.side ?? ofEntry, candle).entries()) {
      const now = index === 3 ? closedAt : openedAt
      const filledAt = index === 0 ? openedAt : closedAt
      do {
        const limit = this.#limitOnTheWay(to)
        from = this.#protection.nextPrice(this.#position, { from, to: this.#firstOf(from, limit, to) })
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
    if (this.#marginEnd !== null && isLiquidatedAt(this.#marginEnd, price)) {
      return this.#liquidate(this.#marginEnd, filledAt)
    }
    this.#equity.see(price)
    const close = this.#isProtected ? this.#protection.closeAt(position, { price, now }) : null
    if (close === null) return
    const { size, reason } = close
    if (planClose(position, this.#rules, price, size === null ? undefined : decimal(size)) === null) return
    this.#priceIs(price, filledAt)
    const options = size === null ? {} : { size: Number(size), forceSize: true }
    await this.#callOff()
    await this.#trade({ action: 'EXIT', at: filledAt, options }, { origin: reason })
  }

  /** What the price reaches first on its way: the limit of the order that rests, the end of the margin, or its end. */
  #firstOf(from: string, limit: string | null, to: string): string {
    const end = this.#marginEnd
    if (end === null || !isLiquidatedAt(end, to) || isLiquidatedAt(end, from)) return limit ?? to
    const isBefore = limit !== null && !isLiquidatedAt(end, limit)
    return isBefore ? limit : plain(end.liquidation)
  }

  /** The venue closes the position, and keeps its margin: never more than that. */
  async #liquidate({ side, bankruptcy }: MarginEnd, filledAt: number): Promise<void> {
    const [botSignalId, before] = [++this.#signals, this.#position]
    const { symbol, quote } = this.#rules
    const clientOrderId = `tw-${botSignalId}-c`
    const { size } = before
    this.#origins.set(botSignalId, 'liquidation')
    const order: OrderRequest = {
      ...{ clientOrderId, symbol, side: side === 'long' ? 'sell' : 'buy', purpose: 'close' },
      ...{ reduceOnly: true, size, plannedAt: filledAt },
    }
    const execution = { size, price: plain(bankruptcy), fee: '0', feeAsset: quote, filledAt }
    const terms = { ...this.#rules, feeRates: {} }
    await this.#books.book(botSignalId, order, { tradeId: paperTradeId(clientOrderId), ...execution }, terms)
    await this.#readBooks()
    this.#protection.count(undefined, before, this.#position)
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
    const [before, at, pending] = [this.#position, this.#bornAt(signal), this.#closing]
    const followed = { signal, botSignalId, at, before, cancelled, isAsked: origin === undefined }
    const status = await this.#followOn(followed)
    if (pending === null) return
    // A signal that the bot refuses replaces nothing: the close would be lost.
    const isRefused = status === 'REFUSED' || status === 'FAILED'
    if (isRefused && this.#position.side === pending.followed.before.side) this.#closing ??= pending
    else if (pending.followed.isAsked) {
      this.#outcomes.push({
        signal: pending.followed.signal,
        outcome: { status: 'IGNORED', reason: replaced },
      })
    }
  }

  /** @returns how it ended, or what it waits for */
  async #followOn(followed: Followed): Promise<SignalOutcome['status']> {
    const { signal, botSignalId, before, cancelled, isAsked } = followed
    const { action, options = {} } = signal
    this.#closing = null
    const outcome = await followSignal({
      signal: {
        botSignalId,
        action,
        symbol: this.#rules.symbol,
        price: null,
        options,
        at: followed.at,
      },
      settings: this.#settings,
      venue: this.#venue,
      books: this.#books,
      clock: this.#clock,
      whyHalted: () => null,
      whyCancelled: () => cancelled,
      timeouts,
      stop: new AbortController().signal,
    })
    await this.#readBooks()
    const orders = await this.#books.ordersOf(botSignalId)
    const opening = orders.find(({ purpose, filledSize }) => purpose === 'open' && filledSize !== '0')
    this.#protection.count(opening, before, this.#position)
    if (outcome.status === 'RESTING') {
      this.#resting = { followed, ...outcome }
      return outcome.status
    }
    this.#resting = null
    if (outcome.status === 'CLOSING') this.#closing = { followed, ...outcome }
    else if (isAsked) this.#outcomes.push({ signal, outcome })
    if (cancelled !== null) return outcome.status
    const next = this.#behind.shift()
    if (next !== undefined) await this.#trade(next)
    return outcome.status
  }

  async #close({ closedAt, close }: ReplayCandle): Promise<CandleEnd> {
    this.#priceIs(close, closedAt)
    const end = this.#equity.at(close)
    const limited = { settings: this.#settings, rules: this.#rules, books: this.#books }
    const { maxDailyLoss, maxDrawdown } = this.#settings
    const isLost = maxDailyLoss !== null && (await reachesLoss(limited, closedAt, close))
    const isFallen = maxDrawdown !== null && (await reachesDrawdown(limited, closedAt, plain(end.equity)))
    if (isLost || isFallen) this.#closesNext = true
    return end
  }

  async #readBooks(): Promise<void> {
    this.#position = await this.#books.position(this.#rules.symbol)
    this.#equity.count(this.#position)
    const { maintenanceRate } = this.#conditions
    if (maintenanceRate === undefined) return
    this.#marginEnd = marginEnd(this.#position, { settings: this.#settings, maintenanceRate })
  }
}

/** A close is tried again with the next price: a candle does not say when in it the first one was sent. */
const timeouts = { closePausesMs: [0, 2_000, 5_000, 10_000, 30_000, 60_000] }
const replaced = 'A newer signal of the symbol replaced it.'

function atOpening({ openedAt }: ReplayCandle): { now: number; filledAt: number } {
  return { now: openedAt, filledAt: openedAt }
}
