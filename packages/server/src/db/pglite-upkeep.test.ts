import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PGlite, protocol } from '@electric-sql/pglite'
import { PgliteUpkeep } from './pglite-upkeep.ts'

async function open() {
  const pglite = await PGlite.create('memory://')
  await pglite.exec('create table things (id bigint primary key, value text not null)')
  return { pglite, upkeep: new PgliteUpkeep(pglite), [Symbol.asyncDispose]: () => pglite.close() }
}

test('a statement that was prepared on a small table is planned again for the large one', async () => {
  await using place = await open()
  const { pglite, upkeep } = place
  const { serialize } = protocol
  const text = `select count(t.value) from json_to_recordset($1::json) as i(id bigint) join things t on t.id = i.id`
  const parse = Buffer.concat([serialize.parse({ name: 'find', text }), serialize.sync()])
  await pglite.execProtocol(parse)
  const plan = async () => {
    const { rows } = await pglite.query<Record<string, string>>(`explain execute find('[{"id": 1}]')`)
    return rows.map((row) => Object.values(row)[0]).join('\n')
  }
  await pglite.exec(`set plan_cache_mode = force_generic_plan`)
  assert.match(await plan(), /Seq Scan on things/)
  await pglite.exec(`insert into things select g, repeat('x', 200) from generate_series(1, 50000) g`)
  assert.match(await plan(), /Seq Scan on things/, 'PGlite keeps the old plan by itself')
  await upkeep.replan()
  assert.match(await plan(), /Index Scan using things_pkey on things/)
})

test('a plan is kept while next to nothing is written', async () => {
  await using place = await open()
  const { pglite, upkeep } = place
  await upkeep.replan()
  await pglite.exec(
    `set plan_cache_mode = force_generic_plan; prepare find as select * from things where id = 1`,
  )
  const plan = async () => JSON.stringify((await pglite.query('explain execute find')).rows)
  const before = await plan()
  assert.match(before, /(Seq|Index) Scan/)
  // This has no effect on a plan that exists already.
  await pglite.exec(
    /Seq Scan/.test(before)
      ? 'set enable_seqscan = off'
      : 'set enable_indexscan = off; set enable_bitmapscan = off',
  )
  await pglite.exec(`insert into things values (1, 'x')`)
  await upkeep.replan()
  assert.equal(await plan(), before)
  await pglite.exec(`insert into things select g, repeat('x', 200) from generate_series(2, 5000) g`)
  await upkeep.replan()
  assert.notEqual(await plan(), before)
})

test('a vacuum runs after many writes, and only when nobody writes any more', async () => {
  await using place = await open()
  const { pglite, upkeep } = place
  const isVacuumed = async () => {
    const { rows } = await pglite.query<{ n: number }>(
      `select reltuples::int as n from pg_class where relname = 'things'`,
    )
    return rows[0]!.n >= 0
  }
  const write = () =>
    pglite.exec(`insert into things select coalesce(max(id), 0) + g, repeat(md5(g::text), 20)
      from (select max(id) as id from things) m, generate_series(1, 40000) g group by g`)
  await write()
  await upkeep.vacuumWhenIdle()
  assert.equal(await isVacuumed(), false, 'there was writing since the last look')
  await upkeep.vacuumWhenIdle()
  assert.equal(await isVacuumed(), true)
  await pglite.exec(`update pg_class set reltuples = -1 where relname = 'things'`)
  await upkeep.vacuumWhenIdle()
  assert.equal(await isVacuumed(), false, 'little was written since the vacuum')
})
