import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { startAddressOf } from '../../test/one-address.ts'
import { outage } from '../../test/outage.ts'
import { patienceMs } from '../../test/patience.ts'
import { isDatabaseAway } from '../base/failures.ts'
import { commitOnce } from './commit-once.ts'
import type { Db } from './database.ts'
import { openDatabase } from './open.ts'
import { untilReachable } from './until-reachable.ts'

withDatabase('a transaction is committed once, whichever of its answers is lost', async (place) => {
  const direct = await place.open()
  await direct.db.execute(sql`create table counted (n integer)`)
  const count = direct.prepare('count', 'select count(*) from counted where n = $1::integer')
  const { address, url } = await startAddressOf(place.databaseUrl)
  await using _address = address
  const database = await openDatabase(url, () => undefined)
  const lost = [
    ['begin', 1],
    ['insert into counted', 2],
    ['pg_current_xact_id', 2],
    ['commit', 1],
  ] as const
  for (const [n, [text, attempts]] of lost.entries()) {
    let made = 0
    address.loseAnswerTo(text)
    const insert = async (tx: Db) => {
      made++
      await tx.execute(sql`insert into counted values (${n})`)
      return made
    }
    assert.equal(await commitOnce(database.db, insert, { mostMs: patienceMs }), attempts, text)
    assert.deepEqual(await count([n]), [['1']], text)
    assert.equal(made, attempts, text)
  }
  await database.close()
})

withDatabase('a refusal by the transaction itself is thrown at once, and nothing stays', async (place) => {
  const { db } = await place.open()
  await db.execute(sql`create table counted (n integer)`)
  let made = 0
  const refuse = async (tx: Db) => {
    made++
    await tx.execute(sql`insert into counted values (1)`)
    throw new Error('No.')
  }
  await assert.rejects(commitOnce(db, refuse, { mostMs: patienceMs }), /^Error: No\.$/)
  const { rows } = (await db.execute(sql`select n from counted`)) as unknown as { rows: unknown[] }
  assert.deepEqual([rows, made], [[], 1])
})

withDatabase('a question waits for a database that is away, for as long as the caller can', async (place) => {
  await using away = await outage(place.databaseUrl)
  const database = await openDatabase(place.databaseUrl, () => undefined)
  const one = database.prepare('one', 'select 1')
  let onRefusal = () => {}
  const ask = async () => {
    try {
      return await one([])
    } catch (error) {
      onRefusal()
      throw error
    }
  }
  await away.begin()
  await assert.rejects(untilReachable(ask, { mostMs: 0 }), isDatabaseAway)
  await assert.rejects(untilReachable(ask, { mostMs: 200 }), isDatabaseAway)
  const over = new AbortController()
  const given = untilReachable(ask, { mostMs: 10 * patienceMs, signal: over.signal })
  over.abort()
  await assert.rejects(given, isDatabaseAway)
  const refused = new Promise<void>((resolve) => {
    onRefusal = resolve
  })
  const asked = untilReachable(ask, { mostMs: 10 * patienceMs })
  await refused
  await away.end()
  assert.deepEqual(await asked, [['1']])
  await database.close()
})
