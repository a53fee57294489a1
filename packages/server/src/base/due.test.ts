import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDue } from './due.ts'

test('a moment has come when its time is there, or when the clock was set back by more than any pause', () => {
  const pausesMs = [5, 100]
  const noon = 1_000_000
  assert.deepEqual(
    [-1, 0, 1, 200, 201, 3_600_000].map((aheadMs) => isDue(noon + aheadMs, noon, pausesMs)),
    [true, true, false, false, true, true],
  )
})
