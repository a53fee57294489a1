import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

withDatabase('a run executes a change that another node made before the run was stored', async (place) => {
  await using holder = await startService({ database: place, env: { ROLES: 'api,worker' } })
  await using other = await startService({ database: place, env: { ROLES: 'api' } })
  const reaction = await makeReaction(holder, `$.log('version 0')`)
  const own = `/api/v2/strategy/reaction/code/${reaction.id}`
  await reaction.post({})
  for (let n = 1; n <= 20; n++) {
    await expect(200, other.api('PUT', own, { code: `$.log('version ${n}')` }))
    await reaction.post({})
  }
  const runs = await reaction.ended(21)
  for (const [n, { log }] of runs.entries()) {
    // The run must see every earlier change, and may see later ones.
    assert.ok(Number(/version (\d+)/.exec(log)![1]) >= n, `run ${n} executed ${log}`)
  }
})

withDatabase(
  'a node whose listener was disconnected reads the changes that it missed once it is back',
  async (place) => {
    await using service = await startService({ database: place, env: { LOG_LEVEL: 'silent' } })
    const { db } = await place.open()
    const reaction = await makeReaction(service, lastingFor(100))
    await Promise.all(Array.from({ length: 60 }, () => reaction.post({})))
    await until('the first run to end', async () => (await reaction.runs())[0].status === 'SUCCEEDED')
    // This sends no notification, as if it had been sent while the listener was disconnected.
    await db.execute(sql`update strategies set status = 'INACTIVE' where id = ${reaction.id}`)
    await db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'tickwright-listener'`)
    const runs = await reaction.ended(60)
    assert.equal(runs[59].status, 'SKIPPED')
  },
)
