import assert from 'node:assert/strict'
import { AppError } from '../../packages/server/src/base/errors.ts'
import { checkSchedule, nextMoment } from '../../packages/server/src/schedules/cron-interval.ts'
import { textTarget } from '../target.ts'

/** In an accepted time zone, the next times can be found. */
export default textTarget({
  seeds: ['UTC', 'Europe/Berlin', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'EST5EDT'],
  words: ['/', '+', '-', '_', 'GMT', 'Etc/', 'utc', '0', '\0', 'İ'],
  byteLimit: 60,
  libraries: ['croner'],
  check: (timezone) => {
    try {
      checkSchedule({ timezone, cronInterval: '30 2 * * *' })
    } catch (error) {
      assert.ok(error instanceof AppError && error.status === 400, String(error))
      return
    }
    const at = Date.parse('2026-03-29T00:00:00Z')
    const next = nextMoment({ timezone, cronInterval: '30 2 * * *' }, at)
    assert.ok(next > at && next - at <= 26 * 3_600_000, `${next - at} ms in ${timezone}`)
  },
})
