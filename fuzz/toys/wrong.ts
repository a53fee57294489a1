import assert from 'node:assert/strict'
import fc from 'fast-check'
import { valuesTarget } from '../target.ts'

/** Holds for all numbers except large ones. */
export default valuesTarget(fc.record({ size: fc.nat(), name: fc.string() }), async ({ size }) => {
  await Promise.resolve()
  assert.ok(size < 1000, 'too large')
})
