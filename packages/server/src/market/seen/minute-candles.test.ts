import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MinuteCandles, minuteMs, type SeenCandle } from './minute-candles.ts'

const noon = Date.UTC(2026, 5, 1, 12)
const second = (seconds: number) => noon + seconds * 1_000

/** The candles of prices, given as seconds after noon. */
function candlesOf(prices: readonly [second: number, price: number][], endSecond: number): SeenCandle[] {
  const minutes = new MinuteCandles()
  const candles = prices.map(([at, price]) => minutes.see({ price, at: second(at) }))
  return [...candles, minutes.endBy(second(endSecond))].filter((candle) => candle !== undefined)
}

test('a minute has its first, highest, lowest and last price', () => {
  const prices: [number, number][] = [
    ...([
      [0, 10],
      [20, 14],
      [40, 8],
      [59, 11],
    ] as [number, number][]),
    ...([
      [60, 12],
      [119, 13],
    ] as [number, number][]),
  ]
  assert.deepEqual(candlesOf(prices, 120), [
    { time: noon, open: 10, high: 14, low: 8, close: 11 },
    { time: noon + minuteMs, open: 12, high: 13, low: 12, close: 13 },
  ])
})

test('a minute whose end nobody has seen is no candle, and one whose beginning nobody has seen is one', () => {
  assert.deepEqual(
    candlesOf(
      [
        [0, 10],
        [49, 11],
      ],
      60,
    ),
    [],
  )
  assert.deepEqual(
    candlesOf(
      [
        [0, 10],
        [49.999, 11],
        [130, 12],
      ],
      180,
    ),
    [],
  )
  const close = { time: noon, open: 11, high: 11, low: 11, close: 11 }
  assert.deepEqual(candlesOf([[50, 11]], 60), [close])
  assert.deepEqual(
    candlesOf(
      [
        [50, 11],
        [200, 12],
      ],
      210,
    ),
    [close],
  )
  assert.deepEqual(candlesOf([[59, 11]], 59.999), [], 'the minute is not over')
})

test('a late price says nothing about a minute that is over, and two in the other order keep their close', () => {
  assert.deepEqual(
    candlesOf(
      [
        [55, 10],
        [61, 20],
        [58, 99],
        [118, 22],
        [117, 25],
        [119, 23],
      ],
      120,
    ),
    [
      { time: noon, open: 10, high: 10, low: 10, close: 10 },
      { time: noon + minuteMs, open: 20, high: 25, low: 20, close: 23 },
    ],
  )
})

test('a clock that is set back begins a minute of its own', () => {
  assert.deepEqual(
    candlesOf(
      [
        [3_599, 10],
        [55, 20],
        [60, 21],
      ],
      61,
    ),
    [{ time: noon, open: 20, high: 20, low: 20, close: 20 }],
  )
})

test('whatever prices come, candles are of their minute alone, and no minute comes twice', () => {
  const price = fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: 1_000 }))
  fc.assert(
    fc.property(fc.array(price, { maxLength: 200 }), (unsorted) => {
      const prices = unsorted.toSorted(([one], [other]) => one - other)
      const candles = candlesOf(prices, 2_000)
      const expected = [...Map.groupBy(prices, ([at]) => Math.floor(at / 60))].flatMap(([minute, seen]) => {
        const figures = seen.map(([, figure]) => figure)
        const isKnownAtEnd = (minute + 1) * 60 - seen.at(-1)![0] <= 10
        const [open, close] = [figures[0]!, figures.at(-1)!]
        const range = { high: Math.max(...figures), low: Math.min(...figures) }
        return isKnownAtEnd ? [{ time: second(minute * 60), open, ...range, close }] : []
      })
      assert.deepEqual(candles, expected)
    }),
  )
})
