import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barsOf } from './bars.ts'

const volumes = (...each: number[]) => each.map((volume) => ({ volume }))

test('each bar is as high as its part of the highest one in view', () => {
  const bars = barsOf(volumes(100, 5, 10, 20, 100), { from: 1, to: 3 }, { middle: 2, width: 3 })
  assert.deepEqual(bars, [
    { left: 4, width: 3, part: 0.25 },
    { left: 7, width: 3, part: 0.5 },
    { left: 10, width: 3, part: 1 },
  ])
})

test('wide bars have a gap between them', () => {
  const bars = barsOf(volumes(1, 1), { from: 0, to: 1 }, { middle: 5, width: 10 })
  assert.deepEqual(
    bars.map(({ left, width }) => [left, width]),
    [
      [0, 9],
      [10, 9],
    ],
  )
})

test('of the volumes that share a column of pixels, the highest is drawn', () => {
  const bars = barsOf(volumes(1, 4, 2, 8, 0, 3), { from: 0, to: 5 }, { middle: 0.26, width: 0.25 })
  assert.deepEqual(bars, [
    { left: 0, width: 1, part: 0.5 },
    { left: 1, width: 1, part: 1 },
  ])
})

test('a view that goes beyond the candles shows those that are there', () => {
  const bars = barsOf(volumes(2, 1), { from: -7.5, to: 40.2 }, { middle: 0, width: 2 })
  assert.deepEqual(
    bars.map(({ part }) => part),
    [1, 0.5],
  )
  assert.deepEqual(barsOf([], { from: 0, to: 9 }, { middle: 0, width: 2 }), [])
  assert.deepEqual(barsOf(volumes(0, 0), { from: 0, to: 1 }, { middle: 0, width: 2 }), [])
})
