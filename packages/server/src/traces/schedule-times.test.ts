/** What became of the times of a schedule: real firing at times of the test's choice, and the trace of each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { addStrategies } from '../../test/schedules.ts'
import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Database } from '../db/database.ts'
import { runs, schedules, strategies, strategyState } from '../db/schema.ts'
import { latestMoments, nextMoment } from '../schedules/cron-interval.ts'
import { Firing } from '../schedules/firing.ts'
import { ScheduleTraces } from './schedule-traces.ts'

const minuteMs = 60_000
/** A full minute, an hour ago. */
const startMs = Math.floor(Date.now() / minuteMs - 60) * minuteMs
const minute = (number: number) => startMs + number * minuteMs
const iso = (ms: number) => new Date(ms).toISOString()

/** A strategy that runs each minute since `startMs`, and the means to fire it. */
async function openStrategy(database: Database) {
  const { db } = database
  const [id] = await addStrategies(database, [{ cronInterval: '1M' }], startMs)
  const [strategy] = await db
    .update(strategies)
    .set({ createdAt: new Date(startMs - 30 * minuteMs), updatedAt: new Date(startMs) })
    .where(eq(strategies.id, id!))
    .returning()
  const firing = new Firing(database, (error) => assert.fail(`${error}`))
  const traces = new ScheduleTraces({ database, findExchange: () => undefined })
  const own = { userId: strategy!.userId, type: 'code-strategy', id: id! } as const
  return {
    id: id!,
    fire: async (atMs: number) => (await firing.fireDue(atMs)).runs.map((run) => run.id),
    /** Ends a run as a worker does. */
    end: (runId: number, fields: Partial<typeof runs.$inferInsert>) =>
      db.update(runs).set(fields).where(eq(runs.id, runId)),
    trace: async (count: number, untilMs: number) => {
      const { times, ...trace } = await traces.of(own, count, new Date(untilMs))
      const shown = times.map(({ at, outcome, run, reason }) => [
        (at.getTime() - startMs) / minuteMs,
        outcome,
        run?.id ?? null,
        reason,
      ])
      return { ...trace, times: shown }
    },
  }
}

withDatabase('a time without a run of its own names the run that waited or stands for it', async (place) => {
  const database = await place.open()
  const { fire, end, trace } = await openStrategy(database)
  const [first] = await fire(minute(1) + 5)
  assert.deepEqual(await fire(minute(2) + 5), [])
  await end(first!, {
    status: 'SUCCEEDED',
    startedAt: new Date(minute(2) + 30_000),
    finishedAt: new Date(minute(2) + 31_000),
  })
  // The service was down at 3 and 4, and comes back between 5 and 6.
  const [joined] = await fire(minute(5) + 20_000)
  await end(joined!, {
    ...{ status: 'SKIPPED', finishedAt: new Date(minute(5) + 21_000) },
    error: { name: 'Skipped', message: 'The price is too old.', line: null, column: null },
  })
  const [last] = await fire(minute(6) + 1)
  const late = `The service was late. At ${iso(minute(5) + 20_000)}`
  const { times } = await trace(6, minute(6))
  assert.deepEqual(
    times.map(([at, outcome, run]) => [at, outcome, run]),
    [
      [6, 'RUN', last],
      [5, 'JOINED', joined],
      [4, 'JOINED', joined],
      [3, 'RUN', joined],
      [2, 'NONE', first],
      [1, 'RUN', first],
    ],
  )
  const reasons = times.map(([, , , reason]) => reason as string | null)
  assert.deepEqual(
    [reasons[0], reasons[3], reasons[4], reasons[5]],
    [
      null,
      'The price is too old.',
      `Run ${first} still waited for its turn. Until a run has started, no further one is queued.`,
      null,
    ],
  )
  // The database adds the time that the statement took.
  for (const reason of reasons.slice(1, 3)) assert.equal(reason!.slice(0, late.length - 5), late.slice(0, -5))
  // The latest run still waits.
  const waiting = await trace(1, minute(7))
  assert.match(waiting.times[0]![3] as string, new RegExp(`^Run ${last} has waited for its turn since `))
  assert.match(waiting.reason!, new RegExp(`^Run ${last} has waited for its turn since `))
})

withDatabase('a time during a suspension says until when and why, also long after it', async (place) => {
  const database = await place.open()
  const { id, fire, end, trace } = await openStrategy(database)
  const { db } = database
  const suspend = (from: number, until: number, runId: number) => {
    const suspension = { run_id: runId, rule: 'actions_per_run', limit: 1, actual: 2 }
    const set = { suspension, suspendedUntil: new Date(until), lastViolationAt: new Date(from) }
    return db.update(strategyState).set(set).where(eq(strategyState.strategyId, id))
  }
  const violate = async (runId: number, at: number) => {
    const violation = { rule: 'actions_per_run', limit: 1, actual: 2 }
    const times = { startedAt: new Date(at - 1), finishedAt: new Date(at) }
    await end(runId, { status: 'VIOLATION', violation, ...times })
  }
  const [first] = await fire(minute(1) + 5)
  await violate(first!, minute(1) + 100)
  await suspend(minute(1) + 100, minute(6) + 100, first!)
  for (const number of [2, 3, 4, 5, 6]) assert.deepEqual(await fire(minute(number) + 5), [])
  const during = await trace(6, minute(6))
  assert.deepEqual(
    during.times.map(([at, outcome]) => `${at} ${outcome}`),
    ['6 NONE', '5 NONE', '4 NONE', '3 NONE', '2 NONE', '1 RUN'],
  )
  const reason = (until: number, run: number) =>
    `The strategy was suspended until ${iso(until)}, because run ${run} broke the rule actions_per_run.`
  assert.equal(during.times[0]![3], reason(minute(6) + 100, first!))
  assert.equal(during.times[0]![2], first)

  // The second violation suspends it for a quarter of an hour, until its owner switches it on.
  const [second] = await fire(minute(7) + 5)
  await violate(second!, minute(7) + 100)
  await suspend(minute(7) + 100, minute(22) + 100, second!)
  assert.deepEqual(await fire(minute(8) + 5), [])
  const both = await trace(8, minute(8))
  assert.equal(both.times[0]![3], reason(minute(22) + 100, second!))
  assert.equal(both.times[2]![3], reason(minute(6) + 100, first!))
  await db.update(strategyState).set({ suspendedUntil: null }).where(eq(strategyState.strategyId, id))
  await db
    .update(strategies)
    .set({ updatedAt: new Date(minute(9) - 1) })
    .where(eq(strategies.id, id))
  assert.equal((await fire(minute(9) + 5)).length, 1)
  const lifted = await trace(3, minute(9))
  assert.deepEqual(
    lifted.times.map(([at, outcome, , why]) => [at, outcome, why]),
    [
      [9, 'RUN', null],
      [8, 'NONE', reason(minute(9) - 1, second!)],
      [7, 'RUN', null],
    ],
  )
})

withDatabase('a time before the last change, or that nothing explains, says so honestly', async (place) => {
  const database = await place.open()
  const { id, fire, trace } = await openStrategy(database)
  const { db } = database
  const before = await trace(3, minute(0))
  assert.match(before.times[0]![3] as string, /^The strategy was changed later, at .* it was INACTIVE or/)
  assert.deepEqual([before.times.length, before.hasEarlier], [3, true])
  // No older times than the strategy itself.
  const oldest = await trace(100, minute(0))
  assert.deepEqual([oldest.times.length, oldest.hasEarlier], [31, false])
  assert.deepEqual((await trace(5, 0)).times, [])
  // Nothing has fired yet.
  assert.deepEqual(
    (await trace(2, minute(2))).times.map(([, outcome]) => outcome),
    ['PENDING', 'PENDING'],
  )
  const [run] = await fire(minute(1) + 1)
  // As if the clock had jumped over a time.
  await db.update(schedules).set({ nextRunAt: new Date(minute(4)) })
  await db.update(runs).set({ status: 'SUCCEEDED', startedAt: new Date(minute(1) + 2) })
  const [none, ran] = (await trace(2, minute(2))).times
  assert.deepEqual([ran![1], ran![2]], ['RUN', run])
  assert.deepEqual([none![1], none![2]], ['NONE', null])
  assert.match(none![3] as string, /^No record says why/)
  await db.delete(schedules).where(eq(schedules.strategyId, id))
  await db.update(strategies).set({ status: 'INACTIVE' }).where(eq(strategies.id, id))
  const inactive = await trace(1, minute(3))
  assert.deepEqual(
    [inactive.times[0]![3], inactive.reason],
    ['The strategy was INACTIVE.', 'The strategy is INACTIVE.'],
  )
  // A time zone that this system no longer knows.
  await db.update(strategies).set({ status: 'ACTIVE', cronInterval: '0 9 * * *', timezone: 'Mars/Base' })
  const unknown = await trace(1, minute(3))
  assert.deepEqual(
    [unknown.times, unknown.reason],
    [[], 'This system does not know the time zone Mars/Base.'],
  )
})

withDatabase('a strategy that no price triggers any more says since when', async (place) => {
  const database = await place.open()
  const market = { cronInterval: 'TICK', exchangeId: 3, priceSymbol: 'BTCUSDT' }
  const [id] = await addStrategies(database, [market], startMs)
  const [strategy] = await database.db
    .update(strategies)
    .set({ updatedAt: new Date(startMs) })
    .returning()
  const exchange = { id: 3, name: 'Binance', enabled: true } as CatalogueExchange
  const traces = new ScheduleTraces({ database, findExchange: () => exchange })
  const own = { userId: strategy!.userId, type: 'code-strategy', id: id! } as const
  const reason = async () => (await traces.of(own, 10)).reason
  const since = (ms: number) => `No node has received a price of BTCUSDT from Binance since ${iso(ms)}.`
  assert.equal(await reason(), since(startMs))
  const firing = new Firing(database)
  const [run] = await firing.fireTicks([id!])
  assert.match((await reason())!, new RegExp(`^Run ${run!.id} has waited for its turn since `))
  await database.db.update(runs).set({ status: 'SUCCEEDED' })
  assert.equal(await reason(), null, 'the price came a moment ago')
  await database.db.update(runs).set({ queuedAt: new Date(minute(9)) })
  assert.equal(await reason(), since(minute(9)))
})

test('the latest times of a schedule are its next times, backwards, also where clocks change', () => {
  for (const cronInterval of ['1M', '4H', '30 2 * * *', '0,30 2 * * *', '*/30 2 * * *', '0 */2 * * *']) {
    for (const day of ['2026-03-29', '2026-10-25']) {
      const schedule = { cronInterval, timezone: 'Europe/Berlin' }
      const untilMs = Date.parse(day) + 6 * 3_600_000
      const forwards: number[] = []
      for (let at = Date.parse(day) - 3 * 86_400_000; ; forwards.push(at)) {
        at = nextMoment(schedule, at)
        if (at > untilMs) break
      }
      assert.deepEqual(latestMoments(schedule, untilMs, forwards.length).toReversed(), forwards)
    }
  }
  assert.deepEqual(latestMoments({ cronInterval: 'TICK', timezone: 'UTC' }, 0, 3), [])
})
