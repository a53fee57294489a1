import assert from 'node:assert/strict'
import { withProvider } from '../../test/ai/service.ts'
import { says } from '../../test/ai/stand-in.ts'
import { expect } from '../../test/reaction.ts'
import { DatabaseBudgets } from './database-budgets.ts'

const path = '/api/v2/strategy/reaction/llm'

withProvider('a budget shows what was spent and what is reserved, until midnight', async (given) => {
  const { account, other, provider, database } = given
  const { id } = await expect(
    201,
    account.api('POST', path, { name: 'Reads', tokens_per_day: 50_000, actions_per_day: 3 }),
  )
  const budget = () => expect(200, account.api('GET', `${path}/${id}/budget`))
  const fresh = await budget()
  const day = fresh.day as string
  assert.deepEqual(fresh, {
    strategy_id: id,
    name: 'Reads',
    connection_id: null,
    day,
    renews_at: new Date(Date.parse(day) + 86_400_000).toISOString(),
    tokens: { limit: 50_000, spent: 0, left: 50_000 },
    actions: { limit: 3, spent: 0, left: 3 },
  })

  // A test run of a saved reaction asks the real model, so its tokens count.
  given.setModel(says())
  const { serviceId: service_id, model } = provider.access(false)
  const access = { service_id, model, base_url: provider.baseUrl, api_key: provider.key, streaming: false }
  const connection = await expect(201, account.api('POST', '/api/v2/api/llm', access))
  await expect(200, account.api('PUT', `${path}/${id}`, { prompt: 'Decide', connection_id: connection.id }))
  assert.equal((await expect(200, account.api('POST', `${path}/${id}/test`, {}))).status, 'SUCCEEDED')
  const { tokens } = await budget()
  assert.ok(tokens.spent > 0, JSON.stringify(tokens))
  assert.equal(tokens.left, 50_000 - tokens.spent)

  const store = new DatabaseBudgets(await database.open())
  const key = `${id} ${day}`
  const reserved = { tokens: 40_000, actions: 2 }
  assert.ok(await store.reserve(key, reserved, { tokens: 50_000, actions: 3 }))
  const under = await budget()
  assert.deepEqual(under.tokens.spent, tokens.spent + 40_000)
  assert.deepEqual(under.actions, { limit: 3, spent: 2, left: 1 })
  // Another day has a budget of its own, and a limit that was lowered leaves nothing.
  assert.ok(await store.reserve(`${id} 2026-01-01`, reserved, reserved))
  await expect(200, account.api('PUT', `${path}/${id}`, { tokens_per_day: 10, actions_per_day: 1 }))
  const lowered = await budget()
  assert.deepEqual([lowered.tokens.left, lowered.actions], [0, { limit: 1, spent: 2, left: 0 }])

  assert.deepEqual(await expect(200, account.api('GET', `${path}/budget`)), [lowered])
  const second = await expect(201, account.api('POST', path, {}))
  const page = (query: string, client = account) => expect(200, client.api('GET', `${path}/budget?${query}`))
  const all = await page('page=2&limit=1')
  assert.deepEqual([all.total, all.items[0].strategy_id], [2, second.id])
  const own = await page(`page=1&connection_id=${connection.id}`)
  assert.deepEqual([own.total, own.items], [1, [lowered]])

  // To another user, none of this exists.
  assert.deepEqual(await page(`connection_id=${connection.id}`, other), [])
  const theirs = await expect(404, other.api('GET', `${path}/${id}/budget`))
  const none = await expect(404, other.api('GET', `${path}/999999999/budget`))
  assert.equal(theirs.error.replace(String(id), 'N'), none.error.replace('999999999', 'N'))
  const code = await expect(201, account.api('POST', '/api/v2/strategy/code', {}))
  await expect(404, account.api('GET', `${path}/${code.id}/budget`))
})
