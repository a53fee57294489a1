import { simulatedMarket } from '../catalogue/entries.ts'
import { ConfigError, type MarketConfig } from '../config.ts'
import type { CandleClock, CandleSource, CandleWindow, ListedMarket } from './candles/candle-source.ts'
import type { MarketVenue, PriceSource, QuoteListener } from './price-source.ts'
import type { MarketRules } from './rules.ts'
import { CandleFileError, readCandleFile } from './simulated/candle-file.ts'
import { ReplayedPrices } from './simulated/replayed-prices.ts'
import { SimulatedPrices } from './simulated/simulated-prices.ts'

/** A source of prices and candles. */
export type MarketSource = PriceSource & CandleSource

/**
 * Opens the source of prices that the settings select. A replay begins when this resolves.
 * @param live creates the source of live prices; called only if it is needed
 * @throws {ConfigError} for an invalid candle file
 */
export async function openPrices(market: MarketConfig, live: () => MarketSource): Promise<MarketSource> {
  switch (market.kind) {
    case 'live':
      return new PricesByVenue(live(), new SimulatedPrices())
    case 'sim':
      return new SimulatedPrices()
    case 'replay': {
      const { file, ...replay } = market
      return new ReplayedPrices({ candles: await candlesOf(file), ...replay })
    }
    default:
      return market satisfies never
  }
}

/** Live prices, and simulated ones for the simulated market, which is an exchange of its own in the catalogue. */
export class PricesByVenue implements MarketSource {
  readonly kind = 'live'
  #live: MarketSource
  #simulated: MarketSource

  constructor(live: MarketSource, simulated: MarketSource) {
    this.#live = live
    this.#simulated = simulated
  }

  nameOf(venue: MarketVenue): string {
    return this.#sourceOf(venue).nameOf(venue)
  }

  resolve(venue: MarketVenue, spelling: string): Promise<string> {
    return this.#sourceOf(venue).resolve(venue, spelling)
  }

  rules(venue: MarketVenue, symbol: string): Promise<MarketRules> {
    return this.#sourceOf(venue).rules(venue, symbol)
  }

  watch(venue: MarketVenue, symbol: string, listener: QuoteListener): () => void {
    return this.#sourceOf(venue).watch(venue, symbol, listener)
  }

  clockOf(venue: MarketVenue): CandleClock {
    return this.#sourceOf(venue).clockOf(venue)
  }

  isOpen(venue: MarketVenue): boolean {
    return this.#sourceOf(venue).isOpen(venue)
  }

  intervals(venue: MarketVenue) {
    return this.#sourceOf(venue).intervals(venue)
  }

  markets(venue: MarketVenue): Promise<readonly ListedMarket[]> {
    return this.#sourceOf(venue).markets(venue)
  }

  candles(venue: MarketVenue, symbol: string, window: CandleWindow) {
    return this.#sourceOf(venue).candles(venue, symbol, window)
  }

  funding(venue: MarketVenue, symbol: string, span: { since: number; until: number }) {
    return this.#sourceOf(venue).funding(venue, symbol, span)
  }

  async close(): Promise<void> {
    await Promise.all([this.#live.close(), this.#simulated.close()])
  }

  #sourceOf({ exchange }: MarketVenue): MarketSource {
    return exchange === simulatedMarket.exchange ? this.#simulated : this.#live
  }
}

async function candlesOf(file: string) {
  try {
    return await readCandleFile(file)
  } catch (error) {
    if (!(error instanceof CandleFileError)) throw error
    throw new ConfigError(`The candle file in MARKET cannot be used. ${error.message}`, {
      cause: error,
    })
  }
}
