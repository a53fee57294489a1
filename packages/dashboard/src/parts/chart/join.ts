/**
 * Candles that are drawn as one. Where a pixel has many candles, a chart can only show what they amount to: the chart
 * library then gets one candle for several, which is as exact and takes a fraction of the time.
 */

import { type Candle, candleAt } from './model.ts'

/** Several candles as one: the first open, the highest high, the lowest low, the last close, the sum of the volumes. */
export type JoinedCandle = Candle & {
  /** When the last of them opened, in Unix milliseconds. */
  end: number
  /** How many they are. */
  count: number
}

/** How candles are joined: `size` of them at a time. The first group has `skip` fewer. */
export type Grouping = { size: number; skip: number }

export const single: Grouping = { size: 1, skip: 0 }

/** With more candles than this for a pixel, they are joined. */
const most = 2
/** With fewer than this for a pixel, joined ones are parted. */
const fewest = 0.5

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * How many candles to join. It changes only where too many or too few share a pixel, and then there is about one for each.
 * @param now how many are joined now
 * @param perPixel how many candles, each by itself, a pixel has
 * @param durationMs of a candle
 */
export function sizeFor(now: number, perPixel: number, durationMs: number): number {
  const drawn = perPixel / now
  if (drawn <= most && (drawn >= fewest || now === 1)) return now
  return evenSize(Math.max(1, Math.ceil(perPixel)), durationMs)
}

/** At least this many, and if possible so many that they are an even part of an hour or of a day, or whole days. */
function evenSize(least: number, durationMs: number): number {
  for (let size = least; size < 2 * least; size++) if (isEven(size * durationMs)) return size
  return least
}

const isEven = (spanMs: number) =>
  hourMs % spanMs === 0 || (spanMs % hourMs === 0 && dayMs % spanMs === 0) || spanMs % dayMs === 0

/** The shortest time between two of the first candles, in milliseconds; 0 if there is none. */
export function durationOf(candles: readonly Pick<Candle, 'time'>[]): number {
  let shortest = Number.POSITIVE_INFINITY
  for (let index = 1; index < Math.min(candles.length, 100); index++)
    shortest = Math.min(shortest, candles[index]!.time - candles[index - 1]!.time)
  return Number.isFinite(shortest) ? shortest : 0
}

/** Groups begin at even times, such as full hours, as long as no candle is missing. */
export function groupingOf(candles: readonly Pick<Candle, 'time'>[], size: number): Grouping {
  const durationMs = durationOf(candles)
  if (durationMs === 0) return { size, skip: 0 }
  const place = Math.floor(candles[0]!.time / durationMs)
  // There are times before 1970.
  return { size, skip: ((place % size) + size) % size }
}

/** @param candles the oldest first */
export function joinCandles(candles: readonly Candle[], { size, skip }: Grouping): JoinedCandle[] {
  const joined: JoinedCandle[] = []
  for (let start = -skip; start < candles.length; start += size) {
    const from = Math.max(0, start)
    const to = Math.min(start + size, candles.length)
    const { time, open } = candles[from]!
    let { high, low, volume } = candles[from]!
    for (let index = from + 1; index < to; index++) {
      const candle = candles[index]!
      if (candle.high > high) high = candle.high
      if (candle.low < low) low = candle.low
      volume += candle.volume
    }
    const last = candles[to - 1]!
    joined.push({ time, open, high, low, last: last.last, volume, end: last.time, count: to - from })
  }
  return joined
}

/**
 * A curve on the times of joined candles.
 * @param curve on the times of the candles, the oldest first
 * @param pick which of two values in one joined candle is shown
 */
export function joinCurve(
  joined: readonly Pick<Candle, 'time'>[],
  curve: readonly { time: number; value: number }[],
  pick: (earlier: number, later: number) => number,
): { time: number; value: number }[] {
  const values = new Map<number, number>()
  for (const { time, value } of curve) {
    const start = joined[candleAt(joined, time)]!.time
    const before = values.get(start)
    values.set(start, before === undefined ? value : pick(before, value))
  }
  return [...values].map(([time, value]) => ({ time, value }))
}

/** The first and the last place in view, counted in candles; both may be fractions, and beyond the ends. */
export type Range = { from: number; to: number }

/** From places of joined candles to those of candles. A range reaches from the start of its first place to the end of its last. */
export function partRange({ from, to }: Range, { size, skip }: Grouping): Range {
  return { from: from * size - skip, to: (to + 1) * size - skip - 1 }
}

/** From places of candles to those of joined candles. */
export function joinRange({ from, to }: Range, { size, skip }: Grouping): Range {
  return { from: (from + skip) / size, to: (to + 1 + skip) / size - 1 }
}
