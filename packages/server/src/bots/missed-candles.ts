import { type Candle, openingOf, readInterval } from '@tickwright/sandbox'
import { decimal, plain } from '../base/decimals.ts'
import type { MarketCandles } from '../market/candles/market-candles.ts'
import type { CandlePrices } from '../trading/protection/along-candle.ts'

export type MissedCandles = Pick<MarketCandles, 'range'>

/** One request for candles has so many of them at most, so a longer time takes longer candles. */
const mostCandles = 1_000
const intervals = ['1m', '5m', '1h', '1d'] as const

/**
 * The candles of a symbol that began after `since`, with those of the unfinished one so far: prices from before must not
 * count. At most 1,000, of a minute each if that covers the time.
 * @throws what `MarketCandles.range` does
 */
export async function candlesSince(
  candles: MissedCandles,
  { userId, exchangeId, symbol }: { userId: number; exchangeId: number; symbol: string },
  since: number,
  now: number,
): Promise<(CandlePrices & { openedAt: number; closedAt: number })[]> {
  const interval = intervals.find((name) => now - since <= mostCandles * readInterval(name)!.ms) ?? '1d'
  const duration = readInterval(interval)!
  const oldest = now - mostCandles * duration.ms
  const from = openingOf(duration, Math.max(since, oldest) + duration.ms - 1)
  if (from >= now) return []
  const range = () => ({ since: from, until: now })
  const { found } = await candles.range(userId, { exchange: String(exchangeId) }, { symbol, interval }, range)
  return found.map((candle) => pricesOf(candle, Math.min(now, candle.time + duration.ms)))
}

function pricesOf({ time, open, high, low, last }: Candle, closedAt: number) {
  const [opening, highest, lowest, close] = [open, high, low, last].map((price) =>
    plain(decimal(String(price))),
  )
  return { openedAt: time, closedAt, open: opening!, high: highest!, low: lowest!, close: close! }
}
