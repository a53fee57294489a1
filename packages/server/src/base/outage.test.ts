import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outage } from './outage.ts'

test('an outage begins with the first failure and ends with the first success', () => {
  const outage = new Outage()
  assert.equal(outage.worked(), false)
  assert.deepEqual([outage.failed(), outage.failed(), outage.failed()], [true, false, false])
  assert.equal(outage.isOn, true)
  assert.deepEqual([outage.worked(), outage.worked()], [true, false])
  assert.deepEqual([outage.isOn, outage.lastedMs], [false, 0])
})

test('an outage that comes and goes is reported twice at most', () => {
  const outage = new Outage()
  let reports = 0
  for (let i = 0; i < 1_000; i++) {
    if (outage.failed()) reports++
    if (outage.worked()) reports++
  }
  assert.equal(reports, 3, 'begins, ends, begins again')
  assert.equal(outage.isOn, true)
})

test('an unsteady outage ends after a calm time', (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const outage = new Outage(1_000)
  outage.failed()
  outage.worked()
  nowMs = 500
  assert.equal(outage.failed(), true)
  nowMs = 1_499
  assert.equal(outage.worked(), false)
  nowMs = 1_500
  assert.equal(outage.lastedMs, 1_000)
  assert.equal(outage.worked(), true)
  nowMs = 3_000
  assert.deepEqual([outage.failed(), outage.worked()], [true, true], 'long after, it is steady again')
})
