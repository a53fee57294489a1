import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import pg from 'pg'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { testEnvironment } from '../../test/environment.ts'
import { until } from '../../test/until.ts'
import { isDatabaseAway } from '../base/failures.ts'
import { readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import { openVault } from '../secrets/open.ts'
import { type Halted, TradingSwitch, type TradingSwitchOptions } from './trading-switch.ts'

const never = 2 ** 30

type Shown = { liveTrading: boolean; halted: Halted }

/** A database with a row for the installation. */
async function openInstallation(place: TestDatabase): Promise<Database> {
  const database = await place.open()
  await openVault(readConfig(testEnvironment(place, {})), database)
  return database
}

/** A connection that keeps everyone from reading the state, until it rolls back or ends. */
async function lockInstallation({
  databaseUrl,
}: {
  databaseUrl: string
}): Promise<pg.Client & AsyncDisposable> {
  const locker = new pg.Client({ connectionString: databaseUrl })
  await locker.connect()
  await locker.query('begin; lock table installation in access exclusive mode')
  return Object.assign(locker, { [Symbol.asyncDispose]: () => locker.end() })
}

async function openSwitch(
  database: Database,
  options: TradingSwitchOptions = {},
): Promise<TradingSwitch & Disposable> {
  const onError = (error: unknown) => assert.fail(`unexpected: ${error}`)
  const opened = await TradingSwitch.open(database, { onError, ...options })
  return Object.assign(opened, { [Symbol.dispose]: () => opened.close() })
}

const stateOf = (trading: TradingSwitch): Shown => ({
  liveTrading: trading.isLive(),
  halted: trading.isHalted(),
})

withDatabase('live trading is off by default, and nothing is halted', async (place) => {
  const database = await openInstallation(place)
  using trading = await openSwitch(database)
  assert.deepEqual(stateOf(trading), { liveTrading: false, halted: false })
  const live = { liveTrading: true, halted: false, halt: null }
  assert.deepEqual(await trading.set({ liveTrading: true }), live)
  assert.deepEqual(stateOf(trading), { liveTrading: true, halted: false })
  assert.deepEqual(await trading.set({}), live)
  assert.equal((await trading.set({ halted: true })).halted, true)
  using afterRestart = await openSwitch(database)
  assert.deepEqual(stateOf(afterRestart), { liveTrading: true, halted: true })
})

withDatabase('a halt keeps its beginning, and the reason that was given last', async (place) => {
  const database = await openInstallation(place)
  const [admin, other] = await database.db
    .insert(users)
    .values(
      ['a', 'b'].map((name) => ({ email: `${name}@example.com`, passwordHash: '', role: 'admin' as const })),
    )
    .returning()
  const noted: [by: number, event: string, details: object][] = []
  const by = ({ id }: { id: number }) => ({
    userId: id,
    note: (event: string) => async (_tx: unknown, details: object) => void noted.push([id, event, details]),
  })
  const told: unknown[] = []
  const tell = async (_tx: unknown, state: { halted: Halted }, changed: string[]) =>
    void told.push([state.halted, ...changed])
  using trading = await openSwitch(database, { tell })
  const begun = await trading.set({ halted: true }, by(admin!))
  assert.deepEqual(begun.halt, { reason: null, userId: admin!.id, at: begun.halt!.at })
  assert.ok(Math.abs(Date.now() - begun.halt!.at!.getTime()) < 60_000)
  assert.equal(await trading.whyHaltedNow('close'), 'Trading is halted.')
  const given = await trading.set({ halted: true, reason: 'Wrong prices' }, by(other!))
  assert.deepEqual(given.halt, { ...begun.halt, reason: 'Wrong prices' })
  assert.equal(await trading.whyHaltedNow('close'), 'Trading is halted: Wrong prices.')
  assert.deepEqual(await trading.set({ halted: true, liveTrading: true }, by(other!)), {
    ...given,
    liveTrading: true,
  })
  await trading.set({ halted: true, reason: 'Again?' }, by(other!))
  assert.equal(await trading.whyHaltedNow('close'), 'Trading is halted: Again?')
  await database.db.delete(users).where(eq(users.id, admin!.id))
  assert.deepEqual((await trading.read()).halt, { ...begun.halt, reason: 'Again?', userId: null })
  assert.equal((await trading.set({ halted: false, liveTrading: false }, by(other!))).halt, null)
  assert.equal((await trading.set({ halted: true })).halt!.reason, null)
  // A new reason is no news, and neither is a halt of what is halted.
  assert.deepEqual(told, [
    [true, 'halted'],
    [true, 'live_trading'],
    [false, 'halted', 'live_trading'],
    [true, 'halted'],
  ])
  assert.deepEqual(noted, [
    [admin!.id, 'trading_halted', {}],
    [other!.id, 'halt_reason_changed', { reason: 'Wrong prices' }],
    [other!.id, 'live_trading_on', {}],
    [other!.id, 'halt_reason_changed', { reason: 'Again?' }],
    [other!.id, 'trading_resumed', {}],
    [other!.id, 'live_trading_off', {}],
  ])
})

withDatabase('a halt of openings lets closes go on, and says so', async (place) => {
  const database = await openInstallation(place)
  using trading = await openSwitch(database)
  const noted: unknown[] = []
  const by = {
    userId: null,
    note: (event: string) => async (_: unknown, details: unknown) => void noted.push([event, details]),
  }
  const why = async () => [await trading.whyHaltedNow('open'), await trading.whyHaltedNow('close')]
  await trading.set({ halted: 'openings', reason: 'Wrong prices' }, by)
  assert.deepEqual(await why(), ['Openings are halted: Wrong prices. Closes go on.', null])
  assert.equal(trading.isHalted(), 'openings')
  await trading.set({ liveTrading: false, reason: null }, by)
  assert.deepEqual(await why(), ['Openings are halted. Closes go on.', null])
  const { halt } = await trading.set({ halted: true }, by)
  assert.deepEqual(await why(), ['Trading is halted.', 'Trading is halted.'])
  assert.deepEqual((await trading.set({ halted: 'openings' }, by)).halt, halt)
  await trading.set({ halted: false }, by)
  assert.deepEqual(await why(), [null, null])
  assert.deepEqual(noted, [
    ['trading_halted', { halted: 'openings', reason: 'Wrong prices' }],
    ['halt_reason_changed', {}],
    ['trading_halted', {}],
    ['trading_halted', { halted: 'openings' }],
    ['trading_resumed', {}],
  ])
})

withDatabase('a halt reaches every node by notification alone', async (place) => {
  const first = await openInstallation(place)
  const second = await place.open()
  using here = await openSwitch(first, { refreshMs: never, staleMs: never })
  using there = await openSwitch(second, { refreshMs: never, staleMs: never })
  await here.set({ halted: true })
  assert.equal(here.isHalted(), true)
  await until('the other node to learn of it', async () => there.isHalted() === true)
  await there.set({ halted: false, liveTrading: true })
  await until('the first node to learn of it', async () => here.isLive() && !here.isHalted())
})

withDatabase('the next read finds a halt whose notification was lost', async (place) => {
  const database = await openInstallation(place)
  using trading = await openSwitch(database)
  await database.db.execute(sql`update installation set trading_halted = true`)
  await until('the node to know', async () => trading.isHalted() === true)
})

withDatabase(
  'while the database cannot be read, no bot trades; afterwards the old state applies again',
  async (place) => {
    const database = await openInstallation(place)
    const failures: unknown[] = []
    const changes: Shown[] = []
    using trading = await openSwitch(database, {
      refreshMs: 10,
      staleMs: 500,
      onError: (error) => failures.push(error),
      onChange: (state) => changes.push(state),
    })
    await trading.set({ liveTrading: true })
    await database.db.execute(sql`alter table installation rename to elsewhere`)
    await until('it to count as halted', async () => trading.isHalted() === true)
    assert.equal(trading.isLive(), false)
    await assert.rejects(trading.set({ halted: false }))
    await assert.rejects(trading.read())
    assert.equal(trading.isHalted(), true)
    assert.equal(failures.length, 1)
    await database.db.execute(sql`alter table elsewhere rename to installation`)
    await until('it to go on', async () => !trading.isHalted())
    assert.ok(changes.some(({ liveTrading, halted }) => halted && !liveTrading))
    assert.deepEqual(changes.at(-1), { liveTrading: true, halted: false })
  },
)

withDatabase(
  'a database that hangs halts trading too, without an ever growing number of reads',
  async (place) => {
    const database = await openInstallation(place)
    using trading = await openSwitch(database, { refreshMs: 10, staleMs: 500 })
    await using locker = await lockInstallation(place)
    await until('it to count as halted', async () => trading.isHalted() === true)
    const { rows } = await locker.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    assert.ok(rows[0].count <= 3, `${rows[0].count} readings wait`)
    await locker.query('rollback')
    await until('it to go on', async () => !trading.isHalted())
  },
)

/** Blocks the event loop: no timer fires, and nothing is read. It leaves the processor to the database. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

withDatabase(
  'a process that stood still does not halt trading, and reads again before it trades',
  async (place) => {
    const database = await openInstallation(place)
    const changes: Shown[] = []
    using trading = await openSwitch(database, {
      refreshMs: 100,
      staleMs: 1_000,
      onChange: (state) => changes.push(state),
    })
    standStill(1_500)
    assert.equal(trading.isHalted(), false)
    const answer = trading.whyHaltedNow('close')
    assert.ok(answer instanceof Promise, 'it relies on the state from before it stood still')
    assert.equal(await answer, null)
    assert.deepEqual(changes, [{ liveTrading: false, halted: false }])
  },
)

withDatabase(
  'a halt that another node set while this one stood still applies to its next order',
  async (place) => {
    const database = await openInstallation(place)
    using trading = await openSwitch(database, { refreshMs: 100, staleMs: 1_000 })
    const other = new pg.Client({ connectionString: place.databaseUrl })
    await other.connect()
    try {
      // The database server does this while this process stands still, and sends no notification.
      const halting = other.query(`select pg_sleep(0.3); update installation set trading_halted = true`)
      await new Promise(setImmediate)
      standStill(1_500)
      assert.equal(trading.isHalted(), false, 'it does not know of it yet')
      assert.equal(await trading.whyHaltedNow('close'), 'Trading is halted.')
      await halting
    } finally {
      await other.end()
    }
  },
)

withDatabase(
  'if the database hangs, an order waits until the state counts as unknown, and is then refused',
  async (place) => {
    const database = await openInstallation(place)
    using trading = await openSwitch(database, { refreshMs: 50, staleMs: 1_000 })
    await using locker = await lockInstallation(place)
    await until('the last read to be old', async () => trading.whyHaltedNow('close') !== null)
    assert.match((await trading.whyHaltedNow('close'))!, /cannot read the trading switch/)
    // A close must not wait for its owner because of this.
    await assert.rejects(trading.whyHaltedIfKnown('close'), isDatabaseAway)
    assert.equal(trading.isHalted(), true)
    await locker.query('rollback')
    await until('it to go on', async () => (await trading.whyHaltedNow('close')) === null)
    assert.equal(await trading.whyHaltedIfKnown('close'), null)
    await trading.set({ halted: true })
    assert.equal(await trading.whyHaltedIfKnown('close'), 'Trading is halted.')
  },
)

withDatabase('after concurrent changes, every node has the stored state', async (place) => {
  const first = await openInstallation(place)
  const second = await place.open()
  using here = await openSwitch(first)
  using there = await openSwitch(second)
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      [here, there][index % 2]!.set({ halted: index % 3 === 0, liveTrading: index % 5 === 0 }),
    ),
  )
  const stored = await here.read()
  await until('both to agree', async () =>
    [here, there].every((node) => node.isHalted() === stored.halted && node.isLive() === stored.liveTrading),
  )
})

withDatabase('a closed switch follows no more changes', async (place) => {
  const database = await openInstallation(place)
  const closed = await openSwitch(database, { refreshMs: 10, staleMs: never })
  closed.close()
  using open = await openSwitch(database)
  await open.set({ halted: true })
  assert.equal(open.isHalted(), true)
  assert.equal(closed.isHalted(), false)
})
