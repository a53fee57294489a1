/** Checks that the database finds a page of a list through an index, for any user and any filter. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { createTestDatabase } from '../../test/databases.ts'
import { TokenBuckets } from '../base/token-buckets.ts'
import { findBotSignals } from '../bots/bot-signal-search.ts'
import { Bots, type BotsParts } from '../bots/bots.ts'
import { Records } from '../bots/records.ts'
import { nextOpenings } from '../bots/statistics/openings.ts'
import { storedKinds } from '../bots/stored/kinds.ts'
import { StoredBots, type StoredBotsParts } from '../bots/stored/stored-bots.ts'
import {
  PredictionConnections,
  type PredictionConnectionsParts,
} from '../connections/prediction-connections.ts'
import type { Database, Db } from '../db/database.ts'
import type { PreparedReads } from '../db/reads.ts'
import { Signals } from '../signals/signals.ts'
import { Runs } from '../strategies/runs.ts'
import { Strategies, type StrategiesParts } from '../strategies/strategies.ts'
import { ScheduleTraces } from '../traces/schedule-traces.ts'
import { Traces } from '../traces/traces.ts'
import { Deliveries } from '../webhooks/deliveries.ts'

const count = 10_000
const moment = `now() - (${count} - i) * interval '10 s'`
const bot = 'case when i % 1000 = 7 then 3 else 1 + i % 2 end'
const symbol = `case when i % 1000 = 5 then 'RARE/USDT' else 'BTC/USDT:USDT' end`
/** Of 1,000 records, 999 belong to the first user, and one belongs to the second. */
const user = 'case when i % 1000 = 0 then 2 else 1 end'
const secret = (kind: string) => `sha256((i || '${kind}')::bytea), ''`

async function fillTables({ db }: Database): Promise<void> {
  const rows = `from generate_series(1, ${count}) i`
  const statements = [
    `insert into users (email, password_hash, role) select i || '@example.com', '', 'user' from generate_series(1, 2) i`,
    `insert into data_webhooks (user_id, name, description, url_hash, url_secret)
      select ${user}, '', '', ${secret('data')} ${rows}`,
    `insert into strategies (user_id, type, name, code, cron_interval, created_at)
      select ${user}, case when i % 500 = 0 then 'code-reaction' else 'code-strategy' end, '', '',
      '1M', now() - interval '1 day' ${rows}`,
    'insert into strategy_state (strategy_id) select id from strategies',
    `insert into bots (user_id, name, exchange_id, settings)
      select case when i % 100 = 0 then 2 else 1 end, '', 1, '{}' from generate_series(1, 300) i`,
    `insert into stored_bots (user_id, type, name, exchange_id, settings)
      select ${user}, case when i % 2 = 0 then 'signal-dex' else 'signal-prediction' end, '', 15, '{}' ${rows}`,
    `insert into prediction_connections (user_id, exchange_id, name, credentials) select ${user}, 15, '', '' ${rows}`,
    `insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
      select ${user}, '{}', '{}', '', 1, ${moment} ${rows}`,
    `insert into runs (strategy_id, trigger, delivery_id, queued_at) select ${user}, 'webhook', i, ${moment} ${rows}`,
    `insert into signals (user_id, strategy_id, run_id, action, symbols, options, created_at)
      select ${user}, 1, i, 'LONG', '[]', '{}', ${moment} ${rows}`,
    `insert into bot_signals (bot_id, user_id, signal_id, symbol, status, queued_at)
      select ${bot}, 1, i, ${symbol}, 'DONE', ${moment} ${rows}`,
    `insert into orders (bot_id, user_id, bot_signal_id, client_order_id, symbol, side, purpose, reduce_only, size,
        status, created_at, updated_at)
      select ${bot}, ${user}, i, 'c' || i, ${symbol}, 'buy', 'open', false, 1,
        case when i % 1000 = 3 then 'REJECTED' else 'FILLED' end, ${moment}, now() ${rows}`,
    `insert into fills (order_id, bot_id, user_id, trade_id, symbol, side, size, price, fee, fee_asset, realised,
        filled_at)
      select i, ${bot}, ${user}, 't', ${symbol}, 'buy', 1, 100, 0.1, 'USDT', -0.1, ${moment} ${rows}`,
    'analyze',
  ]
  for (const statement of statements) await db.execute(sql.raw(statement))
}

type Plan = { name: string; text: string }
type Statement = { sql: string; params: unknown[] }
type BuiltQuery = SQLWrapper & { toSQL(): Statement }

/** A database that also notes how it executes each read. */
function explaining(database: Database, plans: Plan[]): Database {
  const read: PreparedReads['read'] = async (name, given, build, filter = {} as never) => {
    // Drizzle takes values where it takes slots, except that it would make a list of parameters from an array.
    const values = Object.fromEntries(
      Object.entries(filter).map(([key, value]) => [key, Array.isArray(value) ? sql.param(value) : value]),
    )
    const builtFor = (slots: object) => build(slots as never, values as never) as unknown as BuiltQuery
    const text =
      Object.keys(filter).length === 0
        ? await explainKept(database, builtFor(placeholders(given)).toSQL(), given)
        : await explain(database.db, builtFor(given).getSQL())
    plans.push({ name: [name, ...Object.keys(filter)].join(' by '), text })
    return database.read(name, given, build, filter)
  }
  return { ...database, read }
}

const placeholders = (given: object) =>
  Object.fromEntries(Object.keys(given).map((key) => [key, sql.placeholder(key)]))

/** The plan that PostgreSQL keeps is made without knowing the values. */
function explainKept(
  { db }: Database,
  { sql: statement, params }: Statement,
  given: Record<string, unknown>,
): Promise<string> {
  const values = params.map((param) => (param instanceof Placeholder ? given[param.name] : param))
  const literals = values.map((value) => (Array.isArray(value) ? `'{${value}}'` : `'${value}'`))
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local plan_cache_mode = force_generic_plan`)
    await tx.execute(sql.raw(`prepare kept as ${statement}`))
    const plan = await explain(tx, sql.raw(`execute kept (${literals})`))
    await tx.execute(sql`deallocate kept`)
    return plan
  })
}

async function explain(db: Db, statement: SQL): Promise<string> {
  const { rows } = (await db.execute(sql`explain (analyze, costs off, timing off) ${statement}`)) as {
    rows: Record<string, string>[]
  }
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const window = { limit: 50, offset: 0 }
const since = new Date(Date.now() - 600_000)
const filters = [
  {},
  { botId: 1 },
  { botId: 3 },
  { botId: 4 },
  { symbol: 'btc-usdt' },
  { symbol: 'rareusdt' },
  { symbol: 'absent' },
  { since },
  { botId: 3, symbol: 'absent', since },
  { mode: 'paper' as const },
  { mode: 'live' as const },
  { isDemo: false, symbol: 'rareusdt' },
]

async function readAll(database: Database): Promise<void> {
  const records = new Records(database, { latest: () => null })
  const signals = new Signals(database)
  const deliveries = new Deliveries(database, new TokenBuckets(1, 1), () => undefined)
  const runs = new Runs(database)
  const traces = new Traces(database)
  const scheduleTraces = new ScheduleTraces({ database, findExchange: () => undefined })
  const bots = new Bots({ database } as BotsParts)
  const storedBots = new StoredBots({ database } as StoredBotsParts)
  const predictions = new PredictionConnections({ database } as PredictionConnectionsParts)
  const strategies = new Strategies({ database } as StrategiesParts)
  for (const filter of filters) {
    await records.orders(1, filter, window)
    await records.fills(1, filter, window)
  }
  for (const filter of [{}, { bots: [1] }, { bots: [3] }, { bots: [1, 2, 3, 4] }]) {
    for (const other of [{}, { symbol: 'rareusdt' }, { symbol: 'absent' }, { since }, { until: since }]) {
      await nextOpenings(database, 1, { ...filter, ...other }, window.limit)
    }
    await nextOpenings(database, 1, { ...filter, before: 9_000 }, window.limit)
    await nextOpenings(database, 2, { ...filter, after: 9_000 }, window.limit)
  }
  for (const status of ['OPEN', 'REJECTED', 'FILLED'] as const) await records.orders(1, { status }, window)
  await records.fills(1, { orderId: 77 }, window)
  for (const botId of [1, 3, 4]) await records.botSignals(1, { botId }, window)
  await records.botSignals(1, { botId: 1, status: 'QUEUED' }, window)
  for (const cursors of [{ before: 9_000 }, { after: 9_000 }, { after: 5_000, before: 5_100 }]) {
    for (const userId of [1, 2, 3]) {
      const part = { ...window, ...cursors }
      await records.orders(userId, {}, part)
      await records.fills(userId, {}, part)
      await signals.list(userId, {}, part)
      await runs.list(userId, part)
      await deliveries.list(1, userId, part)
    }
  }
  for (const userId of [1, 2, 3]) {
    await records.orders(userId, {}, window)
    await records.fills(userId, {}, window)
    await signals.list(userId, {}, window)
    await signals.list(userId, {}, { ...window, offset: 10 })
    await bots.list(userId, window)
    for (const kind of storedKinds) await storedBots.list(userId, kind, window)
    await predictions.list(userId, window)
    for (const type of ['code-strategy', 'code-reaction', 'llm-reaction', 'llm-session'] as const) {
      await strategies.list(userId, type, window)
    }
    // These lists are of one strategy and one webhook. Two of them have rows.
    await runs.list(userId, window)
    await deliveries.list(1, userId, window)
  }
  await signals.get(1, 7)
  await runs.get(1, 7)
  await deliveries.get(1, 7)
  await traces.ofRun(1, 7)
  await traces.ofDelivery(1, 7)
  const traced = { userId: 1, type: 'code-strategy', id: 7 } as const
  await scheduleTraces.of(traced, 10)
  await scheduleTraces.of(traced, 10, since)
  await bots.get(1, 7)
  await strategies.get(1, 'code-strategy', 7)
}

/** Of the other tables, this test fills few or no rows, so that no index would help. */
const manyRows =
  /Seq Scan on (data_webhooks|strategies|strategy_state|deliveries|runs|signals|bot_signals|orders|fills|stored_bots|prediction_connections)\b/

/** The statement leaves out some of the rows that it has looked at: their number has a limit. */
const ofKept = /CTE Scan on .*\n +Filter: .*\n +Rows Removed by Filter: \d+/g

/** What the service sends to the database while it searches. */
async function searchesOf(database: Database): Promise<SQL[]> {
  const sent: SQL[] = []
  const db = new Proxy(database.db, {
    get: (target, name) =>
      name === 'execute'
        ? (statement: SQL) => {
            sent.push(statement)
            return target.execute(statement)
          }
        : Reflect.get(target, name, target),
  })
  const watched = { ...database, db }
  const runs = new Runs(watched)
  const deliveries = new Deliveries(watched, new TokenBuckets(1, 1), () => undefined)
  for (const part of [window, { ...window, before: 5_000 }, { ...window, after: 5_000 }]) {
    for (const userId of [1, 2]) {
      await runs.find(userId, {}, part)
      await deliveries.find(userId, {}, part)
      await findBotSignals(watched, userId, {}, part)
    }
    for (const status of ['FAILED', 'QUEUED'] as const) await runs.find(1, { status, strategyId: 1 }, part)
    for (const status of ['SUCCEEDED', 'FAILED'] as const) await deliveries.find(1, { status }, part)
    await runs.find(1, { webhookId: 1 }, part)
    await findBotSignals(watched, 1, { strategyId: 1 }, part)
    for (const trigger of ['webhook', 'replay'] as const) {
      await deliveries.find(1, { trigger }, part)
      await findBotSignals(watched, 1, { trigger }, part)
    }
    await runs.find(1, { strategyId: 1, since, text: 'absent' }, part)
    await deliveries.find(1, { webhookId: 1, strategyId: 1, since, text: 'absent' }, part)
  }
  return sent
}

test('no search reads a whole table', async () => {
  await using place = await createTestDatabase()
  const database = await place.open()
  await fillTables(database)
  const statements = await searchesOf(database)
  assert.ok(statements.length > 40)
  for (const statement of statements) {
    const text = (await explain(database.db, statement)).replaceAll(ofKept, '')
    assert.doesNotMatch(text, manyRows, text)
    const inVain = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) => Number(rows))
    assert.ok(Math.max(0, ...inVain) < count / 20, text)
  }
})

test('no list reads many more rows than it returns, for any user and any filter', async () => {
  await using place = await createTestDatabase()
  const database = await place.open()
  await fillTables(database)
  const plans: Plan[] = []
  await readAll(explaining(database, plans))
  assert.ok(plans.length > 60)
  for (const { name, text } of plans) {
    assert.doesNotMatch(text, manyRows, `${name}:\n${text}`)
    const inVain = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) => Number(rows))
    assert.ok(Math.max(0, ...inVain) < count / 20, `${name}:\n${text}`)
    const sorted = [...text.matchAll(/Sort .*rows=(\d+)/g)].map(([, rows]) => Number(rows))
    assert.ok(Math.max(0, ...sorted) <= window.limit, `${name}:\n${text}`)
  }
})
