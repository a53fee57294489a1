import { decimal, plain } from '../base/decimals.ts'
import type { SignalOrigin } from '../db/schema.ts'
import { NoSuchMarket } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import type { Candles } from '../market/simulated/candle-file.ts'
import { conversionOf } from './amounts.ts'
import { drawdownReached } from './drawdown-limit.ts'
import { isThrough } from './entries/paper-resting.ts'
import { followSignal, type RestingSignal, type SignalOutcome } from './follow-signal.ts'
import { unrealised } from './ledger.ts'
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

/** Called when a candle closes, with the position at that time. It does not see later candles. */
export type Decide = (
  candle: ReplayCandle,
  index: number,
  position: Position,
) => Omit<ReplaySignal, 'at'> | null

export type ReplayOptions = {
  rules: MarketRules
  settings: BotSettings
  /** In order of time. */
  candles: Iterable<ReplayCandle>
  /** Signals in order of time, or a function that decides at each close. */
  signals: readonly ReplaySignal[] | Decide
}

/** The books at the close of a candle. `balance` is the start balance plus all realised profit. */
export type EquityPoint = { at: number; balance: string; unrealised: string; equity: string }

/** `origin`: what asked for it, as in the records of the service; `null`: a signal. */
export type ReplayOrder = BookedOrder & { origin: SignalOrigin | null }

export type Replay = {
  outcomes: { signal: ReplaySignal; outcome: SignalOutcome }[]
  orders: readonly ReplayOrder[]
  fills: readonly BookedFill[]
  position: Position
  equity: EquityPoint[]
  /** Signals after the opening of the last candle. */
  unfollowed: ReplaySignal[]
}

/**
 * Replays signals over candles with a paper bot, by the code that also follows signals as they come. It follows a signal
 * at the first opening price at or after the time of the signal and its delay, never at a price that was known when the signal was
 * decided. Protected positions are closed along each candle, in the worse order of its prices. An order that rests is
 * executed when a candle goes through its limit, and its time is over at the first opening after it.
 */
export async function replay({ rules, settings, candles, signals }: ReplayOptions): Promise<Replay> {
  const bot = new ReplayBot(rules, settings)
  const all: ReplaySignal[] = typeof signals === 'function' ? [] : [...signals]
  let followed = 0
  let index = 0
  for (const candle of candles) {
    await bot.closeAtLimit(candle)
    await bot.protectAtOpening(candle)
    await bot.restAtOpening(candle)
    for (; followed < all.length && dueOf(all[followed]!, settings) <= candle.openedAt; followed++) {
      await bot.follow(all[followed]!, candle)
    }
    await bot.protect(candle)
    const position = await bot.close(candle)
    const decided = typeof signals === 'function' ? signals(candle, index, position) : null
    if (decided !== null) all.push({ ...decided, at: candle.closedAt })
    index++
  }
  return bot.result(all.slice(followed))
}

/** When a bot follows a signal at the earliest. Its age counts from then on. */
function dueOf({ at }: Pick<ReplaySignal, 'at'>, { delaySeconds }: BotSettings): number {
  return at + delaySeconds * 1_000
}

/** The candles of a file, with the prices as written in the file. */
export function* replayCandles(candles: Candles): Generator<ReplayCandle> {
  const { times, periodMs } = candles
  for (let index = 0; index < times.length; index++) {
    const openedAt = times[index]!
    const text = (prices: Float64Array) => plain(decimal(String(prices[index]!)))
    const [open, high, low, close] = [candles.opens, candles.highs, candles.lows, candles.closes].map(text)
    yield { openedAt, closedAt: openedAt + periodMs, open: open!, high: high!, low: low!, close: close! }
  }
}

/** A signal that is being followed. `cancelled`: why its order may rest no longer. */
type Followed = {
  signal: ReplaySignal
  botSignalId: number
  isAsked: boolean
  before: Position
  cancelled: string | null
}

/** A paper bot for one symbol, with its own venue, books and clock. */
class ReplayBot {
  #rules: MarketRules
  #settings: BotSettings
  #clock = new VirtualClock(0)
  #books = new MemoryBooks()
  #venue: PaperVenue
  #price = '0'
  #outcomes: Replay['outcomes'] = []
  #equity: EquityPoint[] = []
  /** What asked for each signal that no sender sent, by its id. */
  #origins = new Map<number, SignalOrigin>()
  #signals = 0
  #closesNext = false
  #protection = new ReplayedProtection()
  /** A signal whose opening rests, and the signals that wait behind it. */
  #resting: (RestingSignal & { followed: Followed }) | null = null
  #behind: ReplaySignal[] = []

  constructor(rules: MarketRules, settings: BotSettings) {
    this.#rules = rules
    this.#settings = settings
    this.#venue = new PaperVenue({
      settings,
      books: this.#books,
      market: { rules: async () => rules, price: async (symbol) => this.#priceOf(symbol) },
      now: () => this.#clock.now(),
    })
  }

  #priceOf(symbol: string): string {
    if (symbol === this.#rules.symbol) return this.#price
    throw new NoSuchMarket(`A replay has prices of ${this.#rules.symbol} only, not of ${symbol}.`)
  }

  async follow(signal: ReplaySignal, candle: ReplayCandle): Promise<void> {
    this.#priceIs(candle.open, candle.openedAt)
    if (this.#resting?.followed.signal.action === signal.action) {
      this.#behind.push(signal)
      return
    }
    await this.#callOff()
    await this.#trade(signal)
  }

  /** Ends the order that rests, as a newer signal of the service does, and then the signals behind it. */
  async #callOff(): Promise<void> {
    const reason = 'A newer signal of the symbol cancelled the order.'
    const resting = this.#resting
    if (resting !== null) await this.#followOn({ ...resting.followed, cancelled: reason })
    for (const signal of this.#behind.splice(0)) await this.#trade(signal, { cancelled: reason })
  }

  /** The price may have jumped over the limit of an order that rests, or its time may be over. */
  async restAtOpening({ open, openedAt }: ReplayCandle): Promise<void> {
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
  async closeAtLimit(candle: ReplayCandle): Promise<void> {
    if (!this.#closesNext) return
    this.#closesNext = false
    this.#priceIs(candle.open, candle.openedAt)
    await this.#callOff()
    await this.#trade({ action: 'EXIT', at: candle.openedAt }, { origin: 'limit' })
  }

  /** What a position needs that was open before: the price may have jumped over a level since the last close. */
  async protectAtOpening({ open, openedAt }: ReplayCandle): Promise<void> {
    await this.#protectAt({ price: open, now: openedAt, filledAt: openedAt })
  }

  /** What a position needs along a candle. Nobody knows when the price passed a level, so the fill is at its close. */
  async protect(candle: ReplayCandle): Promise<void> {
    const { openedAt, closedAt } = candle
    const { side } = await this.#position()
    if (this.#resting === null && (side === null || !this.#protection.isOn)) return
    // What is entered within a candle meets its best price before, and its worst price after.
    const ofEntry = this.#resting?.order.side === 'buy' ? 'short' : 'long'
    let from = candle.open
    for (const [index, to] of worstOrder(side ?? ofEntry, candle).entries()) {
      const now = index === 3 ? closedAt : openedAt
      const filledAt = index === 0 ? openedAt : closedAt
      do {
        const limit = this.#limitOnTheWay(to)
        from = this.#protection.nextPrice(await this.#position(), { from, to: limit ?? to })
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
    const position = await this.#position()
    const close = this.#protection.closeAt(position, { price, now })
    if (close === null) return
    const { size, reason } = close
    if (planClose(position, this.#rules, price, size === null ? undefined : decimal(size)) === null) return
    this.#priceIs(price, filledAt)
    const options = size === null ? {} : { size: Number(size), forceSize: true }
    await this.#callOff()
    await this.#trade({ action: 'EXIT', at: filledAt, options }, { origin: reason })
  }

  #position(): Promise<Position> {
    return this.#books.position(this.#rules.symbol)
  }

  #priceIs(price: string, at: number): void {
    this.#price = price
    this.#clock.moveTo(at)
  }

  /** @param how `origin`: what asked for it, if no sender did. `cancelled`: see `Followed` */
  async #trade(
    signal: ReplaySignal,
    { origin, cancelled = null }: { origin?: SignalOrigin; cancelled?: string | null } = {},
  ): Promise<void> {
    const botSignalId = ++this.#signals
    if (origin !== undefined) this.#origins.set(botSignalId, origin)
    const before = await this.#position()
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
        at: dueOf({ at }, this.#settings),
      },
      settings: this.#settings,
      venue: this.#venue,
      books: this.#books,
      clock: this.#clock,
      whyHalted: () => null,
      whyCancelled: () => cancelled,
      stop: new AbortController().signal,
    })
    const orders = await this.#books.ordersOf(botSignalId)
    const opening = orders.find(({ purpose, filledSize }) => purpose === 'open' && filledSize !== '0')
    this.#protection.count(opening, before, await this.#position())
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

  async close({ closedAt, close }: ReplayCandle): Promise<Position> {
    this.#priceIs(close, closedAt)
    const position = await this.#position()
    const balance = decimal(this.#settings.startBalance ?? '0').plus(decimal(position.realised))
    const open = unrealised(position, close)
    const equity = plain(balance.plus(decimal(open)))
    this.#equity.push({ at: closedAt, balance: plain(balance), unrealised: open, equity })
    if (this.#settings.maxDailyLoss !== null) await this.#watchLoss(closedAt, close)
    if (this.#settings.maxDrawdown !== null) await this.#watchDrawdown(closedAt, equity)
    return position
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

  async result(after: ReplaySignal[]): Promise<Replay> {
    const unfollowed = [...this.#behind, ...after]
    if (this.#resting !== null) {
      const { followed, ...outcome } = this.#resting
      this.#outcomes.push({ signal: followed.signal, outcome })
    }
    const { fills } = this.#books
    const orders = this.#books.orders.map((order) => ({
      ...order,
      origin: this.#origins.get(order.botSignalId) ?? null,
    }))
    const position = await this.#position()
    return { outcomes: this.#outcomes, orders, fills, position, equity: this.#equity, unfollowed }
  }
}
