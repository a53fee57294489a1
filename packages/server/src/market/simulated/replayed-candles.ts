import { type Candle, endingOf, joinCandles, openingOf, readInterval } from '@tickwright/sandbox'
import type { CandleWindow } from '../candles/candle-source.ts'
import type { Candles } from './candle-file.ts'
import { candleUntil, indexAt } from './replayed-price.ts'
import { usualIntervals } from './simulated-candles.ts'

const minuteMs = 60_000

/** The duration of the file's own candles, and the usual intervals that are multiples of it. Shortest first. */
export function replayedIntervals({ periodMs }: Candles): string[] {
  const multiples = usualIntervals.filter((name) => {
    const { ms, months } = readInterval(name)!
    return ms > periodMs && (months > 0 ? (24 * 60 * minuteMs) % periodMs === 0 : ms % periodMs === 0)
  })
  return [...ownInterval(periodMs), ...multiples]
}

/** The name of a duration. One that is no whole number of minutes has none. */
function ownInterval(periodMs: number): string[] {
  const usual = usualIntervals.find((name) => readInterval(name)!.ms === periodMs)
  if (usual !== undefined) return [usual]
  const name = `${periodMs / minuteMs}m`
  return readInterval(name) === undefined ? [] : [name]
}

/** The candles of a file. The one that contains `at` has only what has happened by then. */
export function replayedCandles(candles: Candles, { interval, count, since, at }: CandleWindow): Candle[] {
  const { times, periodMs } = candles
  const duration = readInterval(interval)!
  const end = indexAt(times, at)
  if (end < 0) return []
  const isOwn = duration.ms === periodMs
  if (since !== undefined) {
    const from = indexAt(times, since - 1) + 1
    const to = Math.min(end, indexAt(times, endingOf(duration, since, count) - 1))
    return isOwn ? [...parts(candles, from, to, at)] : joined(parts(candles, from, to, at))
  }
  if (isOwn) return [...parts(candles, Math.max(0, end + 1 - count), end, at)]
  const first = endingOf(duration, openingOf(duration, times[end]!), 1 - count)
  return joined(parts(candles, indexAt(times, first - 1) + 1, end, at))

  function joined(shorter: Iterable<Candle>): Candle[] {
    return joinCandles(shorter, duration, periodMs).slice(-count)
  }
}

function* parts(candles: Candles, from: number, to: number, at: number): Generator<Candle, undefined> {
  for (let index = from; index <= to; index++) yield candleUntil(candles, index, at)
}
