import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Candles } from './candles/candles.ts'
import { unknownEndpoints } from './live/endpoints.ts'
import { LivePrices } from './live/live-prices.ts'
import { Market } from './market.ts'
import { type MarketSource, openPrices } from './prices-by-venue.ts'

/**
 * Opens the market of this installation and its candles, and the source of both. It contacts no exchange before the first
 * request.
 * @throws {ConfigError} for an invalid candle file
 */
export async function openMarket(
  { market: settings, exchangeEndpoints: endpoints }: Pick<Config, 'market' | 'exchangeEndpoints'>,
  logger: Logger,
): Promise<{ market: Market; candles: Candles; source: MarketSource }> {
  for (const exchange of unknownEndpoints(endpoints)) {
    logger.warn({ exchange }, 'EXCHANGE_ENDPOINTS names an unknown exchange')
  }
  const source = await openPrices(settings, () => new LivePrices({ endpoints, logger }))
  const market = new Market({
    source,
    onError: (err) => logger.warn({ err }, 'a symbol could not be looked up'),
  })
  const candles = new Candles({ source, resolve: (venue, name) => market.resolve(venue, name) })
  return { market, candles, source }
}
