import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { until } from '../../test/until.ts'

withDatabase(
  'three of the connections that a burst has opened stay open while the service is idle',
  async (place, { mock }) => {
    const { db } = await place.open()
    const connections = async () => {
      const { rows } = (await db.execute(
        sql`select count(*)::int as n from pg_stat_activity where datname = current_database()`,
      )) as unknown as { rows: { n: number }[] }
      return rows[0]!.n
    }
    mock.timers.enable({ apis: ['setTimeout'] })
    await Promise.all(Array.from({ length: 6 }, () => db.execute(sql`select pg_sleep(0.05)`)))
    assert.equal(await connections(), 6)
    mock.timers.tick(60_000)
    mock.timers.reset()
    await until('idle connections to close', async () => (await connections()) === 3)
  },
)
