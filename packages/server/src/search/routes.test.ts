import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { withAccount } from '../../test/with-service.ts'
import { searchSql } from './search.ts'

const find = (client: Client, q: string) =>
  expect(200, client.api('GET', `/api/v2/search?${new URLSearchParams({ q })}`))
const make = async (account: Client, path: string, body: object): Promise<number> =>
  (await expect(201, account.api('POST', `/api/v2${path}`, body))).id

const dexId = async (account: Client): Promise<number> =>
  (await expect(200, account.api('GET', '/api/v2/exchange/dex/1')))[0].id

/** The kinds with hits, and the ids of these. */
const hitsOf = (found: Record<string, { id: number }[]>) =>
  Object.fromEntries(
    Object.entries(found)
      .filter(([kind, hits]) => kind !== 'more' && hits.length > 0)
      .map(([kind, hits]) => [kind, hits.map(({ id }) => id)]),
  )

withAccount('each kind is found by name, description and id, by its owner only', async (account, other) => {
  const folder = await make(account, '/strategy/code/folder', { name: 'Größe folder' })
  const made = {
    strategies: [
      await make(account, '/strategy/code', { name: 'My größe', code: 'Grösse' }),
      await make(account, '/strategy/reaction/llm', { name: 'GRÖßE too' }),
    ],
    data_webhooks: [await make(account, '/webhook/data', { name: 'In', description: 'for größe' })],
    bot_webhooks: [await make(account, '/webhook/bot', { name: 'größe' })],
    bots: [await make(account, '/bot/signal/cex', { name: 'größe', exchange_id: 2 })],
    bots_without_venue: [
      await make(account, '/bot/signal/prediction', { name: 'größe', exchange_id: 15 }),
      await make(account, '/bot/signal/dex', { name: 'Größe', exchange_id: await dexId(account) }),
    ],
    folders: [folder],
    api_keys: [await make(account, '/api/key', { name: 'größe', algorithm: 'HMAC' })],
    notification_endpoints: [
      await make(account, '/notification/endpoint', {
        url: 'https://example.com/hook',
        description: 'größe',
        events: ['signal.created'],
      }),
    ],
  }
  await make(account, '/env', { name: 'SIZE', value: 'größe' })
  await make(account, '/strategy/code', { name: 'Other', code: 'größe' })
  assert.deepEqual(hitsOf(await find(account, 'GRÖßE')), made)
  const { strategies, more } = await find(account, 'my GRÖ')
  assert.deepEqual(strategies, [
    { id: made.strategies[0], type: 'code-strategy', name: 'My größe', text: null },
  ])
  assert.deepEqual(more, [])
  const variables = (await find(account, 'size')).variables
  assert.deepEqual(Object.keys(variables[0]), ['id', 'type', 'name', 'text'])
  const byId = await find(account, String(made.strategies[1]))
  assert.ok(byId.strategies.some(({ id }: { id: number }) => id === made.strategies[1]))
  assert.deepEqual(hitsOf(await find(other, 'größe')), {})
  for (const id of [...made.strategies, ...made.bots]) {
    // The other user has an API key, which may have the same number.
    const { api_keys: _, ...others } = hitsOf(await find(other, String(id)))
    assert.deepEqual(others, {})
  }
})

withAccount('every character stands for itself', async (account) => {
  const names = ['100% sure', 'a_b', 'a\\b', "it's", 'a.b*', '$2', '<b>', '\u202ehidden']
  for (const name of names) await make(account, '/strategy/code', { name })
  for (const [q, name] of [
    ['%', '100% sure'],
    ['_', 'a_b'],
    ['\\', 'a\\b'],
    ["'", "it's"],
    ['.b*', 'a.b*'],
    ['$2', '$2'],
    ['<b', '<b>'],
    ['\u202e', '\u202ehidden'],
  ] as const) {
    const { strategies } = await find(account, q)
    assert.deepEqual(
      strategies.map((hit: { name: string }) => hit.name),
      [name],
      q,
    )
  }
  assert.deepEqual(hitsOf(await find(account, '99999999999999999999999999')), {})
})

withAccount('there are at most 20 hits of a kind, and the answer says if there are more', async (account) => {
  const ids: number[] = []
  for (let n = 0; n < 21; n++) ids.push(await make(account, '/webhook/data', { name: `many ${n}` }))
  const found = await find(account, 'MANY')
  assert.deepEqual(hitsOf(found), { data_webhooks: ids.slice(0, 20) })
  assert.deepEqual(found.more, ['data_webhooks'])
})

withAccount('a text that is empty, too long or impossible is named', async (account) => {
  for (const query of ['', '?q=', `?q=${'x'.repeat(101)}`, '?q=a%00b']) {
    const { code, details } = await expect(400, account.api('GET', `/api/v2/search${query}`))
    assert.equal(code, 'request_invalid')
    assert.equal(details[0].field, 'querystring.q', query)
  }
  assert.deepEqual(hitsOf(await find(account, 'x'.repeat(100))), {})
})

withDatabase('a search reads only rows of its user, however many others have', async (place) => {
  const { db } = await place.open()
  const many = 'from generate_series(1, 20000) i'
  for (const statement of [
    `insert into users (email, password_hash, role) select i || '@example.com', '', 'user' from generate_series(1, 2) i`,
    `insert into strategies (user_id, type, name, code)
      select case when i % 1000 = 0 then 2 else 1 end, 'code-strategy', 'name ' || i, '' ${many}`,
    'analyze',
  ]) {
    await db.execute(sql.raw(statement))
  }
  const plan = await db.transaction(async (tx) => {
    await tx.execute(sql`set local plan_cache_mode = force_generic_plan`)
    await tx.execute(sql.raw(`prepare kept (bigint, text) as ${searchSql('')}`))
    const { rows } = (await tx.execute(
      sql.raw(`explain (analyze, costs off, timing off) execute kept (2, 'name 19')`),
    )) as unknown as { rows: Record<string, string>[] }
    await tx.execute(sql`deallocate kept`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  assert.doesNotMatch(plan, /Seq Scan on strategies/)
  const read = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) => Number(rows))
  assert.ok(Math.max(0, ...read) <= 20, plan)
})
