import { randomBytes } from 'node:crypto'
import { type ApiClient, createApiClient } from '@tickwright/client'
import { sql } from 'drizzle-orm'
import { startServiceProcess } from '../examples/service-process.ts'
import type { Database } from '../packages/server/src/db/database.ts'
import { type KeyPair, makeAccounts } from './accounts.ts'
import type { Backend } from './backend.ts'
import { withDatabase } from './database.ts'

/** How many strategies run every ten seconds, all at once, and how many wait for midnight. */
export type Counts = { often: number; daily: number }

/** A service with active strategies, of which the first `often` run often. */
export type Scheduled = AsyncDisposable & {
  client: ApiClient
  pid: number
  startMs: number
  oftenIds: number[]
}

/** Starts a service on a database that holds these strategies. `startMs`: from the start of its process until it is ready. */
export async function startScheduled(backend: Backend, counts: Counts): Promise<Scheduled> {
  const settings = await backend.emptyDatabase()
  const masterKey = randomBytes(32)
  let account: KeyPair
  let oftenIds: number[] = []
  let preparedAt = 0
  const service = await startServiceProcess({
    settings: { ...settings, MASTER_KEY: masterKey.toString('hex') },
    prepare: async (dataDir) => {
      await withDatabase({ ...settings, DATA_DIR: dataDir }, async (database) => {
        account = (await makeAccounts(1, database, masterKey))[0]!
        oftenIds = await addStrategies(database, counts)
      })
      preparedAt = performance.now()
    },
  })
  return {
    client: createApiClient({ baseUrl: service.access.baseUrl, ...account! }),
    pid: service.pid,
    startMs: performance.now() - preparedAt,
    oftenIds,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

async function addStrategies({ db }: Database, { often, daily }: Counts): Promise<number[]> {
  await db.execute(sql`
    insert into strategies (user_id, type, name, status, code, cron_interval, timezone)
    select (select min(id) from users), 'code-strategy', 'strategy ' || n, 'ACTIVE', '$.log(1)',
      case when n <= ${often} then '10S' else '1D' end, 'UTC'
    from generate_series(1, ${often + daily}) n`)
  await db.execute(sql`insert into strategy_state (strategy_id) select id from strategies`)
  await db.execute(sql`
    insert into schedules (strategy_id, ticks, next_run_at)
    select id, false, case when cron_interval = '10S' then now()
      else date_trunc('day', now(), 'UTC') + interval '1 day' end
    from strategies`)
  await db.execute(sql`analyze`)
  const { rows } = (await db.execute(
    sql`select id from strategies where cron_interval = '10S' order by id`,
  )) as unknown as { rows: { id: string | number }[] }
  return rows.map(({ id }) => Number(id))
}
