import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { withDatabase } from '../../test/databases.ts'
import { outage } from '../../test/outage.ts'
import { makeReaction } from '../../test/reaction.ts'
import { refusedPosts } from '../../test/refused.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

/** Lets nobody write signals, until the database ends its connection. */
async function lockSignals(connectionString: string) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin; lock table signals in exclusive mode')
  return {
    isWaitedFor: () =>
      until('somebody to wait for the lock', async () => {
        const { rowCount } = await client.query('select 1 from pg_locks where not granted')
        return rowCount! > 0
      }),
  }
}

withDatabase(
  'while its database is away a service answers 503, and then goes on where it was',
  async (database) => {
    await using service = await startService({ database, env: { LOG_LEVEL: 'silent' } })
    await using away = await outage(database.databaseUrl)
    const reaction = await makeReaction(
      service,
      `await $.Storage.set(((await $.Storage.get()) ?? 0) + 1)
     await $.Strategy.action('LONG')`,
    )
    // The run waits for its action longer than a run may take.
    const lock = await lockSignals(database.databaseUrl)
    await reaction.post({})
    await lock.isWaitedFor()
    await sleep(5_500)

    await away.begin()
    const refused = await reaction.post({})
    assert.equal(refused.status, 503, JSON.stringify(refused.body))
    assert.equal(refused.body.code, 'service_unavailable')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal((await service.send('GET', '/health/ready')).status, 503)
    assert.equal((await service.send('GET', '/health/live')).status, 200)
    await away.end()

    await until('the service to be ready again', async () => {
      return (await service.send('GET', '/health/ready')).status === 200
    })
    const [run] = await reaction.ended(1)
    assert.equal(run.status, 'SUCCEEDED', JSON.stringify(run.violation))
    assert.equal(typeof run.signal_id, 'number')
    assert.ok(run.duration_ms > 5_000, `its record says how long it took: ${run.duration_ms} ms`)
    assert.equal((await reaction.post({})).status, 202)
    await reaction.ended(2)
    const [post] = await refusedPosts(service, `/api/v2/webhook/data/${reaction.webhookId}`, 1)
    assert.deepEqual([post.status, post.code], [503, 'service_unavailable'])
    assert.equal((await reaction.read()).storage, 2)
  },
)
