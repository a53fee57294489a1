import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { roundMs } from './durations.ts'

test('a duration is shown with at most two decimals', () => {
  assert.deepEqual([3.6942319999999995, 0.004, 0.005, 12, 1.005].map(roundMs), [3.69, 0, 0.01, 12, 1])
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => {
      assert.match(`${roundMs(ms)}`, /^\d+(\.\d\d?)?$/)
      assert.ok(Math.abs(roundMs(ms) - ms) <= 0.005 + 1e-6)
    }),
  )
})
