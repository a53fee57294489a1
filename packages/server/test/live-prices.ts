import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { LivePrices, type LivePricesOptions } from '../src/market/live/live-prices.ts'
import type { Pace } from '../src/market/live/pace.ts'
import type { MarketVenue, Quote } from '../src/market/price-source.ts'
import { type StandIn, startBinance } from './exchanges/index.ts'
import { until } from './until.ts'

/** An hour of a price feed in a few seconds. */
export const fastPace = {
  quietMs: 400,
  pollMs: 150,
  firstPollMs: 50,
  sweepMs: 20,
  troubleMs: 800,
  firstPauseMs: 20,
  maxPauseMs: 200,
  healthyMs: 300,
  rateLimitPauseMs: 600,
  unsubscribeMs: 500,
  renewMs: 500,
  setBackMs: 500,
  marketsAgainMs: 100,
} as const

/** REST that leaves WebSocket alone. */
export const noPolls = {
  quietMs: 60_000,
  pollMs: 60_000,
  firstPollMs: 60_000,
  troubleMs: 60_000,
} as const satisfies Partial<Pace>

export type LogLine = { level: number; msg: string; reason?: string }

/** Live prices that end with the test, and their log. */
export function livePrices(t: TestContext, options: Omit<LivePricesOptions, 'logger'>) {
  const lines: LogLine[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const prices = new LivePrices({ ...options, logger, pace: { ...fastPace, ...options.pace } })
  t.after(() => prices.close())
  return { prices, lines }
}

/** Live prices of a Binance that the test controls. */
export async function onBinance(t: TestContext, pace: Partial<Pace> = {}) {
  const binance = await startBinance()
  t.after(() => binance[Symbol.asyncDispose]())
  return { binance, ...livePrices(t, { endpoints: { binance: binance.endpoints }, pace }) }
}

/** Resolves when exactly these are subscribed to at an exchange. */
export function subscribed(standIn: StandIn, ...symbols: string[]): Promise<void> {
  const wanted = symbols.toSorted().join()
  const what = `subscriptions to ${wanted || 'nothing'}`
  return until(what, async () => standIn.subscriptions().join() === wanted)
}

/** How many requests for a path an exchange has received. */
export function callsTo(standIn: StandIn, path: string): number {
  return standIn.restCalls().get(path) ?? 0
}

/** Watches a symbol in any spelling, and keeps all updates. */
export async function follow(prices: LivePrices, venue: MarketVenue, spelling: string): Promise<Follower> {
  return new Follower(prices, venue, await prices.resolve(venue, spelling))
}

export class Follower {
  readonly symbol: string
  readonly stop: () => void
  updates: Quote[] = []
  confirmations: Quote[] = []
  troubles: string[] = []

  constructor(prices: LivePrices, venue: MarketVenue, symbol: string) {
    this.symbol = symbol
    this.stop = prices.watch(venue, symbol, {
      onUpdate: (quote) => this.updates.push(quote),
      onConfirmation: (quote) => this.confirmations.push(quote),
      onTrouble: ({ reason }) => this.troubles.push(reason),
    })
  }

  get price(): number | undefined {
    return this.updates.at(-1)?.price
  }

  /** Resolves when the last update has this price. */
  sees(price: number, timeoutMs?: number): Promise<void> {
    const what = `${this.symbol} at ${price} (it was ${this.price})`
    return until(what, async () => this.price === price, timeoutMs)
  }

  /** Resolves when there is any price. */
  begins(): Promise<void> {
    return until(`a price of ${this.symbol}`, async () => this.updates.length > 0)
  }
}
