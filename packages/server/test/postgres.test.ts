import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import pg from 'pg'
import { startPostgres } from './postgres.ts'
import { until } from './until.ts'

test('a server and its files end with the process that started it, even if that is killed', async () => {
  const owner = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { startPostgres } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)}
       console.log((await startPostgres()).url)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(owner.stdout, 'data')
  const url = String(line).trim()
  await using client = await connect(url)
  const folder = decodeURIComponent(new URL(url).hostname)
  assert.equal(await exists(folder), true)

  const disconnected = client.ended
  owner.kill('SIGKILL')
  await disconnected
  await until('the files to be removed', async () => !(await exists(folder)))
})

test('a server accepts connections through its socket only, with its password, and syncs its commits', async () => {
  await using server = await startPostgres()
  await using client = await connect(server.url)
  assert.equal(await client.value('show listen_addresses'), '')
  assert.equal(await client.value('show fsync'), 'on')
  const stranger = Object.assign(new URL(server.url), { password: 'guess' }).href
  await assert.rejects(connect(stranger), /password authentication failed/)
})

test('a copied database has the contents of its template, and shares nothing with it', async () => {
  await using server = await startPostgres({ fsync: false })
  const template = await server.createDatabase()
  {
    await using client = await connect(template)
    await client.value('create table notes as select 1 as id')
  }
  const copy = await server.createDatabase(template)
  {
    await using client = await connect(copy)
    assert.equal(await client.value('select count(*)::int from notes'), 1)
    await client.value('delete from notes')
  }
  {
    await using client = await connect(template)
    assert.equal(await client.value('select count(*)::int from notes'), 1)
  }
  for (const url of [copy, template]) {
    await server.dropDatabase(url)
    await assert.rejects(connect(url), /does not exist/)
  }
})

type Connection = AsyncDisposable & { value(sql: string): Promise<unknown>; ended: Promise<void> }

async function connect(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url })
  // `ended` reports the error that ends a connection.
  client.on('error', () => {})
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  await client.connect()
  return {
    value: async (sql) => Object.values((await client.query(sql)).rows[0] ?? {})[0],
    ended,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
