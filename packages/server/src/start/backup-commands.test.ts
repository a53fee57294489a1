/** Backup and restore with real processes, between servers of both kinds. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  allRows,
  backupFolder,
  type Connection,
  connect,
  createDatabase,
  never,
  untilWaiting,
} from '../../test/backups.ts'
import { createEmbeddedDatabase, createTestDatabase, type TestDatabase } from '../../test/databases.ts'
import { testEnvironment } from '../../test/environment.ts'
import { runCommand } from '../../test/process.ts'
import { makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { launchService } from '../../test/service-launcher.ts'
import { until } from '../../test/until.ts'
import { backUp } from '../backup/backup.ts'
import { checkBackup, restore } from '../backup/restore.ts'
import { readConfig } from '../config.ts'
import { serverForCommand } from '../db/embedded/for-command.ts'
import { backupCommand, restoreCommand } from './backup-commands.ts'

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

test('an installation moves to the embedded database and back while it works, and loses nothing accepted', async () => {
  await using source = await createTestDatabase()
  await using embedded = await createEmbeddedDatabase()
  await using target = await createDatabase('nothing')
  await using folder = await backupFolder()
  let moved: Record<string, unknown[]>
  {
    await using service = await startService({ database: source, env: { WEBHOOK_RATE: '1000' } })
    const reaction = await makeReaction(service, 'await $.action("LONG", { symbol: "BTCUSDT" })')
    const accepted: number[] = []
    let isPosting = true
    const posting = (async () => {
      for (let n = 0; isPosting; n++) {
        if ((await reaction.post({ n })).status === 202) accepted.push(n)
        // Without a pause, the service would take the processor from the backup.
        await sleep(10)
      }
    })()
    await until('payloads to be accepted', async () => accepted.length >= 20)
    const before = [...accepted]
    const shown = await command(['backup', folder.file()], source)
    assert.match(
      shown,
      /^Backed up \d+ rows of \d+ tables to .*tickwright\.backup \(\d+ kB\)\.\n.*MASTER_KEY too/,
    )
    assert.ok(accepted.length > before.length, 'the service works while the command runs')
    isPosting = false
    await posting
    await command(['restore', folder.file()], embedded)
    await using acquired = new AsyncDisposableStack()
    const restored = acquired.use(await connect(await serverForCommand(embedded.dataDir, acquired)))
    const stored = new Set(
      (await restored.rows(`select body::json ->> 'n' as n from deliveries`)).map(({ n }) => Number(n)),
    )
    assert.deepEqual(
      before.filter((n) => !stored.has(n)),
      [],
    )
    await consistent(restored)
    moved = await allRows(restored)
  }
  await command(['backup', folder.file('back')], embedded)
  const other = { ...source, databaseUrl: target.url }
  await command(['restore', folder.file('back')], other)
  assert.deepEqual(await allRows(target), moved)

  await using service = await startService({ database: other })
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
  const refuse = (
    command: typeof backupCommand,
    name: string,
    message: RegExp,
    env: Record<string, string> = {},
  ) => assert.rejects(command(readConfig(testEnvironment(embedded, env)), name, never), { message })
  const file = folder.file()
  const elsewhere = join(embedded.dataDir, 'elsewhere')
  await refuse(backupCommand, file, /^There is no database in .*elsewhere yet/, { DATA_DIR: elsewhere })
  assert.equal(existsSync(elsewhere), false)

  const service = await startService({ database: embedded })
  try {
    await command(['backup', file], embedded)
    await refuse(backupCommand, file, /exists\. Name another file/)
    await refuse(backupCommand, join(embedded.dataDir, 'postgres/b'), /postgres belongs to PostgreSQL/)
    assert.match(
      await command(['restore', file], embedded, { exit: 1 }),
      /^Could not restore: Another Tickwright works on the data folder/,
    )
    await refuse(restoreCommand, folder.file('none'), /^The file .*none cannot be read/)
    await refuse(restoreCommand, file, /^The master key is not the one/, { MASTER_KEY: 'f'.repeat(64) })
    await refuse(restoreCommand, file, /master\.key is missing/, { MASTER_KEY: '' })
    assert.deepEqual(await readdir(dirname(file)), ['tickwright.backup'])
    assert.equal((await service.api('GET', '/api/v2/user/me')).status, 200)
  } finally {
    await service[Symbol.asyncDispose]()
  }
  await refuse(restoreCommand, file, /^The database is not empty: its table \w+ has rows/)

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

test('a killed backup or restore can begin again', async () => {
  await using source = await createDatabase('tables')
  await using target = await createDatabase('tables')
  await using folder = await backupFolder()
  await using place = await createTestDatabase()
  const start = (args: string[], { url }: { url: string }) =>
    launchService(testEnvironment({ ...place, databaseUrl: url }, {}), args)
  await source.rows(
    `insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
     select n, n, '{}', '', 0, now() from generate_series(1, 2) n`,
  )

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const file = folder.file(signal)
    await source.rows('begin')
    await source.rows('lock table runs')
    await using process = start(['backup', file], source)
    await untilWaiting(source)
    await process.stop(signal)
    await source.rows('rollback')
    assert.equal(existsSync(file), false)
    assert.equal(existsSync(`${file}.part`), signal === 'SIGKILL')
  }
  await assert.rejects(
    backUp(source.url, folder.file('SIGKILL'), never),
    /SIGKILL\.part exists: another backup is writing it, or one was interrupted\. Delete it/,
  )
  await backUp(source.url, folder.file(), never)

  // The restore waits at the second row, until the test has killed it.
  await target.rows(`
    create function wait() returns trigger language plpgsql as $$
    begin if new.webhook_id = 2 then perform pg_advisory_xact_lock(1); end if; return new; end $$;
    create trigger wait before insert on deliveries for each row execute function wait();
    select pg_advisory_lock(1)`)
  {
    await using process = start(['restore', folder.file()], target)
    await untilWaiting(target)
    await process.stop('SIGKILL')
  }
  await target.rows('select pg_advisory_unlock(1)')
  // This waits until the server has noticed, because the restore has locked the table.
  assert.deepEqual(await target.rows('select from deliveries'), [])
  const noKey = () => assert.fail('nothing is sealed')
  await restore(target.url, await checkBackup(folder.file(), noKey, never), never)
  assert.deepEqual(await allRows(target), await allRows(source))
})

const rowCount = 48_000
/** In a row of 2,000 bytes or more, PostgreSQL would compress it. */
const rowBytes = 32 * 58

/**
 * Reports the most memory that the process has used, when it ends. Node would collect used chunks only when there are
 * many, and the test would need many more rows to tell those from a copy of all rows.
 */
const reportMemory = `data:text/javascript,
  setInterval(() => gc({ type: 'minor' }), 10).unref()
  process.on('exit', () => console.error('maxRSS=' + process.resourceUsage().maxRSS))`

test('the memory of a backup or restore does not grow with the rows', async () => {
  await using source = await createTestDatabase()
  await using target = await createDatabase('nothing')
  await using folder = await backupFolder()
  const memoryOf = async (args: string[], database: TestDatabase) => {
    const env = { NODE_OPTIONS: `--expose-gc --import=${encodeURI(reportMemory)}` }
    return Number(/maxRSS=(\d+)/.exec(await command(args, database, { env }))![1]) * 1024
  }
  const small = await memoryOf(['backup', folder.file('small')], source)
  await using database = await connect(source.databaseUrl)
  await database.rows(
    `insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
     select n, repeat(md5(n::text), $2), '{}', '', 0, now() from generate_series(1, $1) n`,
    [rowCount, rowBytes / 32],
  )
  const backup = await memoryOf(['backup', folder.file()], source)
  const restore = await memoryOf(['restore', folder.file()], { ...source, databaseUrl: target.url })
  assert.deepEqual(await target.rows('select count(*)::int as count from deliveries'), [{ count: rowCount }])
  const contentBytes = rowCount * rowBytes
  for (const most of [backup, restore])
    assert.ok(most - small < contentBytes / 2, `${most - small} bytes more`)
})
