/** The fast statement for one signal does what the general one does. */
import assert from 'node:assert/strict'
import { type SQL, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { withDatabase } from '../../test/databases.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { botSignals, signals, strategies, strategyState, users } from '../db/schema.ts'
import { Claim } from './held-strategy.ts'
import { batchValues, type SignalEntry, signalValues, writeSql } from './journal-statement.ts'
import { signalParameters, writeSignalSql } from './signal-statement.ts'

const thisNode = '00000000-0000-4000-8000-000000000001'
const otherNode = '00000000-0000-4000-8000-000000000002'

/** The stored rows that decide the outcome of a signal. */
const world = fc.record({
  holder: fc.oneof({ weight: 5, arbitrary: fc.constant(thisNode) }, fc.constantFrom(otherNode, null)),
  runStatus: fc.oneof({ weight: 5, arbitrary: fc.constant('QUEUED') }, fc.constantFrom('RUNNING', 'FAILED')),
  isStoredAlready: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  webhook: fc.oneof({ weight: 3, arbitrary: fc.constant('ACTIVE') }, fc.constantFrom('INACTIVE', null)),
  activeBots: fc.integer({ min: 0, max: 4 }),
  actionsInSecond: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 6 })),
  lastAction: fc.constantFrom('LONG', 'EXIT', null),
})

const price = fc.option(fc.double({ min: 1e-9, max: 1e9, noNaN: true }))
const action = fc.constantFrom('LONG', 'SHORT', 'EXIT')
const symbol = fc.oneof(fc.constantFrom('BTCUSDT', 'ETHUSDT'), fc.string({ unit: 'grapheme', maxLength: 20 }))

const entry: fc.Arbitrary<SignalEntry> = fc.record({
  kind: fc.constant('signal'),
  runId: fc.constant(1),
  claim: fc.constant(new Claim(1)),
  userId: fc.constant(1),
  action,
  // The API takes no NUL in a symbol.
  symbols: fc.array(
    symbol.map((text) => text.replaceAll('\0', '')),
    { maxLength: 4 },
  ),
  price,
  options: fc.record(
    {
      id: fc.string({ unit: 'binary', maxLength: 20 }),
      size: fc.double({ min: 1e-18, max: 1e18, noNaN: true }),
      dilution: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  previousTrigger: fc.record({ action: fc.option(action), price, at: fc.option(fc.nat()) }),
  atMs: fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2030-01-01') }),
})

type World = typeof world extends fc.Arbitrary<infer T> ? T : never

const usual: World = {
  holder: thisNode,
  runStatus: 'QUEUED',
  isStoredAlready: false,
  webhook: 'ACTIVE',
  activeBots: 2,
  actionsInSecond: 0,
  lastAction: null,
}
const long: SignalEntry = {
  kind: 'signal',
  runId: 1,
  claim: new Claim(1),
  userId: 1,
  action: 'LONG',
  symbols: ['BTCUSDT', "it's", 'BTCUSDT'],
  price: 0.1,
  options: { id: 'a\0b', size: 2 },
  previousTrigger: { action: 'EXIT', price: 1.5, at: 7 },
  atMs: 1_767_229_200_123,
}
/** One for each outcome. */
const examples: [World, SignalEntry][] = [
  [usual, long],
  [{ ...usual, webhook: 'INACTIVE' }, long],
  [{ ...usual, webhook: null }, long],
  [usual, { ...long, symbols: [] }],
  [{ ...usual, actionsInSecond: 4 }, long],
  [{ ...usual, actionsInSecond: 5 }, long],
  [{ ...usual, isStoredAlready: true }, long],
  [{ ...usual, holder: otherNode }, long],
  [{ ...usual, runStatus: 'FAILED' }, long],
]

/** A user with a strategy, and a bot webhook of each status with four bots. */
async function addRows({ db }: Database): Promise<void> {
  await db.insert(users).values({ email: 'a@example.com', passwordHash: '', role: 'user' })
  await db.insert(strategies).values({ userId: 1, type: 'code-reaction', name: '', code: '' })
  await db.insert(strategyState).values({ strategyId: 1 })
  await db.execute(sql`insert into bot_webhooks (user_id, name, description, status, url_hash, url_secret)
    values (1, '', '', 'ACTIVE', 'a', ''), (1, '', '', 'INACTIVE', 'b', '')`)
  await db.execute(sql`insert into bots (user_id, name, webhook_id, exchange_id, settings)
    select 1, '', w, 1, '{}' from generate_series(1, 2) w, generate_series(1, 4)`)
}

/** Puts the database into the state of a world, as if nothing had happened before. */
async function prepare({ db }: Database, world: World): Promise<void> {
  for (const table of ['signals', 'bot_signals', 'runs']) {
    await db.execute(sql.raw(`delete from ${table}`))
    await db.execute(sql.raw(`select setval('${table}_id_seq', 1, false)`))
  }
  await db.execute(sql`insert into runs (strategy_id, trigger, status, queued_at)
    values (1, 'webhook', ${world.runStatus}, now())`)
  await db.execute(sql`update strategies
    set webhook_id = (select id from bot_webhooks where status = ${world.webhook})`)
  await db.execute(
    sql`update bots set status = case when (id - 1) % 4 < ${world.activeBots} then 'ACTIVE' else 'INACTIVE' end`,
  )
  await db.execute(sql`update strategy_state set holder = ${world.holder}, last_action = ${world.lastAction},
    last_price = 1, last_action_at = '2020-01-01'`)
  // As many in each second of the next ten minutes, so that the next action meets them, however slow the machine is.
  await db.execute(sql`delete from action_rates`)
  await db.execute(sql`insert into action_rates (user_id, accepted, asked_at, asking_runs, granted_runs)
    select 1, array(select now() + (n / ${world.actionsInSecond}::float8 - 2) * interval '1 second'
      from generate_series(1, ${600 * world.actionsInSecond}::integer) n), '{}', '{}', '{}'`)
  if (!world.isStoredAlready) return
  await db.execute(sql`insert into signals (user_id, strategy_id, run_id, action, symbols, options, delivered, created_at)
    values (1, 1, 1, 'LONG', '[]', '{}', true, '2020-01-01')`)
}

async function rows({ db }: Database): Promise<unknown> {
  const read = async (query: SQL) => ((await db.execute(query)) as unknown as { rows: unknown[] }).rows
  return {
    signals: (await db.select().from(signals)).map(({ createdAt, ...row }) => ({
      ...row,
      ...(row.previousTrigger && { createdAt }),
    })),
    botSignals: await db.select().from(botSignals).orderBy(botSignals.id),
    state: await db.select().from(strategyState),
    rates: await read(
      sql`select cardinality(accepted) as accepted, asking_runs, granted_runs from action_rates`,
    ),
  }
}

withDatabase(
  'one signal leaves the same rows and the same answer, written by itself or as a batch',
  async (place) => {
    const database = await place.open()
    await addRows(database)
    const general = database.prepare('general', writeSql(false))
    const withEvents = database.prepare('with events', writeSql(true))
    const fast = database.prepare('fast', writeSignalSql)
    const write = async (statement: PreparedStatement, world: World, values: (string | number | null)[]) => {
      await prepare(database, world)
      const [row] = await statement(values)
      return { answer: JSON.parse(row![0]!), rows: await rows(database) }
    }
    const outcomes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(world, entry, async (world, entry) => {
        // The action is asked for half a second before it is sent to the database.
        const sentMs = entry.atMs + 500
        const alone = await write(fast, world, [...signalParameters(entry, thisNode), sentMs])
        const asBatch = [...batchValues([entry], thisNode), signalValues([entry])!, sentMs]
        assert.deepEqual(alone, await write(general, world, asBatch))
        assert.deepEqual(alone, await write(withEvents, world, asBatch))
        outcomes.add(fieldsOf(alone.answer).join(' '))
      }),
      { numRuns: 60, examples },
    )
    for (const fields of ['', 'bots held signals', 'held known', 'held refused', 'held signals']) {
      assert.ok(outcomes.has(fields), `no input led to the outcome "${fields}"`)
    }
  },
)

/** The fields of an answer that say something. */
const fieldsOf = (answer: Record<string, unknown>) =>
  Object.keys(answer)
    .filter((key) => answer[key] !== null)
    .sort()
