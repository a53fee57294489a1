import assert from 'node:assert/strict'
import { AppError } from '../../packages/server/src/base/errors.ts'
import {
  checkSchedule,
  nextMoment,
  normalInterval,
  ticks,
} from '../../packages/server/src/schedules/cron-interval.ts'
import { textTarget } from '../target.ts'

const zones = ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia']
/** Times around both changes of the clocks, a leap day, and far in the future. */
const starts = [
  '2026-03-08T05:59:30Z',
  '2026-11-01T05:30:00Z',
  '2028-02-28T23:59:59Z',
  '2099-12-31T00:00:00Z',
]

/** An accepted expression has a next time in every zone, and times increase. Others are refused by name. */
export default textTarget({
  seeds: [
    '1M',
    'tick',
    '*/5 * * * *',
    '0 9 * * MON-FRI',
    '30 2 29 2 *',
    '0,30 1-3/2 L * 0#1',
    '0 0 L 2 5#5',
    '15 14 1 */3 *',
  ],
  words: [
    '*',
    '*/',
    '/',
    '-',
    ',',
    '#',
    'L',
    ' ',
    'SUN',
    'JAN',
    '59',
    '23',
    '31',
    '7',
    '0 0 31 2 *',
    '10S',
    '\t',
    '\u00a0',
  ],
  byteLimit: 80,
  libraries: ['croner'],
  check: (cronInterval) => {
    assert.equal(normalInterval(normalInterval(cronInterval)), normalInterval(cronInterval))
    try {
      checkSchedule({ cronInterval })
    } catch (error) {
      assert.ok(error instanceof AppError && error.status === 400, String(error))
      assert.equal(error.details?.[0]?.field, 'body.cron_interval')
      return
    }
    if (ticks({ cronInterval, timezone: 'UTC' })) return
    for (const [index, timezone] of zones.entries()) {
      let at = Date.parse(starts[index]!)
      for (let times = 0; times < 4; times++) {
        const next = nextMoment({ cronInterval, timezone }, at)
        assert.ok(Number.isSafeInteger(next) && next > at, `${next} after ${at} in ${timezone}`)
        assert.equal(nextMoment({ cronInterval: normalInterval(cronInterval), timezone }, next - 1), next)
        at = next
      }
    }
  },
})
