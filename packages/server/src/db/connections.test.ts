import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type SQL, sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { until } from '../../test/until.ts'
import type { Db } from './database.ts'

async function rowsOf<Row>(db: Db, statement: SQL): Promise<Row[]> {
  return ((await db.execute(statement)) as { rows: Row[] }).rows
}

withDatabase(
  'three of the connections that a burst has opened stay open while the service is idle',
  async (place, { mock }) => {
    const { db } = await place.open()
    const connections = async () => {
      const [row] = await rowsOf<{ n: number }>(
        db,
        sql`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend'`,
      )
      return row!.n
    }
    mock.timers.enable({ apis: ['setTimeout'] })
    await Promise.all(Array.from({ length: 6 }, () => db.execute(sql`select pg_sleep(0.05)`)))
    assert.equal(await connections(), 6)
    mock.timers.tick(60_000)
    mock.timers.reset()
    await until('idle connections to close', async () => (await connections()) === 3)
  },
)

withDatabase('a connection that is lost within a transaction fails that transaction alone', async (place) => {
  const { db } = await place.open()
  const count = async (pid: number) => {
    const [row] = await rowsOf<{ n: number }>(
      db,
      sql`select count(*)::int as n from pg_stat_activity where pid = ${pid}`,
    )
    return row!.n
  }
  const lost = db.transaction(async (transaction) => {
    const [row] = await rowsOf<{ pid: number }>(transaction, sql`select pg_backend_pid() as pid`)
    const { pid } = row!
    // The transaction is between two statements: nothing of it waits for an answer of the server.
    await db.execute(sql`select pg_terminate_backend(${pid})`)
    await until('the connection to be gone', async () => (await count(pid)) === 0)
    await transaction.execute(sql`select 1`)
  })
  await assert.rejects(lost)
  assert.deepEqual(await rowsOf(db, sql`select 1 as one`), [{ one: 1 }])
})

withDatabase('transactions that begin on lost connections fail, and leave room for others', async (place) => {
  const { db } = await place.open()
  const poolSize = 10
  await Promise.all(Array.from({ length: poolSize }, () => db.execute(sql`select pg_sleep(0.05)`)))
  // Nothing else happens here meanwhile, so the pool still believes that it has ten connections.
  const endAll = `
    const { default: pg } = await import(${JSON.stringify(import.meta.resolve('pg'))})
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await client.connect()
    const { rowCount } = await client.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity ' +
      "where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()")
    await client.end()
    console.log(rowCount)`
  const env = { ...process.env, DATABASE_URL: place.databaseUrl }
  const ended = execFileSync(process.execPath, ['--input-type=module', '--eval', endAll], { env })
  assert.equal(Number(ended), poolSize)
  const begun = await Promise.allSettled(
    Array.from({ length: poolSize }, () => db.transaction((own) => own.execute(sql`select 1`))),
  )
  assert.deepEqual(new Set(begun.map(({ status }) => status)), new Set(['rejected']))
  assert.deepEqual(await rowsOf(db, sql`select 1 as one`), [{ one: 1 }])
  // Why a transaction failed is not hidden by the ROLLBACK that fails too.
  const why = new Error('why')
  const cut = db.transaction(async (own) => {
    await own.execute(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => undefined)
    throw why
  })
  await assert.rejects(cut, why)
})
