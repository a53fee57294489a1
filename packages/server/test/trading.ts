/** Settings, rules and signals for tests of trading. A test gives only the values that it is about. */

import { NoSuchMarket } from '../src/market/price-source.ts'
import type { MarketRules } from '../src/market/rules.ts'
import { type FollowSignal, followSignal, type SignalOutcome } from '../src/trading/follow-signal.ts'
import { MemoryBooks } from '../src/trading/memory-books.ts'
import { PaperVenue } from '../src/trading/paper-venue.ts'
import type { ReplayCandle } from '../src/trading/replay.ts'
import type { BotSettings, TradeSignal } from '../src/trading/types.ts'
import { VirtualClock } from '../src/trading/virtual-clock.ts'

/** Without fees, slippage and limits. */
export const plainSettings: BotSettings = {
  symbols: [],
  amount: '100',
  amountUnit: 'quote',
  sizeUnit: null,
  amountCurrency: 'USDT',
  amountRate: null,
  strictAmount: false,
  feeRate: '0',
  slippageRate: '0',
  startBalance: '10000',
  maxPosition: null,
  maxDailyLoss: null,
  onLimit: 'stop',
  maxDrawdown: null,
  maxOpenPositions: null,
  cooldownSeconds: null,
  maxSignalAgeSeconds: null,
  direction: 'both',
  delaySeconds: 0,
}

export const futuresRules: MarketRules = {
  symbol: 'BTC/USDT:USDT',
  service: 'futures',
  base: 'BTC',
  quote: 'USDT',
  sizeStep: '0.001',
  minSize: '0.001',
  minNotional: '5',
}

export const spotRules: MarketRules = { ...futuresRules, symbol: 'BTC/USDT', service: 'spot' }

/** A Monday at noon, UTC. */
export const noon = Date.UTC(2026, 0, 5, 12)

/** A candle of a minute, so many minutes after noon. Without `high` and `low`, it moves straight from `open` to `close`. */
export function minuteCandle(
  index: number,
  { open, close = open, ...extremes }: { open: string; close?: string; high?: string; low?: string },
): ReplayCandle {
  const openedAt = noon + index * 60_000
  return { openedAt, closedAt: openedAt + 60_000, open, close, ...rangeOf(open, close), ...extremes }
}

/** The extremes of a candle that moves straight from its opening to its close. */
export function rangeOf(open: string, close: string): { high: string; low: string } {
  return Number(open) > Number(close) ? { high: open, low: close } : { high: close, low: open }
}

/** A paper bot whose price and time the test controls. */
export class PaperBench {
  price: string | Error = '100'
  /** Prices of other markets. */
  readonly rates: Record<string, string> = {}
  readonly books = new MemoryBooks()
  readonly clock = new VirtualClock(noon)
  readonly settings: BotSettings
  readonly rules: MarketRules
  readonly venue: PaperVenue
  #signals = 0

  constructor({ rules = futuresRules, settings = {} }: BenchOptions = {}) {
    this.settings = { ...plainSettings, ...settings }
    this.rules = rules
    this.venue = new PaperVenue({
      settings: this.settings,
      books: this.books,
      market: { rules: async () => rules, price: async (symbol) => this.#currentPrice(symbol) },
      now: () => this.clock.now(),
    })
  }

  /** The next signal of the bot, created now by the test's clock. */
  signal(action: TradeSignal['action'], options: TradeSignal['options'] = {}): TradeSignal {
    const { symbol } = this.rules
    return { botSignalId: ++this.#signals, action, symbol, price: null, options, at: this.clock.now() }
  }

  /** Follows a signal to the end, or the same one again. */
  follow(
    signal: TradeSignal['action'] | TradeSignal,
    options: TradeSignal['options'] = {},
    changes: Partial<FollowSignal> = {},
  ): Promise<SignalOutcome> {
    return followSignal({
      signal: typeof signal === 'string' ? this.signal(signal, options) : signal,
      settings: this.settings,
      venue: this.venue,
      books: this.books,
      clock: this.clock,
      whyHalted: () => null,
      stop: new AbortController().signal,
      ...changes,
    })
  }

  position() {
    return this.books.position(this.rules.symbol)
  }

  #currentPrice(symbol: string): string {
    const rate = this.rates[symbol]
    if (rate !== undefined) return rate
    if (symbol !== this.rules.symbol) throw new NoSuchMarket(`There is no market ${symbol}.`)
    if (this.price instanceof Error) throw this.price
    return this.price
  }
}

export type BenchOptions = { rules?: MarketRules; settings?: Partial<BotSettings> }
