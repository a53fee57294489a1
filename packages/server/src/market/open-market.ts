import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { unknownEndpoints } from './live/endpoints.ts'
import { LivePrices } from './live/live-prices.ts'
import { Market } from './market.ts'
import { openPrices } from './prices-by-venue.ts'

/**
 * The market of this installation. It asks no exchange for anything before somebody asks it for a price.
 * @throws {ConfigError} for a candle file that cannot be used
 */
export async function openMarket(
  { market, exchangeEndpoints: endpoints }: Pick<Config, 'market' | 'exchangeEndpoints'>,
  logger: Logger,
): Promise<Market> {
  for (const exchange of unknownEndpoints(endpoints)) {
    logger.warn({ exchange }, 'EXCHANGE_ENDPOINTS names an exchange that nobody knows')
  }
  return new Market({
    source: await openPrices(market, () => new LivePrices({ endpoints, logger })),
    onError: (err) => logger.warn({ err }, 'a symbol could not be looked up'),
  })
}
