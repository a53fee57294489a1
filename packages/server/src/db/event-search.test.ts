/** Compares searches with what a plain statement says, on runs of many strategies in an irregular order. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type SQL, sql } from 'drizzle-orm'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import type { Cursors } from '../base/window.ts'
import type { Database } from './database.ts'
import { type EventSearch, findEvents, forEach } from './event-search.ts'
import { boundsOf } from './time-bounds.ts'

const table = { name: 'runs', owner: 'strategy_id', time: 'queued_at' }
const rows = 30_000
const start = Date.UTC(2026, 0, 1)
let database: Database

/**
 * Strategy 1 has most runs, 2 to 20 have some, 21 to 40 had some long ago, 41 to 60 have none. Ids have gaps, a run every
 * second, and clocks differ by up to 20 s.
 */
before(async () => {
  database = await fileResources.use(await createTestDatabase()).open()
  await database.db.execute(sql`
    insert into runs (id, strategy_id, trigger, status, queued_at, log) overriding system value
    select i * 3 + i % 2, case when i < 3000 then 21 + i % 20 when i % 7 = 0 then 2 + i % 19 else 1 end,
      case when i % 1000 = 0 then 'replay' else 'webhook' end,
      case when i % 50 = 0 then 'FAILED' else 'SUCCEEDED' end,
      ${new Date(start).toISOString()}::timestamptz + make_interval(secs => i + (i * 7) % 20),
      repeat('x', 500) || case when i % 5000 = 0 then ' needle' else '' end
    from generate_series(1, ${rows}::integer) i`)
  await database.db.execute(sql`analyze runs`)
})

const owners = Array.from({ length: 60 }, (_, index) => index + 1)
const base: EventSearch = { table, owners, span: {}, cursors: {} }

async function plainly(search: EventSearch, { limit, offset }: { limit: number; offset: number }) {
  const { cursors, condition, indexed, text, span } = search
  const isUpwards = cursors.after !== undefined && cursors.before === undefined
  const { rows } = (await database.db.execute(sql`
    select e.id::integer as id from runs e
    where e.strategy_id = any(${`{${search.owners.join()}}`}::bigint[])
      and e.id < ${cursors.before ?? 1e9}::bigint and e.id > ${cursors.after ?? 0}::bigint
      and e.queued_at >= ${(span.since ?? new Date(0)).toISOString()}::timestamptz
      and e.queued_at <= ${(span.until ?? new Date(start * 2)).toISOString()}::timestamptz
      and ${sql.join(
        [condition, indexed, text?.condition].flatMap((one) => one ?? sql`true`),
        sql` and `,
      )}
    order by e.id ${sql.raw(isUpwards ? 'asc' : 'desc')} limit ${limit}::integer offset ${offset}::integer`)) as unknown as {
    rows: { id: number }[]
  }
  const ids = rows.map(({ id }) => id)
  return isUpwards ? ids.reverse() : ids
}

/** Follows `next` to the end. */
async function all(search: EventSearch, limit: number): Promise<{ ids: number[]; requests: number }> {
  const ids: number[] = []
  let cursors = search.cursors
  for (let requests = 1; ; requests += 1) {
    const found = await findEvents(database.db, { ...search, cursors }, { limit, offset: 0 })
    assert.ok(found.ids.length <= limit)
    const isUpwards = cursors.after !== undefined && cursors.before === undefined
    ids.push(...(isUpwards ? found.ids.toReversed() : found.ids))
    if (found.next === null) return { ids, requests }
    cursors = isUpwards ? { after: found.next } : { ...cursors, before: found.next }
  }
}

const failed = sql`e.status = 'FAILED'`
const replayed = sql`e.trigger = 'replay'`
const at = (second: number) => new Date(start + second * 1000)
const needle = {
  joins: sql``,
  bytes: sql`octet_length(e.log)`,
  condition: sql`position('needle' in e.log) > 0`,
}
/** Most of them have no rows, as most strategies of a large account. */
const many = Array.from({ length: 2_000 }, (_, index) => index + 1)
const followsFailed = sql`exists (select from runs r where r.id > e.id and r.id < e.id + 5 and r.status = 'FAILED' ${forEach})`
const cases: [string, Partial<EventSearch>][] = [
  ['everything', {}],
  ['what an index has', { indexed: failed }],
  ['what no index has', { condition: failed }],
  ['what is rare', { condition: replayed }],
  ['a time', { span: { since: at(20_000), until: at(20_100) } }],
  ['a time and a condition', { span: { since: at(100), until: at(29_000) }, condition: replayed }],
  ['a text', { text: needle }],
  ['owners who have been quiet for long', { owners: [21, 25, 33, 47] }],
  ['one owner', { owners: [7], condition: failed }],
  ['owners of few of all rows', { owners: [2, 5, 33], condition: failed }],
  ['everything of many owners', { owners: many }],
  ['what no index has, of many owners', { owners: many, condition: failed }],
  ['what an index has, of many owners', { owners: many, indexed: failed }],
  ['the few rows of many owners', { owners: many.slice(1) }],
  ['the few rows of many owners that no index has', { owners: many.slice(1), condition: replayed }],
  ['what other rows say', { condition: followsFailed, isJoined: true }],
]

for (const [what, more] of cases) {
  test(`a search for ${what} finds the same as a plain statement, by pages and by cursors`, async () => {
    const search = { ...base, ...more }
    const every = { limit: rows, offset: 0 }
    const expected = await plainly(search, every)
    assert.deepEqual((await all(search, 997)).ids, expected)
    assert.deepEqual((await all({ ...search, cursors: { after: 1 } }, 997)).ids, expected.toReversed())
    const middle = expected[Math.floor(expected.length / 2)]!
    const sides: Cursors[] = [
      { before: middle },
      { after: middle },
      { after: middle, before: middle + 5_000 },
    ]
    for (const cursors of sides) {
      const { ids } = await all({ ...search, cursors }, 1_500)
      const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
      assert.deepEqual(sorted(ids), sorted(await plainly({ ...search, cursors }, every)))
    }
  })
}

test('pages of all runs follow each other, and count all', async () => {
  for (const offset of [0, 50, 400, 2_950]) {
    const page = { limit: 50, offset }
    const found = await findEvents(database.db, base, page)
    assert.deepEqual(found.ids, await plainly(base, page))
    assert.deepEqual([found.total > 10_000, found.isExact, found.next], [true, true, found.ids.at(-1)])
  }
  const few = await findEvents(database.db, { ...base, owners: [33] }, { limit: 200, offset: 0 })
  assert.deepEqual([few.ids.length, few.total, few.isExact, few.next], [150, 150, true, null])
})

test('a search without an index looks at a limited number of rows, and says how far it has looked', async () => {
  const never: SQL = sql`e.status = 'VIOLATION'`
  const found = await findEvents(database.db, { ...base, condition: never }, { limit: 50, offset: 0 })
  assert.deepEqual([found.ids, found.total, found.isExact], [[], 0, false])
  assert.ok(found.next! > 1_000 && found.next! < rows * 3 - 1_000, `${found.next}`)
  const { ids, requests } = await all({ ...base, condition: never }, 50)
  assert.deepEqual(ids, [])
  assert.ok(requests < 20, `${requests} requests`)
  const few = await findEvents(
    database.db,
    { ...base, owners: [33], condition: never },
    { limit: 50, offset: 0 },
  )
  assert.deepEqual([few.total, few.isExact, few.next], [0, true, null])
})

test('a search with a cursor ends when it has its rows, and a page counts on', async () => {
  const search = { ...base, condition: sql`e.status = 'SUCCEEDED'` }
  const page = await findEvents(database.db, search, { limit: 50, offset: 0 })
  const cursors = { before: rows * 4 }
  const part = await findEvents(database.db, { ...search, cursors }, { limit: 50, offset: 0 })
  assert.deepEqual(part.ids, page.ids)
  assert.equal(part.next, page.next)
  assert.ok(part.total >= 50 && part.total < 500, `${part.total}`)
  assert.ok(page.total > 4_000 && page.total <= 5_000, `${page.total}`)
})

test('no owners have no events', async () => {
  const found = await findEvents(database.db, { ...base, owners: [] }, { limit: 50, offset: 0 })
  assert.deepEqual(found, { ids: [], total: 0, isExact: true, next: null })
})

test('a time becomes ids, also if clocks differ, and outside of all times', async () => {
  const { db } = database
  const middle = await boundsOf(db, table, { since: at(15_000), until: at(15_010) })
  assert.ok(middle.low! < 15_000 * 3 - 60 && middle.low! > 14_800 * 3)
  assert.ok(middle.high! > 15_010 * 3 + 60 && middle.high! < 15_200 * 3)
  assert.deepEqual(await boundsOf(db, table, {}), {})
  const century = await boundsOf(db, table, { since: new Date(0), until: at(3e9) })
  assert.deepEqual([century.low! < 4, century.high! > rows * 3], [true, true])
  const future = await boundsOf(db, table, { since: at(3e8) })
  assert.ok(future.low! >= rows * 3)
  const empty = { ...table, name: 'approvals', time: 'created_at' }
  assert.deepEqual(await boundsOf(db, empty, { since: at(0), until: at(1) }), { low: 0, high: 1 })
})
