/** The candles that a chart of a backtest shows. They are kept when those of the backtest are gone, so they are few. */
import { type CandleInterval, openingOf, readInterval } from '@tickwright/sandbox'
import type { Candles } from '../../market/simulated/candle-file.ts'
import { replayedIntervals } from '../../market/simulated/replayed-candles.ts'

/** Of more candles, neighbours are joined. */
export const mostKeptCandles = 20_000

const names = ['times', 'opens', 'highs', 'lows', 'closes', 'volumes'] as const
type Column = (typeof names)[number]

/** The candles from `first` to before `end`, few enough to be kept. If no interval makes them so few, the latest of them. */
export function keptCandles(candles: Candles, first: number, end: number): Candles {
  const kept = fewCandles(cut(candles, first, end), replayedIntervals(candles), mostKeptCandles)
  const { length } = kept.candles.times
  return length <= mostKeptCandles ? kept.candles : cut(kept.candles, length - mostKeptCandles, length)
}

/**
 * The candles in the shortest of these intervals in which they are at most so many, or else in the longest one.
 * @returns `interval`: `null` without intervals
 */
export function fewCandles(candles: Candles, intervals: readonly string[], most: number) {
  let few: { interval: string | null; candles: Candles } = { interval: null, candles }
  for (const interval of intervals) {
    few = { interval, candles: joinedCandles(candles, interval) }
    if (few.candles.times.length <= most) break
  }
  return few
}

/** Longer candles, aligned to UTC. The first and the last have what there is of them. */
export function joinedCandles(candles: Candles, interval: string): Candles {
  const duration = readInterval(interval)!
  if (duration.ms === candles.periodMs && duration.months === 0) return candles
  const lists = joinedLists(candles, duration)
  return {
    ...(Object.fromEntries(names.map((name) => [name, Float64Array.from(lists[name])])) as Pick<
      Candles,
      Column
    >),
    periodMs: duration.ms,
    decimals: candles.decimals,
  }
}

function joinedLists(candles: Candles, duration: CandleInterval): Record<Column, number[]> {
  const { times, opens, highs, lows, closes, volumes } = candles
  const joined: Record<Column, number[]> = {
    ...{ times: [], opens: [], highs: [], lows: [], closes: [], volumes: [] },
  }
  let at = -1
  for (const [index, time] of times.entries()) {
    const opening = openingOf(duration, time)
    if (joined.times[at] !== opening) {
      at += 1
      joined.times.push(opening)
      joined.opens.push(opens[index]!)
      joined.highs.push(highs[index]!)
      joined.lows.push(lows[index]!)
      joined.closes.push(closes[index]!)
      joined.volumes.push(volumes[index]!)
      continue
    }
    joined.highs[at] = Math.max(joined.highs[at]!, highs[index]!)
    joined.lows[at] = Math.min(joined.lows[at]!, lows[index]!)
    joined.closes[at] = closes[index]!
    joined.volumes[at]! += volumes[index]!
  }
  return joined
}

/** The latest `count` of these that open before a moment. */
export function latestCandles(candles: Candles, count: number, untilMs: number | null) {
  const { times, opens, highs, lows, closes, volumes } = candles
  const after = untilMs === null ? -1 : times.findIndex((time) => time >= untilMs)
  const end = after < 0 ? times.length : after
  const first = Math.max(0, end - count)
  return Array.from(times.subarray(first, end), (time, offset) => ({
    ...{ time, open: opens[first + offset]!, high: highs[first + offset]!, low: lows[first + offset]! },
    ...{ last: closes[first + offset]!, volume: volumes[first + offset]! },
  }))
}

function cut(candles: Candles, first: number, end: number): Candles {
  const columns = names.map((name) => [name, candles[name].subarray(first, end)])
  return { ...candles, ...(Object.fromEntries(columns) as Pick<Candles, Column>) }
}
