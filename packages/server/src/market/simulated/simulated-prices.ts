import type { CandleClock, CandleSource, CandleWindow } from '../candles/candle-source.ts'
import { type MarketVenue, NoSuchMarket, type PriceSource, type QuoteListener } from '../price-source.ts'
import type { MarketRules } from '../rules.ts'
import { EverySecond } from './every-second.ts'
import { pairSymbol, parsePair } from './pair.ts'
import { simulatedRules } from './rules.ts'
import { clockOfSeconds, simulatedCandles, simulatedMarkets, usualIntervals } from './simulated-candles.ts'
import { type SimulatedPair, simulatedPair, simulatedPrice } from './simulated-price.ts'

type Watched = { pair: SimulatedPair; listener: QuoteListener }

/**
 * Simulated prices of any pair on any venue: a new one each second, the same on every node and after every restart.
 */
export class SimulatedPrices implements PriceSource, CandleSource {
  readonly kind = 'sim'
  #watched: EverySecond<Watched>
  #clock: CandleClock

  /** @param now the time in Unix milliseconds */
  constructor(now: () => number = Date.now) {
    this.#clock = clockOfSeconds(() => Math.floor(now() / 1000) * 1000)
    this.#watched = new EverySecond(now, ({ pair, listener }, at) =>
      listener.onUpdate({ price: simulatedPrice(pair, at), at }),
    )
  }

  /** Not the name of the venue, so that nobody mistakes these prices for real ones. */
  nameOf(_venue: MarketVenue): string {
    return 'sim'
  }

  async resolve(_venue: MarketVenue, spelling: string): Promise<string> {
    const pair = parsePair(spelling)
    if (pair === undefined) {
      const shown = spelling.length > 40 ? `${spelling.slice(0, 40)}…` : spelling
      throw new NoSuchMarket(
        `The simulated market has only pairs, and "${shown}" is not one. Write a pair as BASE/QUOTE, such as BTC/USDT.`,
      )
    }
    return pairSymbol(pair)
  }

  async rules(venue: MarketVenue, symbol: string): Promise<MarketRules> {
    return simulatedRules(venue, symbol)
  }

  /** @param symbol a result of `resolve` */
  watch(_venue: MarketVenue, symbol: string, listener: QuoteListener): () => void {
    return this.#watched.add({ pair: pairOf(symbol), listener })
  }

  clockOf(): CandleClock {
    return this.#clock
  }

  isOpen(): boolean {
    return true
  }

  async intervals() {
    return { names: usualIntervals, kept: Number.POSITIVE_INFINITY }
  }

  async markets() {
    return simulatedMarkets
  }

  /** @param symbol a result of `resolve` */
  candles(_venue: MarketVenue, symbol: string, window: CandleWindow) {
    return simulatedCandles(pairOf(symbol), window)
  }

  async funding(): Promise<never> {
    throw new NoSuchMarket('The simulated market has no funding rates.')
  }

  async close(): Promise<void> {
    this.#watched.close()
  }
}

function pairOf(symbol: string): SimulatedPair {
  const [base = '', quote = ''] = symbol.split('/')
  return simulatedPair({ base, quote })
}
