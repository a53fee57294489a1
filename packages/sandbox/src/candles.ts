/** Candles, as strategies and the API show them, and packed for the way into an isolate. */

import { type CandleInterval, endingOf, openingOf } from './candle-intervals.ts'

/**
 * `time` is when it opened, in Unix milliseconds. Prices are in quote currency, `volume` is in base currency (contracts
 * on some exchanges). `done`: it has ended, and never changes again.
 */
export type Candle = {
  time: number
  open: number
  high: number
  low: number
  last: number
  volume: number
  done: boolean
}

/** `exchange` and `service` are `null` for those of the strategy. */
export type CandleRequest = {
  symbol: string
  interval: string
  count: number
  exchange: string | null
  service: string | null
}

/** Candles on their way into isolates: how many, and the base64 of their columns. */
export class PackedCandles {
  readonly count: number
  readonly base64: string

  constructor(count: number, base64: string) {
    this.count = count
    this.base64 = base64
  }
}

/**
 * Packs candles in order of time. Their six columns follow one another as 64-bit floats, and then comes 1 if the last
 * candle is done; only that one can be unfinished. A guest reads this many times faster than numbers in JSON. An executor
 * gets an object that packs candles once, however many runs it answers.
 */
export function packCandles(candles: readonly Candle[]): PackedCandles {
  const count = candles.length
  const columns = new Float64Array(6 * count + 1)
  let index = 0
  for (const { time, open, high, low, last, volume } of candles) {
    columns[index] = time
    columns[count + index] = open
    columns[2 * count + index] = high
    columns[3 * count + index] = low
    columns[4 * count + index] = last
    columns[5 * count + index] = volume
    index += 1
  }
  columns[6 * count] = candles.at(-1)?.done === false ? 0 : 1
  return new PackedCandles(count, Buffer.from(columns.buffer).toString('base64'))
}

/**
 * Joins candles into longer ones, aligned to UTC. It leaves out the first if its beginning is missing. A candle is `done`
 * if its last part is and reaches its end, or if another one follows; `stepMs` is the duration of a part.
 */
export function joinCandles(candles: Iterable<Candle>, interval: CandleInterval, stepMs: number): Candle[] {
  const joined: Candle[] = []
  let first: number | undefined
  for (const { time, open, high, low, last, volume, done } of candles) {
    first ??= time
    const opening = openingOf(interval, time)
    const isOver = done && time + stepMs >= endingOf(interval, opening)
    const current = joined.at(-1)
    if (current === undefined || current.time !== opening) {
      if (current !== undefined) current.done = true
      joined.push({ time: opening, open, high, low, last, volume, done: isOver })
      continue
    }
    if (high > current.high) current.high = high
    if (low < current.low) current.low = low
    current.last = last
    current.volume += volume
    current.done = isOver
  }
  return joined[0]?.time === first ? joined : joined.slice(1)
}
