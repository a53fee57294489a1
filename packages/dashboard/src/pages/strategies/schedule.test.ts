import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formOf, intervals, momentIn, scheduleText, showSame } from './schedule.ts'

test('each form of a schedule has its words', () => {
  assert.equal(scheduleText('15M'), 'every 15 minutes')
  assert.equal(scheduleText('1D'), 'every day')
  assert.equal(scheduleText('TICK'), 'with each price, at most once a second')
  assert.equal(scheduleText('30 9 * * MON-FRI'), 'at 09:30, Monday through Friday')
  assert.equal(
    scheduleText('0 8 * 3,6,9,12 FRIL'),
    'at 08:00, on the last Friday of the month, only in March, June, September, and December',
  )
  assert.ok(intervals.every((interval) => scheduleText(interval)?.startsWith('every ')))
})

test('with a day of the month and a day of the week, either is enough', () => {
  assert.match(scheduleText('0 0 13 * FRI')!, /day 13 of the month, or on Friday/)
})

test('what the service refuses has no words', () => {
  for (const text of ['', '0 30 9 * * *', '@hourly', '0 25 * * *', 'x x x x x']) {
    assert.equal(scheduleText(text), null, text)
  }
  assert.equal(formOf('* * * * *'), 'cron')
})

test('a moment is shown in the zone of the schedule, also one that this browser does not know', () => {
  const ms = Date.UTC(2026, 2, 9, 13, 30)
  assert.match(momentIn(ms, 'America/New_York'), /Mon.*09:30/)
  assert.match(momentIn(ms, 'Nowhere/Land'), /13:30.* UTC/)
  assert.equal(showSame([ms], 'UTC', 'Etc/UTC'), true)
  assert.equal(showSame([ms], 'UTC', 'Europe/Berlin'), false)
})
