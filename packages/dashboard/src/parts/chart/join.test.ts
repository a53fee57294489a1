import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  durationOf,
  groupingOf,
  joinCandles,
  joinCurve,
  joinRange,
  partRange,
  single,
  sizeFor,
} from './join.ts'

const minute = 60_000
const candle = (time: number, [open, high, low, last]: readonly number[], volume = 1) => ({
  ...{ time, open: open!, high: high!, low: low!, last: last!, volume },
})
/** Candles of a minute from this minute on. */
const minutes = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => candle((from + n) * minute, [n, n + 0.5, n - 0.5, n + 0.25], n))

test('joined candles have the first open, the extremes, the last close and all of the volume', () => {
  const candles = [
    candle(0, [10, 12, 9, 11], 1),
    candle(1, [11, 15, 11, 14], 2),
    candle(2, [14, 14, 3, 4], 4),
    candle(3, [4, 5, 4, 5], 8),
  ]
  assert.deepEqual(joinCandles(candles, { size: 3, skip: 0 }), [
    { time: 0, end: 2, count: 3, open: 10, high: 15, low: 3, last: 4, volume: 7 },
    { time: 3, end: 3, count: 1, open: 4, high: 5, low: 4, last: 5, volume: 8 },
  ])
  assert.deepEqual(
    joinCandles(candles, single).map(({ end, count, ...each }) =>
      count === 1 && end === each.time ? each : 0,
    ),
    candles,
  )
  assert.deepEqual(joinCandles([], { size: 3, skip: 0 }), [])
})

test('whatever the groups, nothing is lost and nothing counts twice', () => {
  for (const length of [1, 2, 59, 60, 61, 500])
    for (const size of [1, 2, 7, 60, 1000])
      for (const from of [0, 1, 59, 1234]) {
        const candles = minutes(from, length)
        const joined = joinCandles(candles, groupingOf(candles, size))
        const sum = (list: readonly { volume: number }[]) => list.reduce((all, { volume }) => all + volume, 0)
        assert.equal(sum(joined), sum(candles))
        assert.equal(
          joined.reduce((all, { count }) => all + count, 0),
          length,
        )
        assert.equal(joined[0]!.open, candles[0]!.open)
        assert.equal(joined.at(-1)!.last, candles.at(-1)!.last)
        assert.ok(joined.every(({ count }) => count >= 1 && count <= size))
      }
})

test('groups begin at even times, and stay the same as candles are added at either end', () => {
  const starts = (from: number, count: number) => {
    const candles = minutes(from, count)
    return joinCandles(candles, groupingOf(candles, 15)).map(({ time }) => time / minute)
  }
  assert.deepEqual(starts(7, 40), [7, 15, 30, 45])
  assert.deepEqual(starts(7, 60), [7, 15, 30, 45, 60])
  assert.deepEqual(starts(-8, 60), [-8, 0, 15, 30, 45])
})

test('a candle that is missing does not change where others are', () => {
  const candles = minutes(0, 30).filter((_, index) => index !== 4)
  const grouping = groupingOf(candles, 10)
  assert.deepEqual(
    joinCandles(candles, grouping).map(({ count }) => count),
    [10, 10, 9],
  )
  assert.equal(durationOf(candles), minute)
  assert.equal(durationOf([]), 0)
  assert.deepEqual(groupingOf(minutes(7, 1), 5), { size: 5, skip: 0 })
})

test('candles are joined when more than two share a pixel, and parted when one takes two', () => {
  assert.equal(sizeFor(1, 2, minute), 1)
  assert.equal(sizeFor(1, 2.1, minute), 3)
  assert.equal(sizeFor(1, 41, minute), 60)
  assert.equal(sizeFor(60, 41, minute), 60)
  assert.equal(sizeFor(60, 30, minute), 60)
  assert.equal(sizeFor(60, 29, minute), 30)
  assert.equal(sizeFor(2, 0.1, minute), 1)
  // Hours become parts of a day, and days whole days. What has no even part is joined all the same.
  assert.equal(sizeFor(1, 4.5, 60 * minute), 6)
  assert.equal(sizeFor(1, 4.5, 1440 * minute), 5)
  assert.equal(sizeFor(1, 4.5, 7 * minute), 5)
  assert.equal(sizeFor(1, 4.5, 0), 5)
})

test('what is joined stays joined at the same width, and what is parted stays parted', () => {
  for (const durationMs of [minute, 5 * minute, 60 * minute, 240 * minute, 1440 * minute, 7 * minute, 0])
    for (let perPixel = 0.01; perPixel < 500; perPixel *= 1.07)
      for (const now of [1, 2, 5, 60, 1000]) {
        const size = sizeFor(now, perPixel, durationMs)
        assert.equal(sizeFor(size, perPixel, durationMs), size, `${now} at ${perPixel} of ${durationMs}`)
        assert.ok(perPixel / size <= 2)
      }
})

test('a range comes back unchanged, and its edges stay in their place', () => {
  const grouping = { size: 15, skip: 7 }
  const range = { from: -3.25, to: 99.5 }
  assert.deepEqual(partRange(joinRange(range, grouping), grouping), range)
  // The first group is shown as wide as the others. The second one begins with the ninth candle.
  assert.deepEqual(partRange({ from: 1, to: 1 }, grouping), { from: 8, to: 22 })
  assert.deepEqual(partRange({ from: 3, to: 9 }, single), { from: 3, to: 9 })
})

test('a curve keeps the last or the lowest value of what is joined', () => {
  const joined = [{ time: 0 }, { time: 30 }, { time: 60 }]
  const curve = [
    { time: 0, value: -1 },
    { time: 10, value: -5 },
    { time: 20, value: -2 },
    { time: 70, value: -3 },
  ]
  assert.deepEqual(
    joinCurve(joined, curve, (_, later) => later),
    [
      { time: 0, value: -2 },
      { time: 60, value: -3 },
    ],
  )
  assert.deepEqual(
    joinCurve(joined, curve, Math.min).map(({ value }) => value),
    [-5, -3],
  )
})
