import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultUnprotected, isTooLong } from './unprotected.ts'

const closes = { seconds: 60, action: 'close' as const }

test('a position is closed only after the whole time, if its stop was refused and its owner wants that', () => {
  const refused = { since: 1_000, last: 'REJECTED' as const }
  assert.equal(isTooLong(refused, closes, 60_999), false)
  assert.equal(isTooLong(refused, closes, 61_000), true)
  assert.equal(isTooLong(refused, { ...closes, action: 'watch' }, 1e9), false)
  assert.equal(isTooLong(refused, defaultUnprotected, 1e9), false)
})

test('a stop that rests, or that the exchange has not answered, closes nothing', () => {
  assert.equal(isTooLong({ since: null, last: 'REJECTED' }, closes, 1e9), false)
  for (const last of ['PLANNED', 'UNKNOWN', 'OPEN', 'TRIGGERED', 'CANCELED', null] as const) {
    assert.equal(isTooLong({ since: 1_000, last }, closes, 1e9), false)
  }
})
