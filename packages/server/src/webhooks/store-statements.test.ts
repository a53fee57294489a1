/** The fast statement for one payload does what the general one does. */
import assert from 'node:assert/strict'
import { getTableColumns, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { withDatabase } from '../../test/databases.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { deliveries, runs, strategies, users } from '../db/schema.ts'
import { storeAloneSql, storeSql } from './store-statements.ts'

const reactions = fc.array(
  fc.record({
    status: fc.constantFrom('ACTIVE', 'ACTIVE', 'INACTIVE'),
    /** Hours from now. */
    suspendedUntil: fc.constantFrom(null, null, -1, 1),
    version: fc.integer({ min: 1, max: 9 }),
    earlierRuns: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 5 },
)

// The service refuses a body that is not UTF-8; JSON text has no NUL.
const text = fc.string({ unit: 'grapheme', maxLength: 50 }).map((value) => value.replaceAll('\0', ''))

const payload = fc.record({
  webhookId: fc.constantFrom(1, 1, 1, 2, 3),
  version: fc.constantFrom(1, 1, 1, 2),
  body: text,
  headers: fc.dictionary(fc.constantFrom('user-agent', 'x-forwarded-for', 'content-type'), text),
  ip: fc.ipV6(),
  at: fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2030-01-01') }),
})

type Reactions = typeof reactions extends fc.Arbitrary<infer T> ? T : never

/** Webhook 1 with these reactions, and nothing stored yet except their earlier runs. Webhook 2 has one reaction. */
async function prepare({ db }: Database, of: Reactions): Promise<void> {
  await db.execute(sql`delete from strategies`)
  for (const table of ['deliveries', 'runs']) {
    await db.execute(sql.raw(`delete from ${table}`))
    await db.execute(sql.raw(`select setval('${table}_id_seq', 1, false)`))
  }
  const own = of.map((reaction, index) => ({ ...reaction, id: index + 1, webhook: 1 }))
  const other = { status: 'ACTIVE', suspendedUntil: null, version: 1, earlierRuns: 1, id: 100, webhook: 2 }
  const all = JSON.stringify([...own, other])
  const rows = sql`json_to_recordset(${all}::json)
    as r(id bigint, webhook bigint, status text, version integer, "suspendedUntil" integer, "earlierRuns" integer)`
  await db.execute(sql`insert into strategies (id, user_id, type, name, code, status, data_webhook_id, version)
    overriding system value select id, 1, 'code-reaction', '', '', status, webhook, version from ${rows}`)
  await db.execute(sql`insert into strategy_state (strategy_id, suspended_until)
    select id, now() + make_interval(hours => "suspendedUntil") from ${rows}`)
  await db.execute(sql`insert into runs (strategy_id, trigger, queued_at)
    select id, 'webhook', '2020-01-01' from ${rows}, generate_series(1, "earlierRuns") order by id`)
}

withDatabase(
  'one payload leaves the same rows and the same answer, stored alone or as a batch',
  async (place) => {
    const database = await place.open()
    const { db } = database
    await db.insert(users).values({ email: 'a@example.com', passwordHash: '', role: 'user' })
    await db.execute(sql`insert into data_webhooks (user_id, name, description, url_hash, url_secret)
    values (1, '', '', 'a', ''), (1, '', '', 'b', '')`)
    const general = database.prepare('general', storeSql)
    const fast = database.prepare('fast', storeAloneSql)
    const store = async (statement: PreparedStatement, of: Reactions, values: (string | number)[]) => {
      await prepare(database, of)
      const [row] = await statement(values)
      return {
        answer: sorted(JSON.parse(row![0]!)),
        // All but the time at which the statement stored it.
        deliveries: await db.select({ ...getTableColumns(deliveries), storedAt: sql`null` }).from(deliveries),
        runs: await db.select().from(runs).orderBy(runs.id),
        strategies: await db.$count(strategies),
      }
    }
    const outcomes = new Set<string>()
    const check = async (of: Reactions, { webhookId, version, body, headers, ip, at }: Payload) => {
      const item = { webhook_id: webhookId, version, body, headers, ip, key: null, at }
      const alone = await store(fast, of, [webhookId, version, body, JSON.stringify(headers), ip, at])
      assert.deepEqual(alone, await store(general, of, [JSON.stringify([item])]))
      outcomes.add(`${alone.deliveries.length} stored, ${alone.answer.runs?.length ?? 0} queued`)
    }
    const one: Payload = {
      webhookId: 1,
      version: 1,
      body: '{}',
      headers: {},
      ip: '::1',
      at: 1_767_229_200_123,
    }
    const active = { status: 'ACTIVE', suspendedUntil: null, version: 3, earlierRuns: 1 }
    const two = [active, { ...active, earlierRuns: 0 }, { ...active, suspendedUntil: 1 }]
    await fc.assert(fc.asyncProperty(reactions, payload, check), {
      numRuns: 60,
      examples: [
        [two, one],
        [[], one],
        [two, { ...one, version: 2 }],
      ],
    })
    for (const outcome of ['1 stored, 2 queued', '1 stored, 0 queued', '0 stored, 0 queued']) {
      assert.ok(outcomes.has(outcome), `no input led to "${outcome}"`)
    }
  },
)

type Payload = typeof payload extends fc.Arbitrary<infer T> ? T : never

/** The order of strategies in an answer means nothing. */
function sorted(answer: { runs: unknown[] | null; strategies: [id: number][] | null }) {
  return { ...answer, strategies: answer.strategies?.toSorted(([a], [b]) => a - b) ?? null }
}

withDatabase(
  'a payload reads the reactions of its webhook, not all of a few hundred strategies',
  async (place) => {
    const database = await place.open()
    const { db } = database
    await db.insert(users).values({ email: 'a@example.com', passwordHash: '', role: 'user' })
    await db.execute(sql`insert into data_webhooks (user_id, name, description, url_hash, url_secret)
    select 1, '', '', n::text::bytea, '' from generate_series(1, 300) n`)
    await db.execute(sql`insert into strategies (user_id, type, name, code, status, data_webhook_id)
    select 1, 'code-reaction', '', '', 'ACTIVE', n from generate_series(1, 300) n`)
    await db.execute(sql`insert into strategy_state (strategy_id) select id from strategies`)
    await db.execute(sql`analyze`)
    for (const statement of [storeAloneSql, storeSql]) {
      const { rows } = (await db.execute(sql.raw(`explain (generic_plan) ${statement}`))) as unknown as {
        rows: { 'QUERY PLAN': string }[]
      }
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.match(plan, /Index Scan using strategies_data_webhook_id_index/)
      assert.doesNotMatch(plan, /Seq Scan on (strategies|strategy_state)/)
    }
  },
)
