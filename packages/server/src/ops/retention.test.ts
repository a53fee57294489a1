import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import { Retention } from './retention.ts'

withDatabase('old rows are deleted, and rows that are still needed stay', async (database) => {
  await lookInto(database, async (opened) => {
    const { db } = opened
    const day = (days: number) => sql.raw(`now() - make_interval(hours => ${days * 24})`)
    const deliver = (id: number, days: number) =>
      db.execute(sql`insert into deliveries (id, webhook_id, body, headers, ip, reactions, received_at)
        overriding system value values (${id}, 1, '{}', '{}', '127.0.0.1', 0, ${day(days)})`)
    const run = (id: number, delivery: number | null, status: string, days: number) =>
      db.execute(sql`insert into runs (id, strategy_id, trigger, status, delivery_id, queued_at)
        overriding system value values (${id}, 1, 'webhook', ${status}, ${delivery}, ${day(days)})`)
    const deliverSignal = (id: number, days: number) =>
      db.execute(sql`insert into bot_webhook_deliveries (id, webhook_id, body, headers, ip, bots, received_at)
        values (${id}, 1, '{}', '{}', '', 0, ${day(days)})`)
    const callBack = (id: number, days: number) =>
      db.execute(sql`insert into signal_callbacks (id, user_id, origin, url, created_at)
        values (${id}, 1, '', '', ${day(days)})`)
    const refuse = async (days: number) => {
      for (const table of ['refused_data_posts', 'refused_bot_posts']) {
        await db.execute(sql`insert into ${sql.identifier(table)} (webhook_id, status, code, reason, more, refused_at)
          values (1, 401, 'webhook_key', ${String(days)}, 0, ${day(days)})`)
      }
    }
    const remember = async (key: string, hours: number) => {
      await db.execute(sql`insert into idempotency_keys (webhook_id, key, delivery_id, created_at)
        values (1, ${key}, 1, ${day(hours / 24)})`)
      await db.execute(sql`insert into idempotent_requests (user_id, key, claim, fingerprint, claimed_at)
        values (1, ${key}, '', '', ${day(hours / 24)})`)
      await db.execute(sql`insert into bot_webhook_keys (webhook_id, key, signal_id, bots, created_at)
        values (1, ${key}, 1, 0, ${day(hours / 24)})`)
    }

    await deliver(1, 31)
    await deliver(2, 29)
    await deliver(3, 31)
    await deliver(4, 31)
    for (const days of [31, 29]) {
      await refuse(days)
      await deliverSignal(100 - days, days)
      await callBack(100 - days, days)
    }
    await run(1, 1, 'SUCCEEDED', 31)
    await run(2, 2, 'FAILED', 29)
    await run(3, 3, 'QUEUED', 31)
    // A replay keeps an old payload as long as its run.
    await run(4, 4, 'SUCCEEDED', 1)
    await run(5, null, 'SKIPPED', 31)
    await run(6, null, 'RUNNING', 31)
    await db.execute(sql`insert into run_transcripts (run_id, strategy_id, text)
        select id, 1, '[]' from runs where id in (1, 2, 4, 5)`)
    await db.execute(sql`insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`)
    await db.execute(
      sql`insert into strategies (user_id, type, name, code) values (1, 'llm-reaction', '', '')`,
    )
    const ask = (runId: number, status: string, days: number, waits: number) =>
      db.execute(sql`insert into approvals (user_id, strategy_id, run_id, action, symbols, options, status, created_at, expires_at)
          values (1, 1, ${runId}, 'LONG', '[]', '{}', ${status}, ${day(days)}, ${day(-waits)})`)
    await ask(1, 'REJECTED', 31, -31)
    await ask(2, 'APPROVED', 29, -29)
    // An approval that still waits stays, whatever its age.
    await ask(5, 'PENDING', 31, 1)
    await remember('old', 25)
    await remember('new', 23)

    const retention = new Retention(opened, 30, (error) => assert.fail(`unexpected: ${error}`))
    await retention.sweep()
    const left = async (table: string, column: string) => {
      const result = await db.execute(sql.raw(`select ${column} as value from ${table} order by 1`))
      return (result as unknown as { rows: { value: unknown }[] }).rows.map(({ value }) => String(value))
    }
    assert.deepEqual(await left('runs', 'id'), ['2', '3', '4', '6'])
    assert.deepEqual(await left('run_transcripts', 'run_id'), ['2', '4'])
    assert.deepEqual(await left('approvals', 'run_id'), ['2', '5'])
    assert.deepEqual(await left('deliveries', 'id'), ['2', '3', '4'])
    assert.deepEqual(await left('bot_webhook_deliveries', 'id'), ['71'])
    assert.deepEqual(await left('signal_callbacks', 'id'), ['71'])
    assert.deepEqual(await left('refused_data_posts', 'reason'), ['29'])
    assert.deepEqual(await left('refused_bot_posts', 'reason'), ['29'])
    assert.deepEqual(await left('idempotency_keys', 'key'), ['new'])
    assert.deepEqual(await left('bot_webhook_keys', 'key'), ['new'])
    assert.deepEqual(await left('idempotent_requests', 'key'), ['new'])
  })
})

withDatabase('expired sessions, links and counts of guesses are deleted', async (database) => {
  await lookInto(database, async (opened) => {
    const { db } = opened
    const add = (text: string) => db.execute(sql.raw(text))
    await add(`insert into users (id, email, password_hash, role) overriding system value
      values (1, 'a@example.com', '', 'user')`)
    for (const days of [1, 6, 8, 29, 31, 364, 366]) {
      const ago = `now() - interval '${days} days'`
      await add(
        `insert into audit_events (user_id, event, details, created_at) values (1, '${days}', '{}', ${ago})`,
      )
      // One session that is used daily, and one that was not.
      await add(`insert into sessions (user_id, token_hash, ip, user_agent, created_at, last_seen_at)
        values (1, 'used ${days}', '', 'used ${days}', ${ago}, now()), (1, 'idle ${days}', '', 'idle ${days}', ${ago}, ${ago})`)
    }
    await add(`insert into guesses (subject, count, last_at, locked_until) values
      ('new', 1, now(), null), ('old', 1, now() - interval '25 hours', null),
      ('locked', 9, now() - interval '25 hours', now() + interval '1 minute')`)
    await add(`insert into account_tokens (kind, token_hash, email, role, expires_at) values
      ('reset', 'a', 'old', 'user', now() - interval '1 minute'), ('reset', 'b', 'new', 'user', now() + interval '1 minute')`)
    await new Retention(opened, 30, (error) => assert.fail(`unexpected: ${error}`)).sweep()
    const left = async (query: string) => {
      const result = await db.execute(sql.raw(query))
      return (result as unknown as { rows: { value: string }[] }).rows.map(({ value }) => value)
    }
    assert.deepEqual(await left('select event as value from audit_events order by id'), [
      '1',
      '6',
      '8',
      '29',
      '31',
      '364',
    ])
    assert.deepEqual(await left('select user_agent as value from sessions order by id'), [
      'used 1',
      'idle 1',
      'used 6',
      'idle 6',
      'used 8',
      'used 29',
    ])
    assert.deepEqual(await left("select convert_from(subject, 'utf8') as value from guesses order by 1"), [
      'locked',
      'new',
    ])
    assert.deepEqual(await left('select email as value from account_tokens'), ['new'])
  })
})

withDatabase('more rows than fit into one portion are deleted too', async (database) => {
  await lookInto(database, async (opened) => {
    await opened.db.execute(sql`insert into deliveries (webhook_id, body, headers, ip, reactions, received_at)
      select 1, '{}', '{}', '127.0.0.1', 0, now() - make_interval(days => 40) from generate_series(1, 12000)`)
    await new Retention(opened, 30, (error) => assert.fail(`unexpected: ${error}`)).sweep()
    const result = await opened.db.execute(sql`select count(*)::int as left from deliveries`)
    assert.deepEqual((result as unknown as { rows: unknown[] }).rows, [{ left: 0 }])
  })
})
