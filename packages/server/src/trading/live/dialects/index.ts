import type { MarketVenue } from '../../../market/price-source.ts'
import { liveEntryReason } from '../../entries/settings.ts'
import { binance } from './binance.ts'
import { bitget } from './bitget.ts'
import { bybit } from './bybit.ts'
import type { Dialect, EntryDialect } from './dialect.ts'
import { gate } from './gate.ts'
import { hyperliquid } from './hyperliquid.ts'
import { kraken } from './kraken.ts'
import { krakenFutures } from './kraken-futures.ts'
import { okx } from './okx.ts'

const dialects: Record<string, Dialect> = {
  binance,
  binanceusdm: binance,
  kraken,
  krakenfutures: krakenFutures,
  gate,
  bitget,
  bybit,
  hyperliquid,
  okx,
}

/** The dialect of an exchange; `undefined` if the service does not know it well enough to trade there with real money. */
export function dialectOf(exchange: string): Dialect | undefined {
  return dialects[exchange]
}

/** Whether the service sets leverage and margin mode of futures there. */
export function setsMargin(exchange: string): boolean {
  return dialectOf(exchange)?.margin !== undefined
}

/** How openings rest there; `undefined` where the service places none that would. */
export function entriesOf({ exchange, service }: MarketVenue): EntryDialect | undefined {
  return dialectOf(exchange)?.entries?.[service === 'spot' ? 'spot' : 'futures']
}

/** Why no opening may rest there, as a sentence; `null` if it may. */
export function whyNoLimits(venue: MarketVenue): string | null {
  return entriesOf(venue) === undefined ? liveEntryReason : null
}

/** The exchanges that live bots support, by ccxt's id. */
export const tradedExchanges: readonly string[] = Object.keys(dialects)
