import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundedMs } from './rounding.ts'

test('a duration has at most two decimals', () => {
  const cases = [
    [3.6942319999999995, 3.69],
    [0.005, 0.01],
    [0.0049, 0],
    [5000, 5000],
    [120_000.994999, 120_000.99],
  ] as const
  for (const [given, shown] of cases) assert.equal(roundedMs(given), shown)
})
