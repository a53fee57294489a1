import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { addStrategies, endRuns, endRunsAtOnce, readSchedule, runCounts } from '../../test/schedules.ts'
import { runs, schedules, strategies, strategyState } from '../db/schema.ts'
import { Firing } from './firing.ts'
import { setSchedule } from './schedules.ts'

const noon = Date.parse('2026-06-01T12:00:00Z')
const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

withDatabase('a due schedule queues one run and gets its next time', async (place) => {
  const database = await place.open()
  const [id] = await addStrategies(database, [{ cronInterval: '1M' }], noon)
  const firing = new Firing(database)
  assert.equal(await firing.earliestMs(), noon + minuteMs)
  assert.deepEqual(await firing.fireDue(noon + minuteMs - 1), { runs: [], dueMs: [], left: 'none' })

  const first = await firing.fireDue(noon + minuteMs + 3)
  const [stored] = await database.db.select().from(runs)
  const run = { strategyId: id, version: 1, trigger: 'schedule', request: null, earlierSignal: null }
  assert.deepEqual(first, {
    runs: [{ ...run, id: stored!.id, previousId: 0 }],
    dueMs: [noon + minuteMs],
    left: 'none',
  })
  assert.equal(stored!.trigger, 'schedule')
  assert.equal(stored!.status, 'QUEUED')
  assert.equal(stored!.dueAt?.getTime(), noon + minuteMs)
  const lagMs = stored!.queuedAt.getTime() - noon - minuteMs
  assert.ok(lagMs >= 3 && lagMs < 60_000, `queued ${lagMs} ms after its moment`)
  assert.deepEqual(await readSchedule(database, id!), {
    nextMs: noon + 2 * minuteMs,
    firedMs: noon + minuteMs,
  })

  await endRuns(database)
  assert.deepEqual((await firing.fireDue(noon + minuteMs + 4)).runs, [])
  await database.db.update(strategies).set({ version: 7 }).where(eq(strategies.id, id!))
  const second = await firing.fireDue(noon + 2 * minuteMs)
  assert.deepEqual(second.runs, [{ ...run, id: stored!.id + 1, previousId: stored!.id, version: 7 }])
})

withDatabase(
  'after an hour of downtime, a schedule fires once, and its next time counts from now',
  async (place) => {
    const database = await place.open()
    const cron = { cronInterval: '*/5 * * * *', timezone: 'Asia/Kolkata' }
    const [seconds, days, expression] = await addStrategies(
      database,
      [{ cronInterval: '10S' }, { cronInterval: '1D' }, cron],
      noon,
    )
    const firing = new Firing(database)
    const { runs: fired } = await firing.fireDue(noon + hourMs + 1)
    assert.deepEqual(
      fired.map(({ strategyId }) => strategyId),
      [seconds, expression],
    )
    await endRuns(database)
    assert.equal((await firing.fireDue(noon + hourMs + 2)).left, 'none')
    assert.equal((await readSchedule(database, seconds!))!.nextMs, noon + hourMs + 10 * secondMs)
    assert.equal((await readSchedule(database, expression!))!.nextMs, noon + hourMs + 5 * minuteMs)
    assert.equal((await readSchedule(database, days!))!.nextMs, noon + 12 * hourMs)
  },
)

withDatabase('a suspended strategy does not fire until its suspension is over', async (place) => {
  const database = await place.open()
  const [suspended, off] = await addStrategies(database, [{}, {}], noon)
  const suspend = (until: Date) =>
    database.db
      .update(strategyState)
      .set({ suspendedUntil: until })
      .where(eq(strategyState.strategyId, suspended!))
  await suspend(new Date(noon + hourMs))
  await database.db.update(strategies).set({ status: 'INACTIVE' }).where(eq(strategies.id, off!))
  const firing = new Firing(database)
  assert.deepEqual((await firing.fireDue(noon + minuteMs)).runs, [])
  assert.equal((await readSchedule(database, suspended!))!.nextMs, noon + 2 * minuteMs)

  await suspend(new Date(noon + minuteMs))
  const { runs: fired } = await firing.fireDue(noon + 2 * minuteMs)
  assert.deepEqual(
    fired.map(({ strategyId }) => strategyId),
    [suspended],
  )
})

withDatabase(
  'runs do not pile up: while one waits, no other is queued; while one runs, one waits',
  async (place) => {
    const database = await place.open()
    await addStrategies(database, [{ cronInterval: '10S' }], noon)
    const firing = new Firing(database)
    const fire = async (n: number) => (await firing.fireDue(noon + n * 10 * secondMs)).runs.length
    assert.equal(await fire(1), 1)
    assert.equal(await fire(2), 0)
    assert.equal(await fire(3), 0)
    await database.db.update(runs).set({ status: 'RUNNING' })
    assert.equal(await fire(4), 1)
    assert.equal(await fire(5), 0)
    await endRuns(database)
    assert.equal(await fire(6), 1)
  },
)

withDatabase('a waiting run from a webhook or a replay does not replace a scheduled one', async (place) => {
  const database = await place.open()
  const [id] = await addStrategies(database, [{}], noon)
  await database.db.insert(runs).values({ strategyId: id!, trigger: 'replay', queuedAt: new Date() })
  const { runs: fired } = await new Firing(database).fireDue(noon + minuteMs)
  assert.equal(fired.length, 1)
  assert.ok(fired[0]!.previousId > 0)
})

withDatabase(
  'a thousand schedules that are due in one second all fire, and their runs keep the order',
  async (place) => {
    const database = await place.open()
    const count = 1_000
    const ids = await addStrategies(database, Array(count).fill({ cronInterval: '1H' }), noon)
    const firing = new Firing(database)
    const fired: number[] = []
    const runIds: number[] = []
    for (let left = 'more'; left !== 'none'; ) {
      const batch = await firing.fireDue(noon + hourMs)
      fired.push(...batch.runs.map(({ strategyId }) => strategyId))
      runIds.push(...batch.runs.map(({ id }) => id))
      left = batch.left
    }
    assert.deepEqual(
      fired.toSorted((a, b) => a - b),
      ids,
    )
    assert.deepEqual(
      runIds,
      runIds.toSorted((a, b) => a - b),
    )
  },
)

withDatabase('nodes that fire the same schedules concurrently fire each time once', async (place) => {
  const nodes = [await place.open(), await place.open(), await place.open()]
  const [database] = nodes as [(typeof nodes)[0]]
  await endRunsAtOnce(database)
  const count = 200
  const rounds = 15
  const ids = await addStrategies(database, Array(count).fill({ cronInterval: '10S' }), noon)
  const firings = nodes.map((node) => new Firing(node))
  let handedOver = 0
  for (let round = 1; round <= rounds; round++) {
    const nowMs = noon + round * 10 * secondMs
    const fireAll = async (firing: Firing) => {
      for (let left = 'more'; left !== 'none'; ) {
        const batch = await firing.fireDue(nowMs)
        handedOver += batch.runs.length
        left = batch.left
      }
    }
    await Promise.all(firings.map(fireAll))
  }
  assert.equal(handedOver, count * rounds)
  assert.deepEqual(await runCounts(database), new Map(ids.map((id) => [id, rounds])))
})

withDatabase('a strategy can be changed, switched off or deleted while it fires', async (place) => {
  const database = await place.open()
  const firing = new Firing(database)
  const ids = await addStrategies(database, Array(60).fill({ cronInterval: '10S' }), noon)
  const nowMs = noon + 10 * secondMs
  const change = (id: number, index: number) =>
    database.db.transaction(async (tx) => {
      if (index % 3 === 0) await tx.delete(strategies).where(eq(strategies.id, id))
      else {
        const schedule = index % 3 === 1 ? { cronInterval: '1H', timezone: 'UTC' } : null
        await tx
          .update(strategies)
          .set({
            version: sql`${strategies.version} + 1`,
            ...(schedule ? { cronInterval: '1H' } : { status: 'INACTIVE' as const }),
          })
          .where(eq(strategies.id, id))
        await setSchedule(tx, id, schedule, nowMs)
      }
    })
  const firings = Array.from({ length: 20 }, () => firing.fireDue(nowMs))
  await Promise.all([...firings, ...ids.map(change)])
  for (const [index, id] of ids.entries()) {
    const expected = index % 3 === 1 ? noon + hourMs : undefined
    assert.equal((await readSchedule(database, id))?.nextMs, expected)
  }
  for (const [, count] of await runCounts(database)) assert.equal(count, 1)
})

withDatabase(
  'a clock that is set back a little fires nothing twice, and one that is set back far keeps firing',
  async (place) => {
    const database = await place.open()
    await endRunsAtOnce(database)
    const [fast, slow] = await addStrategies(
      database,
      [{ cronInterval: '10S' }, { cronInterval: '1H' }],
      noon,
    )
    const firing = new Firing(database)
    const hour = noon + hourMs
    await firing.fireDue(hour - 10 * secondMs)
    assert.equal((await firing.fireDue(hour)).runs.length, 2)
    for (const backMs of [1, 500, 9_999, 30_000, 60_000]) {
      assert.equal(await firing.correct(hour - backMs, 0), undefined)
      assert.equal((await firing.fireDue(hour)).runs.length, 0, `${backMs} ms back`)
    }
    // The clock had been an hour ahead all the time.
    await firing.correct(noon, 0)
    assert.equal((await readSchedule(database, fast!))!.nextMs, noon + 10 * secondMs)
    assert.equal((await readSchedule(database, slow!))!.nextMs, hour)
    assert.equal((await firing.fireDue(noon + 10 * secondMs)).runs.length, 1)
  },
)

withDatabase('the due times that a clock far ahead has set are corrected', async (place) => {
  const database = await place.open()
  const ids = await addStrategies(database, Array(1_100).fill({ cronInterval: '1M' }), noon + 5 * hourMs)
  const firing = new Firing(database)
  let behind: number | undefined = 0
  while (behind !== undefined) behind = await firing.correct(noon, behind)
  for (const id of [ids[0]!, ids.at(-1)!]) {
    assert.equal((await readSchedule(database, id))!.nextMs, noon + minuteMs)
  }
})

withDatabase('a schedule that can no longer be read is reported, and the others fire', async (place) => {
  const database = await place.open()
  const errors: unknown[] = []
  const [broken, sound] = await addStrategies(
    database,
    [{ cronInterval: '* * * * *', timezone: 'UTC' }, {}],
    noon,
  )
  await database.db.update(strategies).set({ timezone: 'Gone/Away' }).where(eq(strategies.id, broken!))
  const firing = new Firing(database, (error) => errors.push(error))
  const { runs: fired, left } = await firing.fireDue(noon + minuteMs)
  assert.deepEqual(
    fired.map(({ strategyId }) => strategyId),
    [sound],
  )
  assert.equal(left, 'none')
  assert.match(String(errors[0]), new RegExp(`strategy ${broken} cannot be read`))
  assert.ok((await readSchedule(database, broken!))!.nextMs > noon + minuteMs)
})

withDatabase('a due time with a fraction of a millisecond fires like any other', async (place) => {
  const database = await place.open()
  const [id] = await addStrategies(database, [{}], noon)
  await database.db
    .update(schedules)
    .set({ nextRunAt: sql`${new Date(noon).toISOString()}::timestamptz + interval '123456 microseconds'` })
  assert.equal((await new Firing(database).fireDue(noon + 124)).runs.length, 1)
  assert.equal((await readSchedule(database, id!))!.nextMs, noon + minuteMs)
})
