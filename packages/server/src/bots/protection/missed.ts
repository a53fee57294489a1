import { alongMissed, type MissedCourse } from '../../trading/protection/missed.ts'
import { candlesSince, type MissedCandles } from '../missed-candles.ts'
import type { WatchedPosition } from './store.ts'

/** The process may have watched for so long after it last noted that it did. */
const unnotedMs = 10_000

/**
 * What the prices since `missedSince` would have done to a position.
 * @throws what `MarketCandles.range` does
 */
export async function missedCourse(
  candles: MissedCandles,
  watched: WatchedPosition,
  now: number,
): Promise<MissedCourse> {
  const { missedSince, position, settings, marks } = watched
  const along = await candlesSince(candles, watched, (missedSince ?? now) + unnotedMs, now)
  return alongMissed(position, settings, marks, along)
}
