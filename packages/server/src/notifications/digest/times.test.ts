import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextDigest } from './times.ts'

const berlin = { at: '02:30', time_zone: 'Europe/Berlin' }
const next = (time: typeof berlin, after: string, lastDay: string | null = null) => {
  const { atMs, day } = nextDigest(time, Date.parse(after), lastDay)
  return `${day} ${new Date(atMs).toISOString().slice(0, 16)}`
}

test('a digest is due at its time in its zone, also when the clock changes', () => {
  const eight = { at: '08:00', time_zone: 'Europe/Berlin' }
  assert.equal(next(eight, '2026-01-15T06:59:00Z'), '2026-01-15 2026-01-15T07:00')
  assert.equal(next(eight, '2026-01-15T07:00:00Z'), '2026-01-16 2026-01-16T07:00')
  assert.equal(next(eight, '2026-07-15T00:00:00Z'), '2026-07-15 2026-07-15T06:00')
  // Skipped: from 02:00 to 03:00.
  assert.equal(next(berlin, '2026-03-29T00:00:00Z'), '2026-03-29 2026-03-29T01:30')
  // Twice.
  assert.equal(next(berlin, '2026-10-24T22:30:00Z'), '2026-10-25 2026-10-25T00:30')
  assert.equal(next(berlin, '2026-10-25T00:45:00Z'), '2026-10-26 2026-10-26T01:30')
  assert.equal(
    next({ at: '00:00', time_zone: 'Pacific/Kiritimati' }, '2026-01-15T09:00:00Z'),
    '2026-01-16 2026-01-15T10:00',
  )
})

test('no day has two, whatever time or zone its user chooses next', () => {
  assert.equal(
    next({ at: '09:00', time_zone: 'UTC' }, '2026-01-15T08:01:00Z', '2026-01-15'),
    '2026-01-16 2026-01-16T09:00',
  )
  assert.equal(
    next({ at: '09:00', time_zone: 'America/Los_Angeles' }, '2026-01-15T08:01:00Z', '2026-01-16'),
    '2026-01-17 2026-01-17T17:00',
  )
})

test('the next digest is after now, after the last day, and within two days of both', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
  )
  const times = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  const two = (number: number) => String(number).padStart(2, '0')
  const property = fc.property(
    zones,
    times,
    fc.integer({ min: 0, max: 4e12 }),
    (time_zone, [hour, minute], now) => {
      const time = { at: `${two(hour)}:${two(minute)}`, time_zone }
      const first = nextDigest(time, now, null)
      assert.ok(first.atMs > now && first.atMs - now <= 26 * 3_600_000, JSON.stringify(first))
      const second = nextDigest(time, first.atMs, first.day)
      assert.ok(second.day > first.day && second.atMs > first.atMs)
      assert.ok(second.atMs - first.atMs <= 26 * 3_600_000)
    },
  )
  fc.assert(property)
})
