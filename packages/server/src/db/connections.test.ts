import assert from 'node:assert/strict'
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
        sql`select count(*)::int as n from pg_stat_activity where datname = current_database()`,
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
