import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { unknownEndpoints } from './live/endpoints.ts'
import { LivePrices } from './live/live-prices.ts'
import { Market } from './market.ts'
import { openPrices } from './prices-by-venue.ts'

/**
 * Opens the market of this installation. It contacts no exchange before the first request for a price.
 * @throws {ConfigError} for an invalid candle file
 */
export async function openMarket(
  { market, exchangeEndpoints: endpoints }: Pick<Config, 'market' | 'exchangeEndpoints'>,
  logger: Logger,
): Promise<Market> {
  for (const exchange of unknownEndpoints(endpoints)) {
    logger.warn({ exchange }, 'EXCHANGE_ENDPOINTS names an unknown exchange')
  }
  return new Market({
    source: await openPrices(market, () => new LivePrices({ endpoints, logger })),
    onError: (err) => logger.warn({ err }, 'a symbol could not be looked up'),
  })
}
