import { type Candle, openingOf, readInterval } from '@tickwright/sandbox'
import { decimal, plain } from '../../base/decimals.ts'
import type { MarketCandles } from '../../market/candles/market-candles.ts'
import { alongMissed, type MissedCourse } from '../../trading/protection/missed.ts'
import type { WatchedPosition } from './store.ts'

export type MissedCandles = Pick<MarketCandles, 'range'>

/** One request for candles has so many of them at most, so a longer time takes longer candles. */
const mostCandles = 1_000
/** The process may have watched for so long after it last noted that it did. */
const unnotedMs = 10_000
const intervals = ['1m', '5m', '1h', '1d'] as const

/**
 * What the prices since `missedSince` would have done to a position.
 * @throws what `MarketCandles.range` does
 */
export async function missedCourse(
  candles: MissedCandles,
  { userId, exchangeId, symbol, missedSince, position, settings, marks }: WatchedPosition,
  now: number,
): Promise<MissedCourse> {
  const spanMs = now - (missedSince ?? now)
  const interval = intervals.find((name) => spanMs <= mostCandles * readInterval(name)!.ms) ?? '1d'
  const duration = readInterval(interval)!
  const [oldest, since] = [now - mostCandles * duration.ms, (missedSince ?? now) + unnotedMs]
  // The candle in which the process ended has prices from before, when the stop may have been elsewhere.
  const from = openingOf(duration, Math.max(since, oldest) + duration.ms - 1)
  if (from >= now) return { marks, close: null }
  const { found } = await candles.range(
    userId,
    { exchange: String(exchangeId) },
    { symbol, interval },
    () => ({ since: from, until: now }),
  )
  const along = found.map((candle) => pricesOf(candle, Math.min(now, candle.time + duration.ms)))
  return alongMissed(position, settings, marks, along)
}

function pricesOf({ time, open, high, low, last }: Candle, closedAt: number) {
  const [opening, highest, lowest, close] = [open, high, low, last].map((price) =>
    plain(decimal(String(price))),
  )
  return { openedAt: time, closedAt, open: opening!, high: highest!, low: lowest!, close: close! }
}
