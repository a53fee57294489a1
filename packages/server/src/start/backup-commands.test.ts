/** Backup and restore with real processes, between servers of both kinds. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { allRows, backupFolder, type Connection, connect, createDatabase } from '../../test/backups.ts'
import { createEmbeddedDatabase, createTestDatabase, type TestDatabase } from '../../test/databases.ts'
import { testEnvironment } from '../../test/environment.ts'
import { runCommand, startProcess } from '../../test/process.ts'
import { makeReaction } from '../../test/reaction.ts'
import { launchService } from '../../test/service-launcher.ts'
import { until } from '../../test/until.ts'
import { serverForCommand } from '../db/embedded/for-command.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Runs a command that must succeed, or fail with `exit` 1, and returns its output. */
async function command(
  args: string[],
  database: TestDatabase,
  { exit = 0, env = {} }: { exit?: number; env?: Record<string, string> } = {},
): Promise<string> {
  const result = await runCommand(args, { database, env })
  assert.equal(result.exit, exit, result.output)
  return result.output
}

async function rowsOfEmbedded({ dataDir }: TestDatabase): Promise<Record<string, unknown[]>> {
  await using acquired = new AsyncDisposableStack()
  return await allRows(acquired.use(await connect(await serverForCommand(dataDir, acquired))))
}

test('an installation moves to the embedded database and back while it works, and loses nothing accepted', async () => {
  await using source = await createTestDatabase()
  await using embedded = await createEmbeddedDatabase()
  await using target = await createDatabase('nothing')
  await using folder = await backupFolder()
  {
    await using service = await startProcess({ database: source })
    const reaction = await makeReaction(service, 'await $.action("LONG", { symbol: "BTCUSDT" })')
    const accepted: number[] = []
    let isPosting = true
    const posting = (async () => {
      for (let n = 0; isPosting; n++) if ((await reaction.post({ n })).status === 202) accepted.push(n)
    })()
    await until('payloads to be accepted', async () => accepted.length >= 20)
    const before = [...accepted]
    const shown = await command(['backup', folder.file()], source)
    assert.match(
      shown,
      /^Backed up \d+ rows of \d+ tables to .*tickwright\.backup \(\d+ kB\)\.\n.*MASTER_KEY too/,
    )
    isPosting = false
    await posting
    await command(['restore', folder.file()], embedded)
    await using acquired = new AsyncDisposableStack()
    const { rows } = acquired.use(await connect(await serverForCommand(embedded.dataDir, acquired)))
    const stored = new Set(
      (await rows(`select body::json ->> 'n' as n from deliveries`)).map(({ n }) => Number(n)),
    )
    assert.deepEqual(
      before.filter((n) => !stored.has(n)),
      [],
    )
    await consistent({ rows })
  }
  const moved = await rowsOfEmbedded(embedded)
  await command(['backup', folder.file('back')], embedded)
  const other = { ...source, databaseUrl: target.url }
  await command(['restore', folder.file('back')], other)
  assert.deepEqual(await allRows(target), moved)

  await using service = await startProcess({ database: other })
  const [webhook] = (await service.api('GET', '/api/v2/webhook/data')).body
  const greatest = Number((await target.rows('select max(id) as id from deliveries'))[0]!.id)
  await service.send('POST', new URL(webhook.url).pathname, { body: {} })
  await until('all runs to end', async () => {
    const open = await target.rows(`select from runs where status in ('QUEUED', 'RUNNING')`)
    return open.length === 0
  })
  const [last] = await target.rows('select max(id) as id from deliveries')
  assert.ok(Number(last!.id) > greatest)
  await consistent(target)
})

/** Each delivery has the run that it triggered, and no run has more than one signal. */
async function consistent({ rows }: Pick<Connection, 'rows'>): Promise<void> {
  const wrong = await rows(
    `select id from deliveries d where reactions <> (select count(*) from runs r where r.delivery_id = d.id)
     union all select run_id from signals group by run_id having count(*) > 1`,
  )
  assert.deepEqual(wrong, [])
}

test('a backup is made while the service runs on the embedded database; a command that cannot work says why', async () => {
  await using embedded = await createEmbeddedDatabase()
  await using target = await createDatabase('nothing')
  await using folder = await backupFolder()
  const refuse = async (args: string[], reason: RegExp, env: Record<string, string> = {}) =>
    assert.match(await command(args, embedded, { exit: 1, env }), reason)
  const file = folder.file()
  const elsewhere = join(embedded.dataDir, 'elsewhere')
  await refuse(['backup', file], /^There is no database in .*elsewhere yet/, { DATA_DIR: elsewhere })
  assert.equal(existsSync(elsewhere), false)

  await using service = await startProcess({ database: embedded })
  await command(['backup', file], embedded)
  await refuse(['backup', file], /^Could not back up: .* exists\. Name another file/)
  await refuse(['backup', join(embedded.dataDir, 'postgres/b')], /postgres belongs to PostgreSQL/)
  await refuse(['restore', file], /^Could not restore: Another Tickwright works on the data folder/)
  await refuse(['restore', folder.file('none')], /^Could not restore: The file .*none cannot be read/)
  await refuse(['restore', file], /^Could not restore: The master key is not the one/, {
    MASTER_KEY: 'f'.repeat(64),
  })
  await refuse(['restore', file], /^Could not restore: .*master\.key is missing/, { MASTER_KEY: '' })
  assert.deepEqual(await readdir(dirname(file)), ['tickwright.backup'])
  assert.equal((await service.api('GET', '/api/v2/user/me')).status, 200)
  await service.stop()
  await refuse(['restore', file], /^Could not restore: The database is not empty: its table \w+ has rows/)

  await command(['restore', file], { ...embedded, databaseUrl: target.url })
  const users = await target.rows('select email from users')
  assert.deepEqual(users, [{ email: 'admin@example.com' }])
})

test('a backup that the disk does not take leaves no file', async () => {
  await using source = await createTestDatabase()
  await using folder = await backupFolder()
  const limited = ['-c', 'ulimit -f 2; exec "$@"', 'sh', process.execPath, main, 'backup', folder.file()]
  await assert.rejects(promisify(execFile)('sh', limited, { env: testEnvironment(source, {}) }), {
    stderr: `Could not back up: ${folder.file()} cannot be written: the file would be larger than the system allows.\n`,
  })
  assert.deepEqual(await readdir(dirname(folder.file())), [])
})

const rowCount = 120_000
/** In a row of 2,000 bytes or more, PostgreSQL would compress it. */
const rowBytes = 32 * 58

/** Reports the most memory that the process has used, when it ends. */
const reportMemory = `data:text/javascript,process.on('exit',()=>console.error('maxRSS='+process.resourceUsage().maxRSS))`

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

test('the memory does not grow with the rows, and a killed backup or restore can begin again', async () => {
  await using source = await createTestDatabase()
  await using target = await createDatabase('nothing')
  await using folder = await backupFolder()
  const other = { ...source, databaseUrl: target.url }
  const measure = { NODE_OPTIONS: `--import=${reportMemory}` }
  const memoryOf = (output: string) => Number(/maxRSS=(\d+)/.exec(output)![1]) * 1024
  const small = memoryOf(await command(['backup', folder.file('small')], source, { env: measure }))
  await using database = await connect(source.databaseUrl)
  await database.rows(
    `insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
     select n, repeat(md5(n::text), $2), '{}', '', 0, now() from generate_series(1, $1) n`,
    [rowCount, rowBytes / 32],
  )
  const start = (args: string[], place: TestDatabase) => launchService(testEnvironment(place, {}), args)

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const file = folder.file(signal)
    await using process = start(['backup', file], source)
    await until('the first bytes', async () => (await sizeOf(`${file}.part`)) > 0)
    await process.stop(signal)
    assert.equal(existsSync(file), false)
    assert.equal(existsSync(`${file}.part`), signal === 'SIGKILL')
  }
  assert.match(
    await command(['backup', folder.file('SIGKILL')], source, { exit: 1 }),
    /SIGKILL\.part exists: another backup is writing it, or one was interrupted\. Delete it/,
  )
  const backup = memoryOf(await command(['backup', folder.file()], source, { env: measure }))
  {
    await using process = start(['restore', folder.file()], other)
    await until(
      'rows to arrive',
      async () => (await target.rows('select from pg_stat_progress_copy')).length > 0,
      30_000,
    )
    await process.stop('SIGKILL')
  }
  await until(
    'the server to notice',
    async () => (await target.rows('select from deliveries limit 1')).length === 0,
  )
  const restore = memoryOf(await command(['restore', folder.file()], other, { env: measure }))
  assert.deepEqual(await target.rows('select count(*)::int as count from deliveries'), [{ count: rowCount }])
  // Chunks that wait for the garbage collector take some 75 MB, also with 1,000,000 rows and 512 MB.
  const contentBytes = rowCount * rowBytes
  for (const most of [backup, restore])
    assert.ok(most - small < contentBytes / 2, `${most - small} bytes more`)
})
