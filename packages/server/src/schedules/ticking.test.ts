import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { addStrategies, endRuns, endRunsAtOnce } from '../../test/schedules.ts'
import type { Database } from '../db/database.ts'
import { runs, schedules, strategies, strategyState } from '../db/schema.ts'
import { Firing } from './firing.ts'

const tick = { cronInterval: 'TICK', exchangeId: 2, priceSymbol: 'BTCUSDT' }

/** Ends the pauses of all strategies, on the database's clock. */
async function passSeconds({ db }: Database, seconds: number): Promise<void> {
  await db
    .update(schedules)
    .set({ nextRunAt: sql`${schedules.nextRunAt} - make_interval(secs => ${seconds}::double precision)` })
}

withDatabase('prices trigger a strategy at most once a second', async (place) => {
  const database = await place.open()
  await endRunsAtOnce(database)
  const [id, clock] = await addStrategies(database, [tick, { cronInterval: '10S' }], Date.now())
  const firing = new Firing(database)
  const [run] = await firing.fireTicks([id!, clock!, 999_999])
  assert.deepEqual(run, {
    id: run!.id,
    strategyId: id,
    previousId: 0,
    version: 1,
    trigger: 'tick',
    request: null,
    earlierSignal: null,
  })
  const [gate] = await database.db.select().from(schedules).where(eq(schedules.strategyId, id!))
  assert.equal(Math.round((gate!.nextRunAt.getTime() - gate!.firedAt!.getTime()) / 1000), 1)
  const [stored] = await database.db.select().from(runs).where(eq(runs.id, run!.id))
  assert.equal(stored!.trigger, 'tick')

  await passSeconds(database, -1)
  assert.deepEqual(await firing.fireTicks([id!]), [])
  await passSeconds(database, 2)
  const [second] = await firing.fireTicks([id!])
  assert.equal(second!.previousId, run!.id)
  assert.deepEqual(await firing.fireTicks([]), [])
})

withDatabase(
  'after the clock of the database is set back, prices still trigger strategies',
  async (place) => {
    const database = await place.open()
    const [id] = await addStrategies(database, [tick], Date.now() + 3_600_000)
    assert.equal((await new Firing(database).fireTicks([id!])).length, 1)
  },
)

withDatabase(
  'a price does not trigger a strategy that is suspended, switched off, or already has a waiting run',
  async (place) => {
    const database = await place.open()
    const ids = await addStrategies(database, [tick, tick, tick], Date.now())
    const [suspended, off, waiting] = ids
    await database.db
      .update(strategyState)
      .set({ suspendedUntil: new Date(Date.now() + 60_000) })
      .where(eq(strategyState.strategyId, suspended!))
    await database.db.update(strategies).set({ status: 'INACTIVE' }).where(eq(strategies.id, off!))
    const firing = new Firing(database)
    assert.deepEqual(
      (await firing.fireTicks(ids)).map(({ strategyId }) => strategyId),
      [waiting],
    )
    await passSeconds(database, 5)
    assert.deepEqual(await firing.fireTicks(ids), [])
    await endRuns(database)
    // No pause has to end first: the price that found a waiting run did not count.
    assert.equal((await firing.fireTicks(ids)).length, 1)
  },
)

withDatabase('if several nodes see a price at once, one of them triggers the strategy', async (place) => {
  const nodes = [await place.open(), await place.open(), await place.open()]
  const database = nodes[0]!
  await endRunsAtOnce(database)
  const ids = await addStrategies(database, Array(100).fill(tick), Date.now())
  const firings = nodes.map((node) => new Firing(node))
  for (let round = 0; round < 10; round++) {
    const fired = (await Promise.all(firings.map((firing) => firing.fireTicks(ids)))).flat()
    assert.deepEqual(
      fired.map(({ strategyId }) => strategyId).toSorted((a, b) => a - b),
      ids,
    )
    await passSeconds(database, 1)
  }
})

withDatabase('prices trigger only strategies that are switched on', async (place) => {
  const database = await place.open()
  const [first, off] = await addStrategies(
    database,
    [tick, tick, { cronInterval: '1M', exchangeId: 2, priceSymbol: 'X' }],
    Date.now(),
  )
  await database.db.update(strategies).set({ status: 'INACTIVE' }).where(eq(strategies.id, off!))
  assert.deepEqual(await new Firing(database).tickStrategies(), [
    { strategyId: first, exchangeId: 2, priceSymbol: 'BTCUSDT' },
  ])
  await new Firing(database).fireDue(Date.now() + 120_000)
  const fired = await database.db.select().from(runs)
  assert.deepEqual(
    fired.map(({ trigger }) => trigger),
    ['schedule'],
  )
})
