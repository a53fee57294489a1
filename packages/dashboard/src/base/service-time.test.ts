import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { noteServiceTime, serviceTimeOf } from './service-time.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const header = 'Sun, 01 Mar 2026 12:00:00 GMT'

afterEach(() => noteServiceTime(header, noon, noon))

test('a device whose clock is off has the time of the service', () => {
  for (const off of [-3_600_000, -5_000, 5_000, 86_400_000]) {
    noteServiceTime(header, noon + off + 450, noon + off + 550)
    assert.equal(serviceTimeOf(noon + off), noon)
  }
})

test('clocks that agree to the second are left as they are', () => {
  for (const off of [0, 900, -900]) {
    noteServiceTime(header, noon + off, noon + off + 100)
    assert.equal(serviceTimeOf(noon), noon)
  }
})

test('an answer without a time, or that took too long, changes nothing', () => {
  noteServiceTime(header, noon - 60_000, noon - 60_000)
  const before = serviceTimeOf(0)
  assert.ok(before > 50_000)
  noteServiceTime(null, noon, noon)
  noteServiceTime('no date', noon, noon)
  noteServiceTime(header, noon, noon + 60_000)
  noteServiceTime(header, noon, noon - 60_000)
  assert.equal(serviceTimeOf(0), before)
})
