import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMoment, formatDistance, formatDuration, formatMoment } from './times.ts'

const now = Date.parse('2026-03-29T12:00:00Z')

test('a duration has one or two units', () => {
  const cases: [number, string][] = [
    [0, '0 ms'],
    [0.42, '0.4 ms'],
    [12.4, '12 ms'],
    [3200, '3.2 s'],
    [45_000, '45 s'],
    [65_000, '1 min 5 s'],
    [120_000, '2 min'],
    [7_380_000, '2 h 3 min'],
    [90 * 3_600_000, '3 d 18 h'],
    [-1500, '\u22121.5 s'],
  ]
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text)
})

test('a distance is short, and says its direction', () => {
  assert.equal(formatDistance(now - 400, now), 'now')
  assert.equal(formatDistance(now - 3000, now), '3 s ago')
  assert.equal(formatDistance(now + 125_000, now), 'in 2 min')
  assert.equal(formatDistance('2026-03-27T10:00:00Z', now), '2 d ago')
})

test('a moment is short for today, and exact with UTC for those who hover', () => {
  assert.match(formatMoment(now, now), /^\d\d:\d\d:\d\d/)
  assert.match(formatMoment(now - 40 * 86_400_000, now), /Feb 17/)
  assert.match(formatMoment(now - 400 * 86_400_000, now), /2025/)
  assert.match(describeMoment(now), /\n2026-03-29 12:00:00\.000 UTC$/)
})

test('a time that is none breaks nothing', () => {
  assert.equal(formatMoment('soon', now), '–')
  assert.equal(describeMoment('soon'), 'Nobody knows when.')
})
