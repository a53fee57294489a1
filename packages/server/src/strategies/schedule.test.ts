/** The rows of `schedules` change in the transaction of the owner's change, and for no other reason. */

import assert from 'node:assert/strict'
import { SyntaxChecker } from '@tickwright/sandbox'
import { eq, sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import type { Database } from '../db/database.ts'
import { schedules, strategies, strategyState, users } from '../db/schema.ts'
import { UserLimits } from '../db/user-limits.ts'
import { nextRun } from './next-run.ts'
import { Strategies } from './strategies.ts'
import type { StrategySettings } from './strategy.ts'

const type = 'code-strategy'
const market = { exchangeId: 2, priceSymbol: 'BTCUSDT' }

/** The strategies of one user on a database of its own. */
function eachWorld(name: string, fn: (world: World) => Promise<void>): void {
  withDatabase(name, async (place) => {
    const database = await place.open()
    await using acquired = new AsyncDisposableStack()
    const syntax = new SyntaxChecker()
    acquired.defer(() => syntax.close())
    await fn(await openWorld(database, syntax))
  })
}

type World = Awaited<ReturnType<typeof openWorld>>

async function openWorld(database: Database, syntax: SyntaxChecker) {
  const { db } = database
  const [user] = await db
    .insert(users)
    .values({ email: 'owner@example.com', passwordHash: '', role: 'user' })
    .returning()
  const userId = user!.id
  let announcements = 0
  const service = new Strategies({
    database,
    limits: new UserLimits(),
    syntax,
    exchangeExists: (id) => id === 2 || id === 3,
    requests: { current: null },
    onChange: async () => {},
    onSchedule: () => announcements++,
  })
  const row = async (id: number) => {
    const [found] = await db.select().from(schedules).where(eq(schedules.strategyId, id))
    return found
  }
  return {
    db,
    userId,
    service,
    row,
    make: async (settings: StrategySettings = {}) => (await service.create(userId, type, settings)).id,
    change: (id: number, settings: StrategySettings) => service.change(userId, type, id, settings),
    setStatus: (id: number, status: 'ACTIVE' | 'INACTIVE') => service.setStatus(userId, type, id, status),
    /** Makes the schedule look as if it had fired before and were overdue. */
    age: async (id: number) => {
      const past = new Date('2026-01-01T00:00:00Z')
      const aged = { nextRunAt: past, firedAt: past }
      await db.update(schedules).set(aged).where(eq(schedules.strategyId, id))
      return { strategyId: id, ticks: (await row(id))!.ticks, ...aged }
    },
    /** Whether a change of a schedule was announced since the last call. */
    announced: () => {
      const has = announcements > 0
      announcements = 0
      return has
    },
  }
}

/** A moment of the next minute, or of the minute that has begun since. */
function isNextMinute(moment: Date, startedMs: number): boolean {
  const ahead = moment.getTime() - startedMs
  return moment.getTime() % 60_000 === 0 && ahead > 0 && ahead <= 120_000
}

eachWorld('a strategy has a schedule while it is active', async ({ make, setStatus, row, announced }) => {
  const id = await make()
  assert.equal(await row(id), undefined)
  assert.equal(announced(), false)
  const startedMs = Date.now()
  await setStatus(id, 'ACTIVE')
  const begun = (await row(id))!
  assert.deepEqual([begun.ticks, begun.firedAt], [false, null])
  assert.ok(isNextMinute(begun.nextRunAt, startedMs), begun.nextRunAt.toISOString())
  assert.equal(announced(), true)
  await setStatus(id, 'INACTIVE')
  assert.equal(await row(id), undefined)
  assert.equal(announced(), true)
  await setStatus(id, 'INACTIVE')
  assert.equal(announced(), false)
})

eachWorld('a change of other settings does not shift the schedule', async (world) => {
  const { make, change, setStatus, row, announced } = world
  const id = await make({ cronInterval: '1h', timezone: 'UTC' })
  await setStatus(id, 'ACTIVE')
  const aged = await world.age(id)
  announced()
  await setStatus(id, 'ACTIVE')
  await Promise.all([setStatus(id, 'ACTIVE'), setStatus(id, 'ACTIVE')])
  await change(id, {})
  await change(id, { name: 'renamed', code: 'return', exchangeId: 2, priceSymbol: 'ETHUSDT' })
  await change(id, { cronInterval: '1H', timezone: 'UTC' })
  await change(id, { cronInterval: ' 1h ' })
  await world.service.reset(world.userId, type, id, { triggers: true, storage: true })
  assert.deepEqual(await row(id), aged)
  assert.equal(announced(), false)
})

eachWorld('a new interval or time zone applies from now, if the strategy is active', async (world) => {
  const { make, change, setStatus, row, announced } = world
  const id = await make({ cronInterval: '0 12 1 1 *' })
  await change(id, { timezone: 'Asia/Tokyo' })
  assert.equal(await row(id), undefined)
  assert.equal(announced(), false)
  await setStatus(id, 'ACTIVE')
  const noon = (await row(id))!.nextRunAt
  assert.deepEqual([noon.getUTCMonth(), noon.getUTCDate(), noon.getUTCHours()], [0, 1, 3])

  await world.age(id)
  announced()
  await change(id, { timezone: 'UTC' })
  const moved = (await row(id))!
  assert.deepEqual([moved.nextRunAt.getUTCHours(), moved.firedAt], [12, null])
  assert.ok(moved.nextRunAt.getTime() > Date.now())
  assert.equal(announced(), true)

  const startedMs = Date.now()
  await change(id, { cronInterval: '1M', name: 'each minute' })
  assert.ok(isNextMinute((await row(id))!.nextRunAt, startedMs))
  assert.equal(announced(), true)
})

eachWorld('a change from the clock to prices, or to another market, is announced', async (world) => {
  const { make, change, setStatus, row, announced } = world
  const id = await make({ cronInterval: 'TICK', ...market })
  await setStatus(id, 'ACTIVE')
  assert.equal((await row(id))!.ticks, true)
  assert.ok((await row(id))!.nextRunAt.getTime() <= Date.now())
  const aged = await world.age(id)
  announced()
  await change(id, { name: 'renamed', ...market })
  assert.equal(announced(), false)
  await change(id, { priceSymbol: 'ETHUSDT' })
  assert.equal(announced(), true)
  await change(id, { exchangeId: 3 })
  assert.equal(announced(), true)
  assert.deepEqual(await row(id), aged)
  await change(id, { cronInterval: '1D' })
  assert.equal((await row(id))!.ticks, false)
  assert.equal(announced(), true)
})

eachWorld('a refused change leaves the schedule as it was', async (world) => {
  const { make, change, setStatus, row, announced } = world
  const id = await make({ cronInterval: '1D' })
  await setStatus(id, 'ACTIVE')
  const aged = await world.age(id)
  const version = async () => (await world.service.get(world.userId, type, id)).version
  const before = await version()
  announced()
  await assert.rejects(change(id, { cronInterval: 'TICK', name: 'other' }), { code: 'request_invalid' })
  await assert.rejects(change(id, { cronInterval: '5M', exchangeId: 7 }), { code: 'request_invalid' })
  await assert.rejects(change(id, { cronInterval: 'often' }), { code: 'request_invalid' })
  await assert.rejects(change(id, { cronInterval: '5M', folderId: 1 }), { code: 'request_invalid' })
  await assert.rejects(world.service.setStatus(world.userId + 1, type, id, 'INACTIVE'), {
    code: 'resource_not_found',
  })
  await assert.rejects(world.service.setStatus(world.userId, 'code-reaction', id, 'INACTIVE'), {
    code: 'resource_not_found',
  })
  assert.deepEqual(await row(id), aged)
  assert.equal(await version(), before)
  assert.equal(announced(), false)
})

eachWorld('a new time zone whose clock skips every time of the expression is refused', async (world) => {
  const id = await world.make({ cronInterval: '* 2 * 3 SUNL' })
  await world.setStatus(id, 'ACTIVE')
  const aged = await world.age(id)
  await assert.rejects(world.change(id, { timezone: 'Europe/Berlin' }), {
    code: 'request_invalid',
    message: /the clock skips all of them/,
  })
  assert.deepEqual(await world.row(id), aged)
})

eachWorld('a schedule starts again when the owner ends a suspension', async (world) => {
  const { db, make, setStatus, row } = world
  const id = await make()
  await setStatus(id, 'ACTIVE')
  const suspend = (until: Date) =>
    db.update(strategyState).set({ suspendedUntil: until }).where(eq(strategyState.strategyId, id))
  await suspend(new Date(Date.now() + 3_600_000))
  const aged = await world.age(id)
  await world.change(id, { name: 'renamed' })
  assert.deepEqual(await row(id), aged)
  const startedMs = Date.now()
  await setStatus(id, 'ACTIVE')
  assert.ok(isNextMinute((await row(id))!.nextRunAt, startedMs))
  // A suspension that has expired does not count.
  await suspend(new Date(Date.now() - 1))
  const agedAgain = await world.age(id)
  await setStatus(id, 'ACTIVE')
  assert.deepEqual(await row(id), agedAgain)
  await suspend(new Date(Date.now() + 3_600_000))
  await setStatus(id, 'INACTIVE')
  assert.equal(await row(id), undefined)
})

eachWorld('no next run is shown while suspended, or in a time zone that is gone', async (world) => {
  const { db, make, setStatus, service, userId } = world
  const id = await make({ cronInterval: '0 8 * * *', timezone: 'Europe/Berlin' })
  await setStatus(id, 'ACTIVE')
  const shown = async () => nextRun(await service.get(userId, type, id), new Date())
  const { nextRunAt } = (await world.row(id))!
  assert.deepEqual(await shown(), { at: nextRunAt, reason: null })
  const suspend = (ms: number) =>
    db
      .update(strategyState)
      .set({ suspendedUntil: new Date(Date.now() + ms) })
      .where(eq(strategyState.strategyId, id))
  await suspend(3_600_000)
  assert.deepEqual(await shown(), { at: null, reason: 'suspended' })
  await suspend(-1)
  assert.deepEqual(await shown(), { at: nextRunAt, reason: null })
  await db.update(strategies).set({ timezone: 'Mars/Olympus' }).where(eq(strategies.id, id))
  assert.deepEqual(await shown(), { at: null, reason: 'never_fires' })
  await db.update(strategies).set({ cronInterval: '1D' }).where(eq(strategies.id, id))
  assert.deepEqual(await shown(), { at: nextRunAt, reason: null })
})

eachWorld('a strategy that stops itself or is deleted has no schedule, nor does a copy', async (world) => {
  const { db, make, setStatus, service, userId, row, announced } = world
  const [stopping, deleted, copied] = [await make(), await make(), await make()]
  for (const id of [stopping, deleted, copied]) await setStatus(id, 'ACTIVE')
  announced()
  await service.deactivate(stopping)
  assert.equal(await row(stopping), undefined)
  assert.equal((await service.get(userId, type, stopping)).status, 'INACTIVE')
  assert.equal(announced(), true)
  await service.delete(userId, type, deleted)
  assert.equal(await row(deleted), undefined)
  assert.equal(announced(), true)
  await service.deactivate(deleted)
  const copy = await service.duplicate(userId, type, copied)
  assert.equal(await row(copy.id), undefined)
  assert.equal(announced(), false)
  assert.equal(await db.$count(schedules), 1)
})

eachWorld(
  'a reaction has no schedule, and none is announced',
  async ({ service, userId, row, announced }) => {
    const { id } = await service.create(userId, 'code-reaction', {})
    await service.setStatus(userId, 'code-reaction', id, 'ACTIVE')
    await service.change(userId, 'code-reaction', id, { delay: 1 })
    assert.equal(await row(id), undefined)
    await service.deactivate(id)
    await service.delete(userId, 'code-reaction', id)
    assert.equal(announced(), false)
  },
)

eachWorld('status and schedule agree after many simultaneous changes of the status', async (world) => {
  const id = await world.make({ cronInterval: '10S', ...market })
  const changes = Array.from({ length: 40 }, (_, n) => {
    if (n % 4 === 0) return world.service.deactivate(id)
    if (n % 4 === 1) return world.change(id, { cronInterval: n % 8 === 1 ? 'TICK' : '1D' })
    return world.setStatus(id, n % 4 === 2 ? 'ACTIVE' : 'INACTIVE')
  })
  await Promise.all(changes)
  const { status, cronInterval } = await world.service.get(world.userId, type, id)
  const row = await world.row(id)
  assert.equal(row !== undefined, status === 'ACTIVE')
  if (row !== undefined) assert.equal(row.ticks, cronInterval === 'TICK')
})

eachWorld('a change of anything that a run receives increases the version', async (world) => {
  const id = await world.make()
  const versionAfter = async (act: () => Promise<unknown>) => {
    await act()
    const [row] = await world.db
      .select({ version: strategies.version })
      .from(strategies)
      .where(eq(strategies.id, id))
    return row!.version
  }
  const { service, userId } = world
  const versions = [
    await versionAfter(async () => {}),
    await versionAfter(() => world.change(id, { code: 'return 1' })),
    await versionAfter(() => world.setStatus(id, 'ACTIVE')),
    await versionAfter(() => world.setStatus(id, 'ACTIVE')),
    await versionAfter(() => service.reset(userId, type, id, { triggers: true, storage: false })),
    await versionAfter(() => service.deactivate(id)),
    await versionAfter(() => service.duplicate(userId, type, id)),
  ]
  assert.deepEqual(versions, [1, 2, 3, 4, 5, 6, 6])
  const copies = await world.db.execute(sql`select version from strategies where id <> ${id}`)
  assert.equal((copies as unknown as { rows: { version: number }[] }).rows[0]!.version, 1)
})
