import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  candleAt,
  curveOn,
  digitsOf,
  drawdownOf,
  type Mark,
  mergeCandles,
  placeMarks,
  textsByCandle,
} from './model.ts'

const candles = [100, 200, 300, 400].map((time) => ({ time }))
const mark = (at: number, kind: Mark['kind'] = 'fill', side: Mark['side'] = 'up'): Mark => ({
  at,
  kind,
  side,
  text: `${kind} ${at}`,
})

test('a moment belongs to the candle that was open', () => {
  assert.deepEqual(
    [99, 100, 199, 200, 5000].map((at) => candleAt(candles, at)),
    [-1, 0, 0, 1, 3],
  )
  assert.equal(candleAt([], 1), -1)
})

test('marks of one kind in one candle are drawn as one, and none before the first candle', () => {
  const marks = [mark(310), mark(50), mark(120), mark(150), mark(150, 'signal'), mark(160, 'fill', 'down')]
  assert.deepEqual(
    placeMarks(candles, marks).map(({ index, kind, side, marks }) => [index, kind, side, marks.length]),
    [
      [0, 'fill', 'up', 2],
      [0, 'signal', 'up', 1],
      [0, 'fill', 'down', 1],
      [2, 'fill', 'up', 1],
    ],
  )
  assert.deepEqual(
    [...textsByCandle(candles, marks.slice(0, 3))],
    [
      [0, ['fill 120']],
      [2, ['fill 310']],
    ],
  )
})

test('a curve has the last value of each candle, from what held before to the last candle', () => {
  const points = [
    { at: 10, value: 1 },
    { at: 210, value: 2 },
    { at: 290, value: 3 },
  ]
  assert.deepEqual(curveOn(candles, points), [
    { time: 100, value: 1 },
    { time: 200, value: 3 },
    { time: 400, value: 3 },
  ])
  assert.deepEqual(curveOn(candles, []), [])
  assert.deepEqual(curveOn([], points), [])
})

test('a drawdown is measured from the highest point before', () => {
  const values = [100, 110, 99, 121, 60.5].map((value, at) => ({ at, value }))
  assert.deepEqual(
    drawdownOf(values).map(({ value }) => value),
    [0, 0, -10, 0, -50],
  )
  assert.deepEqual(drawdownOf([{ at: 0, value: -5 }])[0]!.value, 0)
})

test('newer candles replace those of the same time', () => {
  const of = (name: string, ...times: number[]) => times.map((time) => ({ time, name }))
  const merged = mergeCandles(of('old', 1, 2, 3), of('new', 3, 4))
  assert.deepEqual(
    merged.map(({ time, name }) => `${name} ${time}`),
    ['old 1', 'old 2', 'new 3', 'new 4'],
  )
  assert.equal(mergeCandles(of('old', 1), []).length, 1)
})

test('prices have the decimals of their market', () => {
  const candle = { time: 0, open: 1, high: 1, low: 1, volume: 0 }
  assert.equal(digitsOf([{ ...candle, last: 65000.5 }]), 2)
  assert.equal(digitsOf([{ ...candle, last: 0.012345 }]), 6)
  assert.equal(digitsOf([{ ...candle, last: 1.5e-8 }]), 9)
  assert.equal(digitsOf([]), 2)
})
