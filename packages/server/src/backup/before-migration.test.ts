import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { backupFolder, createDatabase, never } from '../../test/backups.ts'
import { serviceVersion } from '../base/service-version.ts'
import { DatabaseClient } from '../db/database-client.ts'
import { openDatabase } from '../db/open.ts'
import { backUpBeforeMigration } from './before-migration.ts'
import { checkBackup } from './restore.ts'

const fail = (error: Error) => {
  throw error
}
const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 12, minute))

test('a database is backed up before it is migrated, and the last backups stay', async () => {
  await using database = await createDatabase('nothing')
  await using folder = await backupFolder()
  const dataDir = dirname(folder.file())
  const backUp = (minute: number) => backUpBeforeMigration(database.url, dataDir, at(minute))
  assert.equal(await backUp(0), null, 'there is nothing to keep')
  {
    await using client = await DatabaseClient.open(database.url)
    await client.whileNobodyMigrates(() => client.migrate(20))
  }
  const made = await backUp(1)
  assert.equal(made!.file, join(dataDir, 'backups', `before-${serviceVersion}-2026-01-31T120100Z.backup`))
  const { header } = await checkBackup(made!.file, async () => null as never, never)
  assert.equal(header.migrations.length, 20)
  await writeFile(`${made!.file.replace('1201', '1159')}.part`, 'of a start that was killed')
  await writeFile(join(dataDir, 'backups', 'mine.backup'), 'is not deleted')
  for (const minute of [2, 3, 4]) await backUp(minute)
  const names = (await readdir(join(dataDir, 'backups'))).sort()
  assert.deepEqual(names, [
    ...['2', '3', '4'].map((minute) => `before-${serviceVersion}-2026-01-31T120${minute}00Z.backup`),
    'mine.backup',
  ])
  await (await openDatabase(database.url, fail)).close()
  assert.equal(await backUp(5), null, 'it is up to date')
})

test('a start refuses a database of a newer version, names both versions, and changes nothing', async () => {
  await using database = await createDatabase('nothing')
  await (await openDatabase(database.url, fail)).close()
  const note = async () =>
    (await database.rows(`select obj_description('drizzle.__drizzle_migrations'::regclass) as note`))[0]!.note
  assert.equal(await note(), `Tickwright ${serviceVersion}`)
  await database.rows(`comment on table drizzle.__drizzle_migrations is 'Tickwright 99.1.0'`)
  // The same tables: a later version without migrations can be left again.
  await (await openDatabase(database.url, fail)).close()
  assert.equal(await note(), 'Tickwright 99.1.0')
  await database.rows(
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)`,
  )
  await assert.rejects(
    openDatabase(database.url, fail),
    new RegExp(
      `belongs to Tickwright 99\\.1\\.0, and this is Tickwright ${RegExp.escape(serviceVersion)}, which is older`,
    ),
  )
  await assert.rejects(backUpBeforeMigration(database.url, '/nowhere'), /Tickwright 99\.1\.0/)
  await database.rows(`comment on table drizzle.__drizzle_migrations is null`)
  await assert.rejects(openDatabase(database.url, fail), /belongs to a newer Tickwright, and this is/)
})
