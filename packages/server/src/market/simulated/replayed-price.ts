import type { Candle } from '@tickwright/sandbox'
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

/** A candle as far as it has come by a time at or after its opening, with the volume that belongs to that part of it. */
export function candleUntil(candles: Candles, index: number, marketMs: number): Candle {
  const { times, opens, highs, lows, closes, volumes, periodMs } = candles
  const time = times[index]!
  const [open, close, volume] = [opens[index]!, closes[index]!, volumes[index]!]
  const ending = Math.min(time + periodMs, times[index + 1] ?? Infinity)
  if (marketMs >= ending) {
    return { time, open, high: highs[index]!, low: lows[index]!, last: close, volume, done: true }
  }
  const part = (marketMs - time) / (ending - time)
  const last = priceWithin(candles, index, part)
  // The prices at the turns that it has passed.
  const passed = turnsOf(candles, index).slice(0, 1 + Math.floor(part * 3))
  const [high, low] = [Math.max(...passed, last), Math.min(...passed, last)]
  return { time, open, high, low, last, volume: volume * part, done: false }
}

/** The prices between which a candle moves in straight lines. */
function turnsOf({ opens, highs, lows, closes }: Candles, index: number): number[] {
  const [open, high, low, close] = [opens[index]!, highs[index]!, lows[index]!, closes[index]!]
  return close < open ? [open, high, low, close] : [open, low, high, close]
}

/** @param part the fraction of the candle that is over, 0 to 1 */
function priceWithin(candles: Candles, index: number, part: number): number {
  const turns = turnsOf(candles, index)
  const leg = Math.min(2, Math.floor(part * 3))
  const price = turns[leg]! + (turns[leg + 1]! - turns[leg]!) * (part * 3 - leg)
  // With the decimals of the file, and never beyond the candle's extremes.
  const rounded = Number(price.toFixed(candles.decimals))
  return Math.min(candles.highs[index]!, Math.max(candles.lows[index]!, rounded))
}

/** The index of the last candle that has opened by then, or -1. */
export function indexAt(times: Float64Array, marketMs: number): number {
  let [first, last] = [0, times.length]
  while (first < last) {
    const middle = (first + last) >>> 1
    if (times[middle]! <= marketMs) first = middle + 1
    else last = middle
  }
  return first - 1
}
