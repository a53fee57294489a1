import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { eachDatabase } from '../../test/databases.ts'
import { Retention } from './retention.ts'

eachDatabase(
  'what has been kept for its days is deleted, and what is still needed stays',
  async (database) => {
    await lookInto(database, async (opened) => {
      const { db } = opened
      const day = (days: number) => sql.raw(`now() - make_interval(hours => ${days * 24})`)
      const deliver = (id: number, days: number) =>
        db.execute(sql`insert into deliveries (id, webhook_id, body, headers, ip, reactions, received_at)
        overriding system value values (${id}, 1, '{}', '{}', '127.0.0.1', 0, ${day(days)})`)
      const run = (id: number, delivery: number | null, status: string, days: number) =>
        db.execute(sql`insert into runs (id, strategy_id, trigger, status, delivery_id, queued_at)
        overriding system value values (${id}, 1, 'webhook', ${status}, ${delivery}, ${day(days)})`)
      const remember = async (key: string, hours: number) => {
        await db.execute(sql`insert into idempotency_keys (webhook_id, key, delivery_id, created_at)
        values (1, ${key}, 1, ${day(hours / 24)})`)
        await db.execute(sql`insert into bot_webhook_keys (webhook_id, key, signal_id, bots, created_at)
        values (1, ${key}, 1, 0, ${day(hours / 24)})`)
      }

      await deliver(1, 31)
      await deliver(2, 29)
      await deliver(3, 31)
      await deliver(4, 31)
      await run(1, 1, 'SUCCEEDED', 31)
      await run(2, 2, 'FAILED', 29)
      await run(3, 3, 'QUEUED', 31)
      // A replay keeps an old payload for as long as its run is kept.
      await run(4, 4, 'SUCCEEDED', 1)
      await run(5, null, 'SKIPPED', 31)
      await run(6, null, 'RUNNING', 31)
      await remember('old', 25)
      await remember('new', 23)

      const retention = new Retention(opened, 30, (error) => assert.fail(`unexpected: ${error}`))
      await retention.sweep()
      const left = async (table: string, column: string) => {
        const result = await db.execute(sql.raw(`select ${column} as value from ${table} order by 1`))
        return (result as unknown as { rows: { value: unknown }[] }).rows.map(({ value }) => String(value))
      }
      assert.deepEqual(await left('runs', 'id'), ['2', '3', '4', '6'])
      assert.deepEqual(await left('deliveries', 'id'), ['2', '3', '4'])
      assert.deepEqual(await left('idempotency_keys', 'key'), ['new'])
      assert.deepEqual(await left('bot_webhook_keys', 'key'), ['new'])
    })
  },
)

eachDatabase('more than fits into one portion is deleted too', async (database) => {
  await lookInto(database, async (opened) => {
    await opened.db.execute(sql`insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
      select 1, '{}', '{}', '127.0.0.1', 0, now() - make_interval(days => 40) from generate_series(1, 12000)`)
    await new Retention(opened, 30, (error) => assert.fail(`unexpected: ${error}`)).sweep()
    const result = await opened.db.execute(sql`select count(*)::int as left from deliveries`)
    assert.deepEqual((result as unknown as { rows: unknown[] }).rows, [{ left: 0 }])
  })
})
