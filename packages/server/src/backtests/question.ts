/** What is asked of a backtest: which candles, and which parameters. */
import type { MarketTimes } from './market-times.ts'

/** Candles by number: the code runs from `warmUp` on, and its bots trade from `first` to before `end`. */
export type CandleRange = { warmUp: number; first: number; end: number }

/** In Unix ms; `null`: from the first candle on, to the last one, without a warm-up. */
export type AskedTimes = { fromMs: number | null; toMs: number | null; warmUpFromMs: number | null }

/** The candles of the time that was asked for. There are none unless `first` is before `end`. */
export function candlesIn(data: MarketTimes, { fromMs, toMs, warmUpFromMs }: AskedTimes): CandleRange {
  const first = fromMs === null ? 0 : data.firstFrom(fromMs)
  const end = toMs === null ? data.length : data.endAt(toMs)
  const warmUp = warmUpFromMs === null ? first : data.firstFrom(warmUpFromMs)
  return { warmUp, first, end }
}

/** The parameters that nothing in the code is called after: they would change nothing. */
export function neverRead(code: string, names: readonly string[]): string[] {
  return names.filter((name) => !new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(code))
}
