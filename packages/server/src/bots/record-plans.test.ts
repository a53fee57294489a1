/** Checks that the database finds a few records among many through an index, for each filter. */
import assert from 'node:assert/strict'
import { type SQLWrapper, sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import type { Database } from '../db/database.ts'
import { Records } from './records.ts'

const count = 20_000
const moment = `now() - (${count} - i) * interval '10 s'`
const bot = 'case when i % 1000 = 7 then 3 else 1 + i % 2 end'
const symbol = `case when i % 1000 = 5 then 'RARE/USDT' else 'BTC/USDT:USDT' end`

/** A user with many records of a few bots. The third bot has only a few. */
async function fillTables({ db }: Database): Promise<void> {
  const rows = `from generate_series(1, ${count}) i`
  const statements = [
    `insert into signals (user_id, action, symbols, options, created_at)
      select 1, 'LONG', '[]', '{}', ${moment} ${rows}`,
    `insert into bot_signals (bot_id, user_id, signal_id, symbol, status, queued_at)
      select ${bot}, 1, i, ${symbol}, 'DONE', ${moment} ${rows}`,
    `insert into orders (bot_id, user_id, bot_signal_id, client_order_id, symbol, side, purpose, reduce_only, size,
        status, created_at, updated_at)
      select ${bot}, 1, i, 'c' || i, ${symbol}, 'buy', 'open', false, 1,
        case when i % 1000 = 3 then 'REJECTED' else 'FILLED' end, ${moment}, now() ${rows}`,
    `insert into fills (order_id, bot_id, user_id, trade_id, symbol, side, size, price, fee, fee_asset, realised,
        filled_at)
      select i, ${bot}, 1, 't', ${symbol}, 'buy', 1, 100, 0.1, 'USDT', -0.1, ${moment} ${rows}`,
    'analyze',
  ]
  for (const statement of statements) await db.execute(sql.raw(statement))
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
]

withDatabase('no list of records reads many more rows than it returns, with any filter', async (place) => {
  const database = await place.open()
  await fillTables(database)
  const records = new Records(database, { latest: () => null })
  const lists: [string, unknown][] = [
    ...filters.map((each): [string, unknown] => ['orders', records.orders(1, each, window)]),
    ...filters.map((each): [string, unknown] => ['fills', records.fills(1, each, window)]),
    ...(['OPEN', 'REJECTED', 'FILLED'] as const).map((status): [string, unknown] => [
      `${status} orders`,
      records.orders(1, { status }, window),
    ]),
    ['fills of an order', records.fills(1, { orderId: 77 }, window)],
    ...[1, 3, 4].map((botId): [string, unknown] => ['signals', records.botSignals(1, { botId }, window)]),
    ['waiting signals', records.botSignals(1, { botId: 1, status: 'QUEUED' }, window)],
  ]
  for (const [name, list] of lists) {
    const query = sql`explain (analyze, costs off, timing off) ${(list as SQLWrapper).getSQL()}`
    const { rows } = (await database.db.execute(query)) as { rows: Record<string, string>[] }
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    // The few bots and connections of this test fit on a page, so no index would help.
    assert.doesNotMatch(plan, /Seq Scan on (?!bots|exchange_connections)/, `${name}:\n${plan}`)
    const inVain = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) => Number(rows))
    assert.ok(Math.max(0, ...inVain) < count / 20, `${name}:\n${plan}`)
  }
})
