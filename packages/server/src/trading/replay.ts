import { decimal, plain } from '../base/decimals.ts'
import { NoSuchMarket } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import type { Candles } from '../market/simulated/candle-file.ts'
import { conversionOf } from './amounts.ts'
import { drawdownReached } from './drawdown-limit.ts'
import { followSignal, type SignalOutcome } from './follow-signal.ts'
import { unrealised } from './ledger.ts'
import { type BookedFill, MemoryBooks } from './memory-books.ts'
import { PaperVenue } from './paper-venue.ts'
import { dayOf, lossReached, openLosses } from './risk.ts'
import type { BookedOrder, BotSettings, Position, TradeSignal } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

/** Prices are decimal strings in quote currency; times are Unix milliseconds. */
export type ReplayCandle = { openedAt: number; closedAt: number; open: string; close: string }

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

export type Replay = {
  outcomes: { signal: ReplaySignal; outcome: SignalOutcome }[]
  orders: readonly BookedOrder[]
  fills: readonly BookedFill[]
  position: Position
  equity: EquityPoint[]
  /** Signals after the opening of the last candle. */
  unfollowed: ReplaySignal[]
}

/**
 * Replays signals over candles with a paper bot, by the code that also follows signals as they come. It follows a signal
 * at the first opening price at or after the time of the signal and its delay, never at a price that was known when the signal was
 * decided.
 */
export async function replay({ rules, settings, candles, signals }: ReplayOptions): Promise<Replay> {
  const bot = new ReplayBot(rules, settings)
  const all: ReplaySignal[] = typeof signals === 'function' ? [] : [...signals]
  let followed = 0
  let index = 0
  for (const candle of candles) {
    await bot.closeAtLimit(candle)
    for (; followed < all.length && dueOf(all[followed]!, settings) <= candle.openedAt; followed++) {
      await bot.follow(all[followed]!, candle)
    }
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
export function* replayCandles({ times, opens, closes, periodMs }: Candles): Generator<ReplayCandle> {
  for (let index = 0; index < times.length; index++) {
    const openedAt = times[index]!
    const text = (price: number) => plain(decimal(String(price)))
    yield { openedAt, closedAt: openedAt + periodMs, open: text(opens[index]!), close: text(closes[index]!) }
  }
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
  #signals = 0
  #closesNext = false

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
    this.#outcomes.push({ signal, outcome: await this.#trade(signal, candle) })
  }

  /** Closes the position if its loss reached the limit at the last close, and the bot is set so. */
  async closeAtLimit(candle: ReplayCandle): Promise<void> {
    if (!this.#closesNext) return
    this.#closesNext = false
    await this.#trade({ action: 'EXIT', at: candle.openedAt }, candle)
  }

  async #trade(signal: ReplaySignal, { openedAt, open }: ReplayCandle): Promise<SignalOutcome> {
    this.#price = open
    this.#clock.moveTo(openedAt)
    const { action, at, options = {} } = signal
    const botSignalId = ++this.#signals
    return followSignal({
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
      stop: new AbortController().signal,
    })
  }

  async close({ closedAt, close }: ReplayCandle): Promise<Position> {
    this.#price = close
    this.#clock.moveTo(closedAt)
    const position = await this.#books.position(this.#rules.symbol)
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

  async result(unfollowed: ReplaySignal[]): Promise<Replay> {
    const { orders, fills } = this.#books
    const position = await this.#books.position(this.#rules.symbol)
    return { outcomes: this.#outcomes, orders, fills, position, equity: this.#equity, unfollowed }
  }
}
