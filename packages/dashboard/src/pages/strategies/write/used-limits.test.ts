import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usedLimits } from './used-limits.ts'

test('each limit says how much of it was used, also one that this page does not know', () => {
  const limits = {
    time_ms: { used: 2500, max: 5000 },
    log_bytes: { used: 0, max: 0 },
    new_things: { used: 1, max: 1 },
  }
  assert.deepEqual(usedLimits(limits), [
    { name: 'Time', used: 2500, max: 5000, unit: 'ms', share: 0.5 },
    { name: 'Log', used: 0, max: 0, unit: 'bytes', share: 0 },
    { name: 'new_things', used: 1, max: 1, share: 1 },
  ])
})
