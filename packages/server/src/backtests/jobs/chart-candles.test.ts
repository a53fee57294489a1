import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candles } from '../../market/simulated/candle-file.ts'
import { fewCandles, joinedCandles, keptCandles, latestCandles, mostKeptCandles } from './chart-candles.ts'

const minuteMs = 60_000

/** Candles of a minute; each opens at its number, and has a volume of 1. */
function minutes(count: number, first = 0, periodMs = minuteMs): Candles {
  const column = (of: (index: number) => number) =>
    Float64Array.from({ length: count }, (_, index) => of(index))
  return {
    times: column((index) => (first + index) * periodMs),
    opens: column((index) => index),
    highs: column((index) => index + 2),
    lows: column((index) => index - 2),
    closes: column((index) => index + 1),
    volumes: column(() => 1),
    ...{ periodMs, decimals: 0 },
  }
}

test('longer candles are aligned to UTC, and begin and end with what there is', () => {
  const hours = joinedCandles(minutes(90, 45), '1h')
  assert.equal(hours.periodMs, 60 * minuteMs)
  assert.deepEqual(latestCandles(hours, 10, null), [
    { time: 0, open: 0, high: 16, low: -2, last: 15, volume: 15 },
    { time: 60 * minuteMs, open: 15, high: 76, low: 13, last: 75, volume: 60 },
    { time: 120 * minuteMs, open: 75, high: 91, low: 73, last: 90, volume: 15 },
  ])
})

test('of many candles, longer ones are kept, and of a duration without a name the latest', () => {
  assert.equal(keptCandles(minutes(500), 100, 300).times.length, 200)
  const kept = keptCandles(minutes(100_000), 0, 100_000)
  assert.deepEqual([kept.periodMs, kept.times.length], [5 * minuteMs, 20_000])
  const odd = keptCandles(minutes(mostKeptCandles + 5, 0, 11_000), 0, mostKeptCandles + 5)
  assert.deepEqual([odd.periodMs, odd.times.length, odd.opens[0]], [11_000, mostKeptCandles, 5])
})

test('an interval in which the candles fit is found, or else the longest', () => {
  const intervals = ['1m', '15m', '1h']
  assert.equal(fewCandles(minutes(300), intervals, 300).interval, '1m')
  assert.equal(fewCandles(minutes(300), intervals, 299).interval, '15m')
  assert.equal(fewCandles(minutes(300), intervals, 1).interval, '1h')
  assert.equal(fewCandles(minutes(300), [], 1).interval, null)
})

test('older candles are those that open before a moment', () => {
  const opens = (count: number, untilMs: number | null) =>
    latestCandles(minutes(5), count, untilMs).map(({ open }) => open)
  assert.deepEqual(opens(2, null), [3, 4])
  assert.deepEqual(opens(2, 3 * minuteMs), [1, 2])
  assert.deepEqual(opens(9, 3 * minuteMs - 1), [0, 1, 2])
  assert.deepEqual(opens(9, 0), [])
})
