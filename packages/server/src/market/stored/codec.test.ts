import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { packFigures, packTimes, unpackNumbers, unpackTexts, unpackTimes } from './codec.ts'
import { exactly } from './exact.ts'

test('a decimal keeps its value, whichever way it is written', () => {
  const written = {
    '0.10': '0.1',
    '1e-1': '0.1',
    '+.1': '0.1',
    '-0': '0',
    '1.5e2': '150',
    '1.5e1': '15',
    '00012.3400': '12.34',
    '8.12e-07': '0.000000812',
    '-1.50': '-1.5',
    '12345678901234567890.12345678901234567891': '12345678901234567890.12345678901234567891',
  }
  for (const [text, value] of Object.entries(written)) assert.equal(exactly(text), value, text)
  for (const text of ['', '.', 'abc', 'NaN', 'Infinity', '0x10', '1 2', '1e40', '1e999', '1e99999', '--1']) {
    assert.equal(exactly(text), undefined, text)
  }
})

/** Decimals with up to 18 digits, so that some columns fit into whole numbers and others do not. */
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }), fc.boolean())
  .map(([digits, shift, isShort]) => exactly(`${isShort ? digits % 100_000n : digits}e-${shift}`)!)

test('what is packed comes back exactly, also with many digits', () => {
  const columns = fc.integer({ min: 1, max: 20 }).chain((rows) =>
    fc.tuple(
      fc.constantFrom(1, 5).chain((count) => {
        const column = fc.array(decimal, { minLength: rows, maxLength: rows })
        return fc.array(column, { minLength: count, maxLength: count })
      }),
      fc.array(fc.integer({ min: -4e12, max: 4e12 }), { minLength: rows, maxLength: rows }),
    ),
  )
  fc.assert(
    fc.property(columns, ([figures, times]) => {
      const packed = packFigures(figures)
      assert.deepEqual(unpackTexts(packed, times.length, figures.length), figures)
      const numbers = unpackNumbers(packed, times.length, figures.length)
      assert.deepEqual(
        numbers.figures.map((column) => [...column]),
        figures.map((column) => column.map(Number)),
      )
      assert.deepEqual([...unpackTimes(packTimes(times), times.length)], times)
    }),
  )
})

test('a candle of a minute takes about ten bytes', () => {
  const rows = 1_000
  const walk = Array.from({ length: rows + 1 }, (_, row) => 60_000 + Math.sin(row * 7.3) * 40 + row / 10)
  const column = (value: (row: number) => number) =>
    Array.from({ length: rows }, (_, row) => exactly(value(row).toFixed(2))!)
  const figures = [
    column((row) => walk[row]!),
    column((row) => Math.max(walk[row]!, walk[row + 1]!) + (row % 13)),
    column((row) => Math.min(walk[row]!, walk[row + 1]!) - (row % 17)),
    column((row) => walk[row + 1]!),
    column((row) => (row * 7919) % 100),
  ]
  const times = Array.from({ length: rows }, (_, row) => 1_700_000_000_000 + row * 60_000)
  assert.ok(packFigures(figures).length + packTimes(times).length < 12 * rows)
})
