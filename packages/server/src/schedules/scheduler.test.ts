import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { createTestDatabase, withDatabase } from '../../test/databases.ts'
import { addStrategies, endRunsAtOnce, readSchedule, runCounts } from '../../test/schedules.ts'
import { until } from '../../test/until.ts'
import type { Database } from '../db/database.ts'
import { schedules } from '../db/schema.ts'
import { Scheduler, type SchedulerParts } from './scheduler.ts'
import { notifySchedulers } from './schedules.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A scheduler that runs until it is disposed of, and its callbacks so far. */
async function startScheduler(database: Database, parts: Partial<SchedulerParts> = {}) {
  const handedOver: number[] = []
  const lagMs: number[] = []
  const errors: unknown[] = []
  const scheduler = new Scheduler({
    database,
    handOver: (runs) => handedOver.push(...runs.map(({ strategyId }) => strategyId)),
    onError: (error) => errors.push(error),
    onFired: (lags) => lagMs.push(...lags),
    ...parts,
  })
  await scheduler.start()
  return { scheduler, handedOver, lagMs, errors, [Symbol.asyncDispose]: () => scheduler.stop() }
}

/** Makes every schedule due `inMs` from now. */
async function dueIn({ db }: Database, inMs: number): Promise<void> {
  await db.update(schedules).set({ nextRunAt: new Date(Date.now() + inMs) })
}

const noneDue = (database: Database, nowMs: number) => async () => {
  const [row] = await database.db
    .select({ nextMs: sql<string>`extract(epoch from min(${schedules.nextRunAt})) * 1000` })
    .from(schedules)
  return Number(row!.nextMs) > nowMs
}

withDatabase('a scheduler fires at the due time, and reports how late the run was stored', async (place) => {
  const database = await place.open()
  const [id] = await addStrategies(database, [{ cronInterval: '1D' }], Date.now())
  await using node = await startScheduler(database)
  const beforeMs = Date.now()
  await dueIn(database, 300)
  node.scheduler.wake()
  await until('the run', async () => node.handedOver.length > 0)
  assert.ok(Date.now() - beforeMs >= 300, 'not before its time')
  assert.deepEqual(node.handedOver, [id])
  assert.equal(node.lagMs.length, 1)
  assert.ok(node.lagMs[0]! >= 0)
  assert.deepEqual(node.errors, [])
})

withDatabase('a schedule from another node is known at once', async (place) => {
  const [here, there] = [await place.open(), await place.open()]
  // It would not ask by itself during this test.
  await using node = await startScheduler(here, { askAgainMs: 600_000 })
  const [id] = await addStrategies(there, [{ cronInterval: '1D' }], Date.now())
  await dueIn(there, 100)
  await notifySchedulers(there)
  await until('the run', async () => node.handedOver.length > 0)
  assert.deepEqual(node.handedOver, [id])
})

test('two nodes fire every time of three days once, through both clock changes', async () => {
  for (const [changeDay, afternoons] of [
    ['2026-03-29', 7],
    ['2026-10-25', 5],
  ] as const) {
    await using place = await createTestDatabase()
    const [one, two] = [await place.open(), await place.open()]
    await endRunsAtOnce(one)
    const from = Date.parse(`${changeDay}T00:00:00Z`) - 24 * hourMs
    const to = from + 72 * hourMs
    const zone = { timezone: 'Europe/Berlin' }
    const wanted = [
      { cronInterval: '30M', ...zone },
      { cronInterval: '1D', ...zone },
      { cronInterval: '30 2 * * *', ...zone },
      { cronInterval: '0 2,14 * * *', ...zone },
      { cronInterval: '0 * * * *', ...zone },
      { cronInterval: '*/30 * * * *', timezone: 'Australia/Lord_Howe' },
    ]
    const ids = await addStrategies(one, wanted, from)
    let nowMs = from
    const now = () => nowMs
    await using first = await startScheduler(one, { now })
    await using second = await startScheduler(two, { now })
    while (nowMs < to) {
      nowMs += 30 * minuteMs
      first.scheduler.wake()
      second.scheduler.wake()
      await until(`all that is due at ${new Date(nowMs).toISOString()}`, noneDue(one, nowMs))
    }
    const counts = await runCounts(one)
    assert.deepEqual(
      ids.map((id) => counts.get(id)),
      [144, 3, 3, afternoons, 72, 144],
    )
    await Promise.all([first.scheduler.stop(), second.scheduler.stop()])
    assert.equal(
      first.handedOver.length + second.handedOver.length,
      [...counts.values()].reduce((sum, count) => sum + count, 0),
    )
    assert.deepEqual([...first.errors, ...second.errors], [])
  }
})

withDatabase('after the clock is set back by hours, schedules fire by its new time', async (place) => {
  const database = await place.open()
  await endRunsAtOnce(database)
  let nowMs = Date.parse('2026-06-01T12:00:00Z')
  const [id] = await addStrategies(database, [{ cronInterval: '1M' }], nowMs)
  await using node = await startScheduler(database, { now: () => nowMs })
  const step = async (toMs: number, runs: number) => {
    nowMs = toMs
    node.scheduler.wake()
    await until(`run ${runs}`, async () => node.handedOver.length >= runs)
  }
  await step(nowMs + minuteMs, 1)
  await step(nowMs + 3 * hourMs, 2)
  nowMs -= 2 * hourMs
  await until('the schedule to come back', async () => {
    return (await readSchedule(database, id!))!.nextMs === nowMs + minuteMs
  })
  await step(nowMs + minuteMs, 3)
  await step(nowMs + minuteMs, 4)
  // A second earlier: this time has already fired.
  nowMs -= 1_000
  node.scheduler.wake()
  await step(nowMs + 1_000 + minuteMs, 5)
  assert.equal((await runCounts(database)).get(id!), 5)
})

withDatabase(
  'a scheduler that is started, woken and stopped at any time ends, and fires nothing afterwards',
  async (place) => {
    const database = await place.open()
    await endRunsAtOnce(database)
    await addStrategies(database, Array(20).fill({ cronInterval: '1D' }), Date.now())
    const node = await startScheduler(database)
    await node.scheduler.start()
    await dueIn(database, 0)
    node.scheduler.wake()
    await Promise.all([node.scheduler.stop(), node.scheduler.stop()])
    const known = node.handedOver.length
    const stored = [...(await runCounts(database)).values()].reduce((sum, n) => sum + n, 0)
    assert.equal(known, stored)
    node.scheduler.wake()
    await node.scheduler.start()
    await node.scheduler.stop()
    assert.equal(node.handedOver.length, known)

    const second = await place.open()
    await using other = await startScheduler(second)
    await until('the others', async () => known + other.handedOver.length === 20)

    const early = new Scheduler({ database, handOver: () => undefined, onError: () => undefined })
    await Promise.all([early.start(), early.stop()])
    await early.stop()
  },
)

withDatabase('while the database is unavailable, a scheduler reports it, and then goes on', async (place) => {
  const database = await place.open()
  await addStrategies(database, [{ cronInterval: '1D' }], Date.now())
  let successes = 0
  await using node = await startScheduler(database, { onSuccess: () => successes++ })
  await until('the first read', async () => successes > 0)
  await database.db.execute(sql`alter table schedules rename to schedules_away`)
  node.scheduler.wake()
  await until('the failure to be reported', async () => node.errors.length > 0)
  successes = 0
  await database.db.execute(sql`alter table schedules_away rename to schedules`)
  await dueIn(database, 0)
  await until('the run', async () => node.handedOver.length === 1)
  await until('the recovery to be reported', async () => successes > 0)
})
