import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outages } from './outages.ts'

test('a backtest waits longer for each outage, at most a minute, and from the beginning once it has stored something', () => {
  const outages = new Outages()
  const waits = () => Array.from({ length: 9 }, () => outages.add(1))
  const first = waits()
  assert.deepEqual(
    first.map(({ pauseMs }) => pauseMs / 1_000),
    [1, 2, 4, 8, 16, 32, 60, 60, 60],
  )
  assert.deepEqual(
    first.slice(0, 2).map(({ reason }) => reason),
    [null, null],
  )
  assert.match(first[2]!.reason!, /^The backtest waits, because .* 3 times in a row\./)
  assert.deepEqual(outages.add(2), { pauseMs: 1_000, reason: null }, 'another backtest')
  outages.end(1)
  assert.deepEqual(waits(), first)
})
