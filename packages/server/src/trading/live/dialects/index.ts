import { binance } from './binance.ts'
import { bitget } from './bitget.ts'
import { bybit } from './bybit.ts'
import type { Dialect } from './dialect.ts'
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

/** The exchanges that live bots support, by ccxt's id. */
export const tradedExchanges: readonly string[] = Object.keys(dialects)
