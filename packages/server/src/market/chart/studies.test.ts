import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candle } from '@tickwright/sandbox'
import fc from 'fast-check'
import { nameOf, readStudy, type Study, studyNames, studyOf, warmUpOf } from './studies.ts'

/** Hourly candles with these last prices. */
const candlesOf = (lasts: readonly number[]): Candle[] =>
  lasts.map((last, index) => ({
    ...{ time: Date.UTC(2026, 2, 1) + index * 3_600_000, open: lasts[index - 1] ?? last, last },
    high: Math.max(lasts[index - 1] ?? last, last),
    low: Math.min(lasts[index - 1] ?? last, last),
    ...{ volume: index, done: true },
  }))

const study = (text: string): Study => {
  const read = readStudy(text)
  assert.ok('name' in read, JSON.stringify(read))
  return read
}

test('a study has the usual lengths, or those that are written after its name', () => {
  const cases = {
    rsi: 'rsi:14',
    'RSI:7': 'rsi:7',
    'bb:': 'bb:20,2',
    'bb:10,2.5': 'bb:10,2.5',
    macd: 'macd:12,26,9',
    'macd:5,10': 'macd:5,10,9',
    volume: 'volume',
  }
  for (const [text, name] of Object.entries(cases)) assert.equal(nameOf(study(text)), name)
  assert.ok(studyNames.every((name) => warmUpOf(study(name)) <= 700))
})

test('what is no study is refused with the reason', () => {
  const cases: [string, RegExp][] = [
    ['', /must be of sma, ema/],
    ['constructor', /must be of/],
    [
      'rsi:0',
      /cannot have "rsi:0": The parameter interval of RSI must be a whole number from 1 to 200; it is 0$/,
    ],
    ['rsi:201', /whole number from 1 to 200/],
    ['rsi:1.5', /whole number from 1 to 200/],
    ['rsi:x', /whole number from 1 to 200/],
    ['rsi:14,3', /at most 1 numbers; "rsi:14,3" has 2/],
    ['bb:20,0', /above 0/],
    ['volume:3', /at most 0 numbers/],
  ]
  for (const [text, reason] of cases) {
    const read = readStudy(text)
    assert.ok('problem' in read, text)
    assert.match(read.problem, reason)
  }
})

test('averages, bands and oscillators have the values of their definitions', () => {
  const candles = candlesOf([1, 2, 3, 4, 5, 6])
  const linesOf = (text: string) => studyOf(study(text), candles).lines.map(({ values }) => values)
  assert.deepEqual(linesOf('sma:3'), [[null, null, 2, 3, 4, 5]])
  // Weights 1, 2 and 3.
  assert.deepEqual(linesOf('wma:3')[0]!.slice(0, 3), [null, null, (1 + 4 + 9) / 6])
  const [upper, middle, lower] = linesOf('bb:3,2')
  const deviation = Math.sqrt(2 / 3)
  assert.deepEqual(middle, [null, null, 2, 3, 4, 5])
  assert.ok(Math.abs(upper![2]! - (2 + 2 * deviation)) < 1e-12)
  assert.ok(Math.abs(lower![2]! - (2 - 2 * deviation)) < 1e-12)
  // A price that only rises.
  assert.equal(linesOf('rsi:3')[0]!.at(-1), 100)
  assert.deepEqual(linesOf('volume'), [[0, 1, 2, 3, 4, 5]])
})

test('a study has a number or nothing for each candle, whatever the prices are', () => {
  const price = fc.oneof(fc.double(), fc.constantFrom(0, -0, 1e300, -1e300, 5e-324, Number.NaN))
  fc.assert(
    fc.property(fc.array(price, { maxLength: 120 }), (lasts) => {
      for (const name of studyNames) {
        for (const { values } of studyOf(study(name), candlesOf(lasts)).lines) {
          assert.equal(values.length, lasts.length)
          assert.ok(values.every((value) => value === null || Number.isFinite(value)))
        }
      }
    }),
    { numRuns: 50 },
  )
})
