import { simulatedMarket } from '../catalogue/entries.ts'
import { ConfigError, type MarketConfig } from '../config.ts'
import type { MarketVenue, PriceSource, QuoteListener } from './price-source.ts'
import type { MarketRules } from './rules.ts'
import { CandleFileError, readCandleFile } from './simulated/candle-file.ts'
import { ReplayedPrices } from './simulated/replayed-prices.ts'
import { SimulatedPrices } from './simulated/simulated-prices.ts'

/**
 * Opens the source of prices that the settings select. A replay begins when this resolves.
 * @param live creates the source of live prices; called only if it is needed
 * @throws {ConfigError} for an invalid candle file
 */
export async function openPrices(market: MarketConfig, live: () => PriceSource): Promise<PriceSource> {
  switch (market.kind) {
    case 'live':
      return new PricesByVenue(live(), new SimulatedPrices())
    case 'sim':
      return new SimulatedPrices()
    case 'replay':
      return new ReplayedPrices({ candles: await candlesOf(market.file), speed: market.speed })
    default:
      return market satisfies never
  }
}

/** Live prices, and simulated ones for the simulated market, which is an exchange of its own in the catalogue. */
export class PricesByVenue implements PriceSource {
  readonly kind = 'live'
  #live: PriceSource
  #simulated: PriceSource

  constructor(live: PriceSource, simulated: PriceSource) {
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

  async close(): Promise<void> {
    await Promise.all([this.#live.close(), this.#simulated.close()])
  }

  #sourceOf({ exchange }: MarketVenue): PriceSource {
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
