import assert from 'node:assert/strict'
import { test } from 'node:test'
import { and, eq, gte, isNull, sql } from 'drizzle-orm'
import { createTestDatabase } from '../../test/databases.ts'
import type { Database } from './database.ts'
import { ofOne, type Slots } from './reads.ts'
import { folders } from './schema.ts'

type Filter = { name?: string; parentId?: number | null; since?: Date; isNested?: boolean }

/** Two users with folders: three of the first user's, one of which is in another one, and one of the second user's. */
async function openFolders(place: { open(): Promise<Database> }): Promise<Database> {
  const database = await place.open()
  const statements = [
    `insert into users (email, password_hash, role) select i || '@example.com', '', 'user' from generate_series(1, 2) i`,
    `insert into folders (user_id, type, name, parent_id, ancestors, created_at) values
      (1, 'code-strategy', 'a', null, '{}', '2020-01-01Z'), (1, 'code-strategy', 'b', null, '{}', '2021-01-01Z'),
      (1, 'code-reaction', 'c', 1, '{1}', '2022-01-01Z'), (2, 'code-strategy', 'a', null, '{}', '2020-01-01Z')`,
  ]
  for (const statement of statements) await database.db.execute(sql.raw(statement))
  return database
}

function matching({ userId }: Slots<{ userId: number }>, filter: Slots<Filter>) {
  const { name, parentId, since, isNested } = filter
  return and(
    ofOne(folders.userId, userId, filter),
    name === undefined ? undefined : eq(folders.name, name),
    parentId === undefined
      ? undefined
      : parentId === null
        ? isNull(folders.parentId)
        : eq(folders.parentId, parentId),
    since === undefined ? undefined : gte(folders.createdAt, since),
    isNested === undefined ? undefined : eq(isNull(folders.parentId), !isNested),
  )
}

async function names({ db, read }: Database, userId: number, filter?: Filter): Promise<string> {
  const rows = await read(
    'names_of_folders',
    { userId },
    (slots, filter) =>
      db.select({ name: folders.name }).from(folders).where(matching(slots, filter)).orderBy(folders.id),
    filter,
  )
  return rows.map(({ name }) => name).join('')
}

test('a read answers for the values of its call, with each combination of filters', async () => {
  await using place = await createTestDatabase()
  const database = await openFolders(place)
  // Ten times, because PostgreSQL may change to a plan for all values after five.
  for (let round = 0; round < 10; round++) {
    assert.equal(await names(database, 1), 'abc')
    assert.equal(await names(database, 2), 'a')
    assert.equal(await names(database, 1, { name: 'b' }), 'b')
    assert.equal(await names(database, 1, { parentId: 1 }), 'c')
    assert.equal(await names(database, 1, { parentId: null }), 'ab')
    assert.equal(await names(database, 1, { isNested: true }), 'c')
    assert.equal(await names(database, 1, { isNested: false }), 'ab')
    assert.equal(await names(database, 1, { since: new Date('2021-01-01Z') }), 'bc')
    assert.equal(await names(database, 1, { since: new Date('2021-01-01T00:00:00.001Z'), name: 'b' }), '')
  }
  const all = await Promise.all(Array.from({ length: 40 }, (_, i) => names(database, 1 + (i % 2))))
  assert.deepEqual(new Set(all.filter((_, i) => i % 2 === 0)), new Set(['abc']))
  assert.deepEqual(new Set(all.filter((_, i) => i % 2 === 1)), new Set(['a']))
  assert.equal(await database.count(folders, { userId: 1 }, matching), 3)
  assert.equal(await database.count(folders, { userId: 1 }, matching, { name: 'b' }), 1)
})

test('a list fits in one parameter', async () => {
  await using place = await createTestDatabase()
  const { db, read } = await openFolders(place)
  const found = (ids: number[]) =>
    read('folders_by_ids', { ids }, ({ ids }) =>
      db.select({ id: folders.id }).from(folders).where(sql`${folders.id} = any(${ids})`).orderBy(folders.id),
    )
  assert.deepEqual(await found([]), [])
  assert.deepEqual(await found([2, 4, 99]), [{ id: 2 }, { id: 4 }])
})

test('PostgreSQL keeps the plan of a read, but not of a filtered one, whatever users filter by', async () => {
  await using place = await createTestDatabase()
  const database = await openFolders(place)
  for (let round = 0; round < 10; round++) {
    await names(database, 1)
    await names(database, 1, { name: 'any name' })
    await names(database, 1, { name: 'any name', isNested: round % 2 === 0 })
  }
  const { rows } = (await database.db.execute(
    sql`select name, generic_plans::int + custom_plans::int as calls, generic_plans > 0 as generic
      from pg_prepared_statements`,
  )) as { rows: unknown[] }
  assert.deepEqual(rows, [{ name: 'names_of_folders', calls: 10, generic: true }])
})
