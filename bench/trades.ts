import { randomBytes } from 'node:crypto'
import { type ApiClient, createApiClient } from '@tickwright/client'
import { sql } from 'drizzle-orm'
import { startServiceProcess } from '../examples/service-process.ts'
import type { Database } from '../packages/server/src/db/database.ts'
import { type KeyPair, makeAccounts } from './accounts.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { withDatabase } from './database.ts'
import { type Latencies, latenciesAgainstFloor, type Row, type Section } from './report.ts'
import { median, percentile } from './statistics.ts'

const rounds = 5
const manyBots = 300

/**
 * The trades and statistics of a bot with many fills, compared with only reading these fills from the database; and the
 * trades of a user whose many bots have as many fills together.
 */
export const trades: Benchmark = { name: 'trades', run }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  const fills = quick ? 10_000 : 100_000
  const settings = await backend.emptyDatabase()
  const masterKey = randomBytes(32)
  let accounts: KeyPair[]
  let botId = 0
  let floorMs = 0
  await using service = await startServiceProcess({
    settings: { ...settings, MASTER_KEY: masterKey.toString('hex') },
    prepare: (dataDir) =>
      withDatabase({ ...settings, DATA_DIR: dataDir }, async (database) => {
        accounts = await makeAccounts(2, database, masterKey)
        botId = (await addBots(database, 'min', 1, fills))[0]!
        await addBots(database, 'max', manyBots, fills)
        floorMs = await medianMs(() => readAll(database, botId))
      }),
  })
  const [one, many] = accounts!.map((account) =>
    createApiClient({ baseUrl: service.access.baseUrl, ...account }),
  )
  const { bots, variables } = one!
  const newestOfAll = () => many!.trades.list({ limit: 100 })
  const small = () => variables.list()
  const [first] = await timesOf(1, () => bots.signal.trades(botId))
  const [firstOfAll] = await timesOf(1, newestOfAll)
  const row = (name: string, ms: number): Row => ({ name, p50Ms: ms, times: ms / floorMs })
  return {
    bench: 'trades',
    title: `a bot with ${fills} fills`,
    rows: [
      { name: 'floor: its fills, read in batches of 1,000', p50Ms: floorMs },
      row('its newest trades, for the first time, and times the floor', first!),
      row('its newest trades, later', await medianMs(() => bots.signal.trades(botId))),
      row('its statistics', await medianMs(() => statsOf(bots, botId))),
      row(`${manyBots} bots with as many fills: their newest 100 trades, for the first time`, firstOfAll!),
      row('their newest trades, later', await medianMs(newestOfAll)),
      ...(await meanwhile(small, () => statsOf(bots, botId))),
    ],
  }
}

/** How long a small request takes while something long is calculated. The floor is the same request alone. */
async function meanwhile(small: () => Promise<unknown>, long: () => Promise<unknown>): Promise<Row[]> {
  const alone = await timesOf(300, small)
  const during: number[] = []
  for (let round = 0; round < rounds; round++) {
    let isOver = false
    const end = long().finally(() => {
      isOver = true
    })
    while (!isOver) during.push(...(await timesOf(1, small)))
    await end
  }
  const floorRow = latenciesOf('floor: a small request alone', alone)
  const row = latenciesOf('a small request during its statistics', during)
  return [floorRow, latenciesAgainstFloor(row, floorRow)]
}

function latenciesOf(name: string, times: number[]): Latencies {
  return { name, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
}

async function statsOf(bots: ApiClient['bots'], botId: number): Promise<void> {
  const { trades } = await bots.signal.stats(botId)
  if (trades.closed === 0) throw new Error('The bot has no trades.')
}

/** Adds bots of the first or the last user. In turn, each buys one unit and sells it again, over and over. */
async function addBots(
  { db }: Database,
  user: 'min' | 'max',
  count: number,
  fills: number,
): Promise<number[]> {
  const settings = JSON.stringify({ startBalance: '10000', amountCurrency: 'USDT', symbols: [] })
  const userId = sql`(select ${sql.raw(user)}(id) from users)`
  const { rows } = (await db.execute(sql`
    insert into bots (user_id, name, exchange_id, settings)
    select ${userId}, 'bot', 3, ${settings}::jsonb from generate_series(1, ${count}::int) returning id`)) as unknown as {
    rows: { id: string | number }[]
  }
  const botIds = rows.map(({ id }) => Number(id))
  await db.execute(sql`
    insert into fills (kind, bot_id, user_id, trade_id, symbol, side, size, price, fee, fee_asset, realised, filled_at)
    select 'external', ${Math.min(...botIds)}::int + n % ${count}::int, ${userId}, n, 'BTC/USDT:USDT',
      case when n / ${count}::int % 2 = 0 then 'buy' else 'sell' end, 1, 100 + n / ${count}::int % 2, 0.1, 'USDT',
      case when n / ${count}::int % 2 = 0 then -0.1 else -1.1 end, now() - (${fills}::int - n) * interval '1 minute'
    from generate_series(0, ${fills}::int - 1) n order by n`)
  await db.execute(sql`
    insert into equity (bot_id, at, balance, unrealised)
    select bot_id, filled_at, 10000 + id % 977, 0 from fills where user_id = ${userId}`)
  await db.execute(sql`analyze`)
  return botIds
}

async function readAll({ db }: Database, botId: number): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = (await db.execute(sql`
      select * from fills where bot_id = ${botId} and id > ${last} order by id limit 1000`)) as unknown as {
      rows: { id: string | number }[]
    }
    if (rows.length < 1_000) return
    last = Number(rows.at(-1)!.id)
  }
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  return median(await timesOf(rounds, work))
}

async function timesOf(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < count; round++) {
    const from = performance.now()
    await work()
    times.push(performance.now() - from)
  }
  return times
}
