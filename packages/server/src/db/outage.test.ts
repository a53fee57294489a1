import assert from 'node:assert/strict'
import pg from 'pg'
import { withDatabase } from '../../test/databases.ts'
import { makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

/** Disconnects everyone from a database and refuses connections, and later allows them again. */
async function outage(
  url: string,
): Promise<{ begin(): Promise<void>; end(): Promise<void> } & AsyncDisposable> {
  const target = new URL(url)
  const name = target.pathname.slice(1)
  target.pathname = '/postgres'
  const client = new pg.Client({ connectionString: target.href })
  await client.connect()
  const allow = (yes: boolean) =>
    client.query(`alter database ${pg.escapeIdentifier(name)} allow_connections ${yes}`)
  return {
    begin: async () => {
      await allow(false)
      const connections = 'select pid from pg_stat_activity where usename = current_user and datname = $1'
      await client.query(`select pg_terminate_backend(pid) from (${connections}) c`, [name])
    },
    end: async () => {
      await allow(true)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

withDatabase(
  'while its database is away a service answers 503, and then goes on where it was',
  async (database) => {
    await using service = await startService({ database, env: { LOG_LEVEL: 'silent' } })
    await using away = await outage(database.databaseUrl)
    const reaction = await makeReaction(
      service,
      `const until = Date.now() + 700; while (Date.now() < until);
     await $.Storage.set(((await $.Storage.get()) ?? 0) + 1)
     await $.Strategy.action('LONG')`,
    )
    await reaction.post({})
    await until('the run to be under way', async () => (await reaction.runs())[0].status === 'RUNNING')

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
    assert.equal(run.status, 'SUCCEEDED')
    assert.equal(typeof run.signal_id, 'number')
    assert.equal((await reaction.post({})).status, 202)
    await reaction.ended(2)
    assert.equal((await reaction.read()).storage, 2)
  },
)
