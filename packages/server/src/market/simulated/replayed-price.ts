import type { Candles } from './candle-file.ts'

/**
 * The state of a candle file's market: trading at `price`; closed between two candles, where the last close remains the
 * price; or ended.
 */
export type ReplayedMoment =
  | { state: 'trading'; price: number }
  | { state: 'closed'; price: number }
  | { state: 'ended' }

/** When the candles begin and end, in Unix milliseconds. */
export function spanOf({ times, periodMs }: Candles): { from: number; to: number } {
  return { from: times[0]!, to: times.at(-1)! + periodMs }
}

/**
 * The market at a time of the candles, in Unix milliseconds. Within a candle, the price moves in three straight lines of
 * equal duration: from the open to the extreme that such a candle most often reaches first (the low of a rising one, the
 * high of a falling one), to the other extreme, and to the close.
 */
export function replayedAt(candles: Candles, marketMs: number): ReplayedMoment {
  const index = indexAt(candles.times, marketMs)
  if (index < 0) return { state: 'closed', price: candles.opens[0]! }
  const opened = candles.times[index]!
  const next = candles.times[index + 1]
  const closes = Math.min(opened + candles.periodMs, next ?? Infinity)
  if (marketMs <= closes) {
    return { state: 'trading', price: priceWithin(candles, index, (marketMs - opened) / (closes - opened)) }
  }
  return next === undefined ? { state: 'ended' } : { state: 'closed', price: candles.closes[index]! }
}

/** @param part the fraction of the candle that is over, 0 to 1 */
function priceWithin({ opens, highs, lows, closes, decimals }: Candles, index: number, part: number): number {
  const [open, high, low, close] = [opens[index]!, highs[index]!, lows[index]!, closes[index]!]
  const turns = close < open ? [open, high, low, close] : [open, low, high, close]
  const leg = Math.min(2, Math.floor(part * 3))
  const price = turns[leg]! + (turns[leg + 1]! - turns[leg]!) * (part * 3 - leg)
  // With the decimals of the file, and never beyond the candle's extremes.
  return Math.min(high, Math.max(low, Number(price.toFixed(decimals))))
}

/** The index of the last candle that has opened by then, or -1. */
function indexAt(times: Float64Array, marketMs: number): number {
  let [first, last] = [0, times.length]
  while (first < last) {
    const middle = (first + last) >>> 1
    if (times[middle]! <= marketMs) first = middle + 1
    else last = middle
  }
  return first - 1
}
