import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countdownText, leftOf } from './countdown.ts'

test('the time that is left counts whole seconds, and never below zero', () => {
  assert.equal(countdownText(899_001), '15:00')
  assert.equal(countdownText(899_000), '14:59')
  assert.equal(countdownText(61_000), '1:01')
  assert.equal(countdownText(3_723_000), '1:02:03')
  assert.equal(countdownText(1), '0:01')
  assert.equal(countdownText(0), '0:00')
  assert.equal(countdownText(-5000), '0:00')
})

test('the part that is left stays between 0 and 1, whatever the clock of the device says', () => {
  const [from, until] = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:10:00.000Z']
  const at = (time: string) => leftOf(from, until, Date.parse(`2026-03-01T${time}.000Z`))
  assert.equal(at('12:00:00'), 1)
  assert.equal(at('12:05:00'), 0.5)
  assert.equal(at('13:00:00'), 0)
  assert.equal(at('11:00:00'), 1)
  assert.equal(leftOf(until, until, 0), 0)
})
