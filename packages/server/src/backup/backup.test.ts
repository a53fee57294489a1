import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { allRows, backupFolder, createDatabase, never, untilWaiting } from '../../test/backups.ts'
import { knownMigrations, tablesAfter } from '../db/migrations.ts'
import { backUp } from './backup.ts'
import { checkBackup, restore } from './restore.ts'

const noKey = () => assert.fail('nothing is sealed')

test('the last migration describes every table and column of the database', async () => {
  await using database = await createDatabase('tables')
  const columns = await database.rows(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
  )
  const described = tablesAfter(knownMigrations().length)
  assert.deepEqual(
    described.flatMap((table) => table.columns.map((column) => `${table.name}.${column}`)).sort(),
    columns.map(({ name }) => name).sort(),
  )
  const order = described.map(({ name }) => name)
  for (const { name, references } of described) {
    for (const to of references)
      assert.ok(order.indexOf(to) < order.indexOf(name), `${to} comes before ${name}`)
  }
})

const oddText = [...Array(0x2100).keys()]
  .slice(1)
  .map((code) => String.fromCodePoint(code))
  .join('')

test('every value returns as it was', async () => {
  await using source = await createDatabase('tables')
  await using target = await createDatabase('tables')
  await using folder = await backupFolder()
  const texts = [
    '',
    '\\.',
    '\\N',
    '\\',
    '\\\\.\n\\.\n',
    '\n\\.\n',
    '\t',
    '\r\n',
    '"',
    'null',
    oddText,
    '🦉\u{10ffff}',
  ]
  for (const text of texts) {
    await source.rows(
      `insert into deliveries (webhook_id, body, headers, ip, idempotency_key, reactions, received_at)
       values (1, $1, $2, '', $3, 0, '2026-01-02 03:04:05.678901+00')`,
      [text, JSON.stringify({ [text]: text }), text === '' ? null : ''],
    )
  }
  await source.rows(`insert into guesses (subject, count, last_at) values ($1, -2147483648, 'infinity')`, [
    Buffer.from([...Array(256).keys()]),
  ])
  for (const number of [
    '0',
    '-0.00000000000000000001',
    `${'9'.repeat(40)}.${'1'.repeat(40)}`,
    'NaN',
    '1.10',
  ]) {
    await source.rows(
      `insert into payments (bot_id, user_id, symbol, kind, payment_id, asset, amount, value, paid_at)
       values (9007199254740993, -1, '', 'funding', $1::text, '', $1::numeric, $1::numeric, '0044-03-15 BC')`,
      [number],
    )
  }
  await source.rows(`insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`)
  await source.rows(
    `insert into notification_endpoints (user_id, url, events, secret, holder)
     select id, '\\x00', array['', 'a,b', '{"', null, '\\'], '', gen_random_uuid() from users`,
  )
  await backUp(source.url, folder.file(), never)
  await restore(target.url, await checkBackup(folder.file(), noKey, never), never)
  const before = await allRows(source)
  assert.equal(before.deliveries!.length, texts.length)
  assert.deepEqual(await allRows(target), before)
})

test('ids continue where the backup was made, also after the last row was deleted', async () => {
  await using source = await createDatabase('tables')
  await using target = await createDatabase('tables')
  await using folder = await backupFolder()
  const add = (database: typeof source) =>
    database.rows(
      `insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
       values (1, '', '{}', '', 0, now()) returning id`,
    )
  for (let count = 1; count <= 3; count++) await add(source)
  await source.rows('delete from deliveries where id > 1')
  await backUp(source.url, folder.file(), never)
  await restore(target.url, await checkBackup(folder.file(), noKey, never), never)
  assert.deepEqual(await add(target), [{ id: '4' }])
  const first = `insert into users (email, password_hash, role) values ('a@example.com', '', 'user') returning id`
  assert.deepEqual(await target.rows(first), [{ id: '1' }])
})

test('only the owner can read a backup, and no other file stays', async () => {
  await using source = await createDatabase('tables')
  await using folder = await backupFolder()
  const { tables, rows, sizeBytes } = await backUp(source.url, folder.file(), never)
  const { mode, size } = await stat(folder.file())
  assert.deepEqual([mode & 0o777, size, tables, rows], [0o600, sizeBytes, knownTables(), 0])
  assert.deepEqual(await readdir(dirname(folder.file())), ['tickwright.backup'])
})

const knownTables = () => tablesAfter(knownMigrations().length).length

test('a backup replaces no file, and two backups do not write the same one', async () => {
  await using source = await createDatabase('tables')
  await using folder = await backupFolder()
  await writeFile(folder.file(), 'mine')
  await assert.rejects(
    backUp(source.url, folder.file(), never),
    /tickwright\.backup exists\. Name another file/,
  )
  assert.equal(await readFile(folder.file(), 'utf8'), 'mine')
  const twice = await Promise.allSettled([1, 2].map(() => backUp(source.url, folder.file('b'), never)))
  assert.deepEqual(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await checkBackup(folder.file('b'), noKey, never)
})

test('a backup that fails leaves no file', async () => {
  await using empty = await createDatabase('nothing')
  await using source = await createDatabase('tables')
  await using folder = await backupFolder()
  await assert.rejects(
    backUp(empty.url, folder.file(), never),
    /The database is empty: Tickwright has never used it/,
  )
  await assert.rejects(
    backUp('postgres://127.0.0.1:1/x', folder.file(), never),
    /The database cannot be used: .*REFUSED/,
  )
  await assert.rejects(backUp(source.url, folder.file('none/b'), never), /none\/b cannot be written: /)
  // The server ends the connection while the backup waits for a table.
  await source.rows('begin')
  await source.rows('lock table runs')
  const lost = assert.rejects(backUp(source.url, folder.file(), never), /terminat/i)
  await source.rows('select pg_terminate_backend($1)', [await untilWaiting(source)])
  await lost
  const stop = new AbortController()
  const stopped = assert.rejects(backUp(source.url, folder.file(), stop.signal))
  await untilWaiting(source)
  stop.abort()
  await stopped
  await source.rows('rollback')
  // In the middle of the rows: at each turn of the event loop, this process reads and writes only a small part of them.
  await source.rows(
    `insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
     select n, repeat(md5(n::text), 58), '{}', '', 0, now() from generate_series(1, 5000) n`,
  )
  const interruption = new AbortController()
  const interrupted = assert.rejects(backUp(source.url, folder.file(), interruption.signal))
  while (!(statSync(`${folder.file()}.part`, { throwIfNoEntry: false })?.size ?? 0)) await setImmediate()
  interruption.abort()
  await interrupted
  assert.deepEqual(await readdir(dirname(folder.file())), [])
})
