import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../../test/databases.ts'
import { startInVain, startProcess } from '../../test/process.ts'
import { startService } from '../../test/service.ts'

/** What cannot start says why in one sentence, and ends with exit code 1. */
async function assertRefused(start: ReturnType<typeof startInVain>, why: RegExp): Promise<void> {
  const { exit, output } = await start
  assert.match(output, why)
  assert.doesNotMatch(output, /^\s+at /m, 'a stack')
  assert.equal(exit, 1, output)
}

test('a data folder that another process works on is refused, and that process goes on', async () => {
  await using database = await createTestDatabase('pglite')
  await using service = await startProcess({ database })
  await assertRefused(startInVain({ database }), /Another Tickwright works on the data folder .*DATA_DIR/)
  assert.equal((await service.api('GET', '/api/v2/api/key')).status, 200)
})

test('a second start is ready in less than ten seconds, also after a kill', async () => {
  await using database = await createTestDatabase('pglite')
  for (const end of ['stop', 'killGroup', 'stop'] as const) {
    const startMs = performance.now()
    await using service = await startProcess({ database, env: { TICKWRIGHT_EXAMPLE: '1' } })
    assert.ok(performance.now() - startMs < 10_000)
    await service[end]()
  }
})

test('a master key that is not the one of the database is refused', async () => {
  await using database = await createTestDatabase('pglite')
  {
    await using _ = await startService({ database, env: { ROLES: 'api' } })
  }
  const why = /The master key is not the one .*MASTER_KEY.*master\.key/
  await assertRefused(startInVain({ database, env: { MASTER_KEY: 'ab'.repeat(32) } }), why)
  // Without the variable a key is made in the data folder, which is another one too.
  await assertRefused(startInVain({ database, env: { MASTER_KEY: '' } }), why)
})

test('a broken file of the master key is refused, and left as it is', async () => {
  await using database = await createTestDatabase('pglite')
  await writeFile(join(database.dataDir, 'master.key'), 'broken')
  await assertRefused(startInVain({ database, env: { MASTER_KEY: '' } }), /does not hold a master key/)
})

test('a port that is taken is refused by name', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  try {
    await assertRefused(startInVain({ env: { PORT: String(port) } }), new RegExp(`EADDRINUSE.*${port}`))
  } finally {
    server.close()
  }
})

for (const host of ['127.0.0.1', 'localhost']) {
  test(`a database server at ${host} that does not answer is refused, without its password`, async () => {
    const env = { DATABASE_URL: `postgres://me:hunter2@${host}:1/tickwright` }
    const { output } = await startInVain({ env })
    await assertRefused(startInVain({ env }), /Could not start: .*ECONNREFUSED/)
    assert.ok(!output.includes('hunter2'))
  })
}

test('a data folder that cannot be one is refused', async () => {
  await using database = await createTestDatabase('pglite')
  const file = join(database.dataDir, 'file')
  await writeFile(file, '')
  await assertRefused(startInVain({ database, env: { DATA_DIR: file } }), /Could not start: .*file/)
  await rm(file)
})

test('a setting that cannot be used is refused, naming it and its value', async () => {
  await assertRefused(
    startInVain({ env: { WEBHOOK_RATE: 'many' } }),
    /^WEBHOOK_RATE must be .* got "many"\.$/m,
  )
})
