import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { allRows, backupFolder, type ConnectedDatabase, createDatabase, never } from '../../test/backups.ts'
import { DatabaseClient } from '../db/database-client.ts'
import { knownMigrations } from '../db/migrations.ts'
import { backUp } from './backup.ts'
import { checkBackup, restore } from './restore.ts'

const noKey = () => assert.fail('nothing is sealed')
const key = Buffer.alloc(32, 'k')
const addUser = `insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`

test('a file that is incomplete, damaged or no backup is refused by its name', async () => {
  await using source = await createDatabase('tables')
  await using folder = await backupFolder()
  await source.rows(addUser)
  await backUp(source.url, folder.file(), never)
  const whole = await readFile(folder.file())
  const text = zstdDecompressSync(whole)
  const changed = (from: string, to: string) =>
    zstdCompressSync(Buffer.from(text.toString('latin1').replace(from, to), 'latin1'))
  const refused: [string, Buffer, RegExp][] = [
    ['empty', Buffer.alloc(0), /incomplete: its end is missing/],
    ['other', Buffer.from('PGDMP and whatever follows'), /no backup of Tickwright/],
    ['otherText', zstdCompressSync('hello\n'), /no backup of Tickwright/],
    ['otherJson', zstdCompressSync('null\n'), /no backup of Tickwright/],
    ['longLine', zstdCompressSync(Buffer.alloc(20_000_000)), /damaged/],
    ['changed', changed('a@example.com', 'b@example.com'), /damaged: it is not what the backup wrote/],
    ['rowLost', changed(/.*a@example.com.*\n/.exec(text.toString())![0], ''), /damaged/],
    [
      'renamed',
      zstdCompressSync(withChecksum(text.toString().replace('"name":"users"', '"name":"pg_authid"'))),
      /damaged: its tables are not those/,
    ],
    ['hostile', changed('"nextId":"1"', '"nextId":"x"'), /damaged/],
    ['noTables', zstdCompressSync('{"format":"tickwright-backup","formatVersion":1}\n'), /damaged/],
    ['followed', zstdCompressSync(Buffer.concat([text, Buffer.from('x')])), /damaged/],
    [
      'newFormat',
      changed('"formatVersion":1', '"formatVersion":2'),
      /has the format 2, which this version cannot read/,
    ],
  ]
  // At each of these lengths, the text ends in another part of the format.
  for (let length = 0; length < text.length; length += 97) {
    refused.push([`text${length}`, zstdCompressSync(text.subarray(0, length)), /incomplete|no backup/])
  }
  for (const length of [1, 2, 5, 20, whole.length >> 1, whole.length - 5, whole.length - 1]) {
    refused.push([`file${length}`, whole.subarray(0, length), /incomplete/])
  }
  for (const at of [0, 10, whole.length >> 1, whole.length - 1]) {
    const flipped = Buffer.from(whole)
    flipped[at]! ^= 4
    refused.push([`flip${at}`, flipped, /damaged|no backup|incomplete/])
  }
  for (const [name, bytes, reason] of refused) {
    await writeFile(folder.file(name), bytes)
    await assert.rejects(checkBackup(folder.file(name), noKey, never), (error: Error) => {
      assert.ok(error.message.startsWith(`The file ${folder.file(name)} `), error.message)
      assert.match(error.message, reason, name)
      return true
    })
  }
  await assert.rejects(checkBackup(folder.file('none'), noKey, never), /none cannot be read: /)
  await checkBackup(folder.file(), noKey, never)
})

test('a backup that changes after it was checked is refused, and the database stays empty', async () => {
  await using source = await createDatabase('tables')
  await using target = await createDatabase('tables')
  await using folder = await backupFolder()
  await source.rows(addUser)
  await backUp(source.url, folder.file(), never)
  const backup = await checkBackup(folder.file(), noKey, never)
  const text = zstdDecompressSync(await readFile(folder.file())).toString()
  await writeFile(folder.file(), zstdCompressSync(text.replace('a@example.com', 'b@example.com')))
  await assert.rejects(restore(target.url, backup, never), /^Error: The file .* is damaged/)
  assert.deepEqual(await target.rows('select from users'), [])
})

test('secrets are restored only with the master key that sealed them', async () => {
  await using source = await createDatabase('tables')
  await using folder = await backupFolder()
  await source.rows('insert into installation (id, key_check) values (1, $1)', [key])
  await backUp(source.url, folder.file(), never)
  const other = async () => Buffer.alloc(32, 'o')
  await assert.rejects(
    checkBackup(folder.file(), other, never),
    /^Error: The master key is not the one.*MASTER_KEY/,
  )
  await checkBackup(folder.file(), async () => key, never)
})

test('a database with rows, or with tables of something else, is not changed', async () => {
  await using source = await createDatabase('tables')
  await using used = await createDatabase('tables')
  await using foreign = await createDatabase('nothing')
  await using folder = await backupFolder()
  await source.rows(addUser)
  await backUp(source.url, folder.file(), never)
  const backup = await checkBackup(folder.file(), noKey, never)
  await used.rows(`insert into nodes (id) values (gen_random_uuid())`)
  await assert.rejects(
    restore(used.url, backup, never),
    /The database is not empty: its table nodes has rows/,
  )
  assert.deepEqual(await used.rows('select from users'), [])
  await foreign.rows('create table runs (distance int)')
  await assert.rejects(restore(foreign.url, backup, never), /has a table runs that is not Tickwright's/)
  assert.deepEqual(await foreign.rows(`select from pg_class where relname = 'users'`), [])
})

test('two restores at once do not mix', async () => {
  await using source = await createDatabase('tables')
  await using target = await createDatabase('nothing')
  await using folder = await backupFolder()
  await source.rows(addUser)
  await backUp(source.url, folder.file(), never)
  const backup = await checkBackup(folder.file(), noKey, never)
  const results = await Promise.allSettled([1, 2].map(() => restore(target.url, backup, never)))
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.deepEqual(await allRows(target), await allRows(source))
})

test('a backup of an older version is restored and brought up to date, and one of a newer version is refused', async () => {
  await using old = await createDatabase('nothing')
  await using target = await createDatabase('nothing')
  await using current = await createDatabase('tables')
  await using folder = await backupFolder()
  const all = knownMigrations().length
  await migrateTo(old, 8)
  await old.rows(addUser)
  await backUp(old.url, folder.file(), never)
  const backup = await checkBackup(folder.file(), noKey, never)
  assert.deepEqual(
    backup.header.migrations.map(({ name }) => name),
    knownMigrations()
      .slice(0, 8)
      .map(({ name }) => name),
  )
  await assert.rejects(restore(current.url, backup, never), /tables of a newer version than the backup/)
  await migrateTo(target, 3)
  await restore(target.url, backup, never)
  const applied = await target.rows('select hash from drizzle.__drizzle_migrations order by id')
  assert.equal(applied.length, all)
  assert.deepEqual(await target.rows('select email from users'), [{ email: 'a@example.com' }])

  await target.rows(
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`,
  )
  await assert.rejects(
    backUp(target.url, folder.file('b'), never),
    /belongs to a newer Tickwright, and this is/,
  )
  const text = zstdDecompressSync(await readFile(folder.file())).toString()
  const newer = text
    .replace(/"version":"[\d.]+"/, '"version":"9.1.0"')
    .replace('"migrations":[', '"migrations":[{"name":"later","hash":"later"},')
  await writeFile(folder.file('newer'), zstdCompressSync(withChecksum(newer)))
  await assert.rejects(
    checkBackup(folder.file('newer'), noKey, never),
    /was made by Tickwright 9\.1\.0, and this is .*Restore it with version 9\.1\.0 or a later one/,
  )
})

async function migrateTo({ url }: ConnectedDatabase, count: number): Promise<void> {
  await using client = await DatabaseClient.open(url)
  await client.whileNobodyMigrates(() => client.migrate(count))
}

function withChecksum(text: string): string {
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const before = text.slice(0, end)
  const mark = { ...JSON.parse(text.slice(end)), sha256: createHash('sha256').update(before).digest('hex') }
  return `${before}${JSON.stringify(mark)}\n`
}
