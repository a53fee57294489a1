/** Compares `docs/schedules.md` with the code that finds the times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../packages/server/src/base/errors.ts'
import {
  checkSchedule,
  latestMoments,
  nextMoment,
  nextMoments,
  type Schedule,
} from '../packages/server/src/schedules/cron-interval.ts'
import { blocksOf } from './documents.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const file = 'docs/schedules.md'

/** The times of a schedule on a day from 00:00 until 03:00 UTC, in the format of the document. */
function earlyMoments(schedule: Schedule, day: string): string {
  const fromMs = Date.parse(`${day}T00:00:00Z`)
  const found: string[] = []
  for (let at = fromMs - 1; ; ) {
    at = nextMoment(schedule, at)
    if (at >= fromMs + 3 * 3_600_000) return found.join(', ') || 'none'
    found.push(new Date(at).toISOString().slice(11, 16))
  }
}

test('schedules.md says when an expression fires around changes of the clocks', async () => {
  const rows = rowsOf(await read(file), 'expression') as [string, string, string][]
  assert.ok(rows.length > 5)
  for (const [expression, spring, autumn] of rows) {
    const schedule = { cronInterval: expression, timezone: 'Europe/Berlin' }
    const actual = ['2026-03-29', '2026-10-25'].map((day) => earlyMoments(schedule, day))
    assert.deepEqual(actual, [spring, autumn], expression)
  }
})

test('schedules.md says which expressions are refused', async () => {
  const rows = rowsOf(await read(file), 'refused') as [string, string][]
  assert.ok(rows.length > 5)
  for (const [expression] of rows) {
    assert.throws(() => checkSchedule({ cronInterval: expression }), AppError, expression)
  }
})

test('the schedules and expressions in schedules.md are accepted', async () => {
  const blocks = (await blocksOf(file)).filter(({ language }) => language === 'json')
  assert.equal(blocks.length, 5)
  for (const { text } of blocks) {
    const { cron_interval: cronInterval, timezone = 'UTC', times } = JSON.parse(text)
    checkSchedule({ cronInterval, timezone })
    if (times === undefined) continue
    if (typeof times[0] === 'object') {
      const past = times.map(({ at }: { at: string }) => Date.parse(at))
      assert.deepEqual(latestMoments({ cronInterval, timezone }, past[0], times.length), past)
      continue
    }
    const next = nextMoments({ cronInterval, timezone }, Date.parse('2026-03-06T00:00:00Z'), times.length)
    assert.deepEqual(next, times.map(Date.parse))
  }
  const markdown = await read(file)
  for (const interval of ['FRI-SUN,MON', '5,6,0,1', 'FRI#2', '5L']) {
    assert.ok(markdown.includes(`\`${interval}\``), interval)
    checkSchedule({ cronInterval: `0 0 * * ${interval}` })
  }
  for (const expression of ['0 8 * 3,6,9,12 FRIL', '0 0 13 * FRI', '5-59/15 * * * *', '5-59/5 * * * *']) {
    checkSchedule({ cronInterval: expression })
  }
  checkSchedule({ timezone: 'Etc/GMT-2' })
})
