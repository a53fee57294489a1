import { randomBytes } from 'node:crypto'
import { createApiClient } from '@tickwright/client'
import { type SQL, sql } from 'drizzle-orm'
import type { ApiAccess } from '../examples/access.ts'
import { startServiceProcess } from '../examples/service-process.ts'
import { setUpReaction } from '../examples/set-up.ts'
import type { Database } from '../packages/server/src/db/database.ts'
import { type KeyPair, makeAccounts } from './accounts.ts'
import type { Backend } from './backend.ts'
import { withDatabase } from './database.ts'
import { payloadBytes } from './payload.ts'
import { typicalCode } from './typical-reaction.ts'

/** How many strategies rest in a database, and how many deliveries, runs, signals and signals for bots each it has. */
export type Fill = { strategies: number; stored: number }

/** A service on a database with contents. */
export type Filled = AsyncDisposable & {
  access: ApiAccess
  pids: readonly number[]
  /** Typical reactions, to which all stored runs and signals belong, and the paths of their webhooks. */
  reactions: { id: number; webhookId: number; path: string }[]
  /** A paper bot that is off, to which a tenth of the stored signals for bots belong. */
  botId: number
  /** How many of each there are. The ids of each start with 1, in the order of their times. */
  stored: number
  /** The path of a webhook without a reaction. */
  plainPath: string
}

const reactionCount = 10
const restingUsers = 100
const restingWebhooks = 1_000
/** So that no statement takes minutes. */
const storedAtOnce = 500_000

/** Starts a service on a new database that was filled before. */
export async function startFilled(backend: Backend, fill: Fill): Promise<Filled> {
  await using acquired = new AsyncDisposableStack()
  const settings = await backend.emptyDatabase()
  const masterKey = randomBytes(32)
  let account: KeyPair
  const service = acquired.use(
    await startServiceProcess({
      settings: { ...settings, MASTER_KEY: masterKey.toString('hex') },
      prepare: async (dataDir) => {
        await withDatabase({ ...settings, DATA_DIR: dataDir }, async (database) => {
          account = (await makeAccounts(1, database, masterKey))[0]!
          await addStrategies(database, fill.strategies)
          await addStored(database, fill)
        })
      },
    }),
  )
  const access = { baseUrl: service.access.baseUrl, ...account! }
  const client = createApiClient(access)
  const reactions: Filled['reactions'] = []
  for (let n = 1; n <= reactionCount; n++) {
    const { url, reactionId } = await setUpReaction(client, {
      name: `reaction ${n}`,
      code: typicalCode,
      sendSignal: false,
    })
    const webhookId = restingWebhooks + n
    const owned = await client.webhooks.data.get(webhookId)
    if (reactionId !== fill.strategies + n || owned.url !== url) {
      throw new Error(`Reaction ${n} has other ids than its stored runs.`)
    }
    reactions.push({ id: reactionId, webhookId, path: new URL(url).pathname })
  }
  const plain = await client.webhooks.data.create({ name: 'plain', description: '' })
  const kept = acquired.move()
  return {
    access,
    pids: [service.pid, ...backend.pids],
    reactions,
    plainPath: new URL(plain.url).pathname,
    botId: 1,
    stored: fill.stored,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Active reactions of other users, on webhooks that nobody posts to. */
async function addStrategies({ db }: Database, count: number): Promise<void> {
  await db.execute(sql`
    insert into users (email, password_hash, role)
    select 'user-' || n || '@example.com', '-', 'user' from generate_series(1, ${restingUsers}::integer) n`)
  await db.execute(sql`
    insert into data_webhooks (user_id, name, description, url_hash, url_secret)
    select (select min(id) from users) + 1 + n % ${restingUsers}::integer, 'webhook ' || n, '',
      sha256(n::text::bytea), ''
    from generate_series(1, ${restingWebhooks}::integer) n`)
  await db.execute(sql`
    insert into strategies (user_id, type, name, status, code, data_webhook_id)
    select w.user_id, 'code-reaction', 'reaction ' || n, 'ACTIVE', '$.log(1)', w.id
    from generate_series(1, ${count}::integer) n
      join data_webhooks w on w.id = 1 + n % ${restingWebhooks}::integer`)
  await db.execute(sql`insert into strategy_state (strategy_id) select id from strategies`)
}

/**
 * A delivery, a run, a signal and a signal for a bot for each number, spread over the last twenty days, and over the reactions,
 * webhooks and bots that are created next. Of a thousand runs and signals for bots, one has failed.
 */
async function addStored({ db }: Database, { strategies, stored }: Fill): Promise<void> {
  const body = JSON.stringify({ note: 'x'.repeat(payloadBytes - 11) })
  const startedAt = new Date().toISOString()
  const at = sql`${startedAt}::timestamptz - (${stored}::integer - n) * interval '20 days' / ${stored}::integer`
  const strategyId = sql`${strategies}::integer + 1 + n % ${reactionCount}::integer`
  const userId = sql`(select min(id) from users)`
  await db.execute(sql`
    insert into bots (user_id, name, exchange_id, settings)
    select ${userId}, 'bot ' || n, 1, '{}' from generate_series(1, ${reactionCount}::integer) n`)
  const statements = (numbers: SQL) => [
    sql`
      insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
      select ${restingWebhooks}::integer + 1 + n % ${reactionCount}::integer, ${body}, '{}', '127.0.0.1', 1, ${at}
      from ${numbers}`,
    sql`
      insert into runs (strategy_id, trigger, status, delivery_id, queued_at, started_at, finished_at, duration_ms)
      select ${strategyId}, 'webhook', case when n % 1000 = 0 then 'FAILED' else 'SUCCEEDED' end, n,
        ${at}, ${at}, ${at}, 1
      from ${numbers}`,
    sql`
      insert into signals (user_id, strategy_id, run_id, action, symbols, options, created_at)
      select ${userId}, ${strategyId}, n, 'LONG', '["EXAMPLE"]', '{}', ${at} from ${numbers}`,
    sql`
      insert into bot_signals (bot_id, user_id, signal_id, symbol, status, queued_at, finished_at)
      select 1 + n % ${reactionCount}::integer, ${userId}, n, 'EXAMPLE',
        case when n % 1000 = 0 then 'FAILED' else 'DONE' end, ${at}, ${at}
      from ${numbers}`,
  ]
  for (let from = 1; from <= stored; from += storedAtOnce) {
    const upTo = Math.min(stored, from + storedAtOnce - 1)
    const numbers = sql`generate_series(${from}::integer, ${upTo}::integer) n`
    // At once, so that all cores work.
    await Promise.all(statements(numbers).map((statement) => db.execute(statement)))
  }
  await db.execute(sql`vacuum (analyze)`)
}
