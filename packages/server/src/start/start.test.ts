import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createEmbeddedDatabase, createTestDatabase, withDatabase } from '../../test/databases.ts'
import { startInVain, startProcess } from '../../test/process.ts'
import { startService } from '../../test/service.ts'

/** Checks that a start fails with one sentence about the reason, and exit code 1. */
async function assertRefused(start: ReturnType<typeof startInVain>, why: RegExp): Promise<void> {
  const { exit, output } = await start
  assert.match(output, why)
  assert.doesNotMatch(output, /^\s+at /m, 'a stack')
  assert.equal(exit, 1, output)
}

test('a second start becomes ready, even after a kill', async () => {
  await using database = await createEmbeddedDatabase()
  {
    await using first = await startProcess({ database, env: { TICKWRIGHT_EXAMPLE: '1' } })
    await first.killGroup()
  }
  await using _ = await startProcess({ database })
})

test('the first start shows links at the public address, where they work', async () => {
  await using database = await createTestDatabase()
  const env = { PUBLIC_URL: 'https://trading.example.com', TICKWRIGHT_ADMIN_PASSWORD: '' }
  await using service = await startProcess({ database, env })
  assert.match(service.output(), /ready at https:\/\/trading\.example\.com /)
  assert.match(service.output(), /^ {2}https:\/\/trading\.example\.com\/reset#[\w-]{43}$/m)
})

test('a data folder of another running process is refused, and that process continues', async () => {
  await using database = await createEmbeddedDatabase()
  await using service = await startService({ database, env: { ROLES: 'api' } })
  await assertRefused(startInVain({ database }), /Another Tickwright works on the data folder .*DATA_DIR/)
  assert.equal((await service.api('GET', '/api/v2/api/key')).status, 200)
})

test('the error about an invalid setting names it and its value', async () => {
  await assertRefused(
    startInVain({ env: { WEBHOOK_RATE: 'many' } }),
    /^WEBHOOK_RATE must be .* got "many"\.$/m,
  )
})

withDatabase('a master key of another database is refused', async (database) => {
  {
    await using _ = await startService({ database, env: { ROLES: 'api' } })
  }
  const other = startInVain({ database, env: { MASTER_KEY: 'ab'.repeat(32) } })
  await assertRefused(other, /The master key is not the one .*MASTER_KEY.*master\.key/)
  // The service does not replace a lost key: a new one would decrypt nothing.
  const lost = startService({ database, env: { MASTER_KEY: '' } })
  await assert.rejects(lost, /sealed with a master key, and .*master\.key is missing.*MASTER_KEY/)
  await writeFile(join(database.dataDir, 'master.key'), 'broken')
  await assert.rejects(startService({ database, env: { MASTER_KEY: '' } }), /does not contain a master key/)
  await using again = await startService({ database, env: { ROLES: 'api' } })
  assert.equal((await again.api('GET', '/api/v2/api/key')).status, 200)
})

test('the error about an unreachable database server does not contain its password', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const env = { DATABASE_URL: `postgres://me:hunter2@${host}:1/tickwright` }
    await assert.rejects(startService({ env }), (error: Error) => {
      assert.match(error.message, /ECONNREFUSED/)
      assert.ok(!error.message.includes('hunter2'))
      return true
    })
  }
})

test('a data folder that cannot be used is refused with its name and the reason', async () => {
  await using database = await createEmbeddedDatabase()
  const file = join(database.dataDir, 'file')
  await writeFile(file, '')
  const proc = startInVain({ database, env: { DATA_DIR: '/proc/tickwright' } })
  await assertRefused(
    proc,
    /The data folder \/proc\/tickwright cannot be used: nothing can be created there\./,
  )
  const refused = startInVain({ database, env: { DATA_DIR: file } })
  await assertRefused(
    refused,
    /The data folder .*file cannot be used: there is a file with this name\. Set DATA_DIR/,
  )
})

test('a data folder on a read-only file system is refused, new or used', async (context) => {
  if (spawnSync('unshare', ['--mount', 'mount', '--bind', '/tmp', '/tmp']).status !== 0)
    return context.skip('this user cannot mount')
  await using database = await createEmbeddedDatabase()
  const readOnly = 'set -e; mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; exec "$@"'
  const through = ['unshare', '--mount', 'sh', '-c', readOnly, 'sh', database.dataDir]
  await mkdir(join(database.dataDir, 'used'), { mode: 0o700 })
  await writeFile(join(database.dataDir, 'used/lock.sqlite'), '')
  for (const name of ['', 'used', 'new']) {
    const env = { DATA_DIR: join(database.dataDir, name), NODE_COMPILE_CACHE: '' }
    await assertRefused(
      startInVain({ database, env, through }),
      /The data folder \S+ cannot be used: the file system is read-only\. Set DATA_DIR/,
    )
  }
})

test('with CONTAINMENT=full, no start without every layer, whether or not the node runs strategies', async (context) => {
  // A kernel that allows no mount namespaces, as the filter of a container does.
  const without = [
    'unshare',
    '-Urm',
    'sh',
    '-c',
    'echo 0 > /proc/sys/user/max_mnt_namespaces; exec "$@"',
    'sh',
  ]
  if (spawnSync(without[0]!, [...without.slice(1), 'true']).status !== 0)
    return context.skip('this machine itself lacks something')
  await using database = await createTestDatabase()
  for (const ROLES of ['worker', 'api']) {
    const env = { CONTAINMENT: 'full', ROLES }
    await assertRefused(
      startInVain({ database, env, through: without }),
      /The containment of strategies is partial here, and CONTAINMENT=full demands all of it\. Missing: root\. .*docs\/operations\.md#containment/,
    )
  }
})
