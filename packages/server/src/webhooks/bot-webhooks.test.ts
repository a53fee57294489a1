import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../../test/accounts.ts'
import { createDatabase } from '../../test/backups.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withAccount, withService } from '../../test/with-service.ts'
import { DatabaseClient } from '../db/database-client.ts'
import { knownMigrations } from '../db/migrations.ts'

const path = '/api/v2/webhook/bot'
const buy = { symbol: 'BTCUSDT', side: 'BUY' }

withService('a bot webhook has the fields of a data webhook, a format, and its own URL', async (service) => {
  const { resource } = await makeBotWebhook(service)
  const data = (await makeWebhook(service)).resource
  assert.deepEqual(
    Object.keys(resource).filter((field) => field !== 'format'),
    Object.keys(data),
  )
  const { id, name, url, created_at, updated_at, ...rest } = resource
  assert.match(name, /^\w+ \w+$/)
  assert.deepEqual(rest, {
    description: '',
    is_safe: false,
    key_from: 'header_or_body',
    content_type: 'any',
    allow_from: [],
    format: 'tickwright',
    has_key: false,
    status: 'ACTIVE',
  })
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/webhook\/[\w-]{43}$/)
  assert.equal(created_at, updated_at)
  assert.deepEqual(await expect(200, service.api('GET', `${path}/${id}`)), resource)
})

withAccount(
  'listing, changing, switching and deleting bot webhooks does not affect data webhooks',
  async (account) => {
    await makeWebhook(account)
    const first = await makeBotWebhook(account, { name: 'Alerts', description: 'from charts' })
    const second = await makeBotWebhook(account, { is_safe: true, has_key: 'password' })
    assert.deepEqual(await expect(200, account.api('GET', path)), [first.resource, second.resource])
    const page = await expect(200, account.api('GET', `${path}?limit=1&page=2`))
    assert.deepEqual(page, { items: [second.resource], total: 2, page: 2, limit: 1 })

    const changed = await first.change({ name: 'Charts' })
    const { updated_at } = changed
    assert.deepEqual(changed, { ...first.resource, name: 'Charts', updated_at, message: 'Success' })
    await expect(400, account.api('PUT', first.own, { is_safe: true }))
    await expect(200, account.api('PUT', `${first.own}/status`, { status: 'INACTIVE' }))
    assert.equal((await expect(200, account.api('GET', first.own))).status, 'INACTIVE')
    assert.equal((await first.post(buy)).status, 403)

    await expect(200, account.api('DELETE', second.own))
    assert.equal((await second.post({ ...buy, key: 'password' })).status, 404)
    assert.equal((await account.api('DELETE', second.own)).status, 404)
    assert.equal((await expect(200, account.api('GET', '/api/v2/webhook/data'))).length, 1)
  },
)

withAccount('a URL leads only to a webhook of its own kind', async (account) => {
  const bots = await makeBotWebhook(account)
  const data = await makeWebhook(account)
  const at = (where: string, webhook: { path: string }) => `${where}/${webhook.path.split('/').at(-1)}`
  assert.equal((await account.send('POST', at('/data-webhook', bots), { body: buy })).status, 404)
  assert.equal((await account.send('POST', at('/webhook', data), { body: buy })).status, 404)
})

withAccount(
  'a webhook that bots or strategies use is not deleted, and the answer names them',
  async (account) => {
    const webhook = await makeBotWebhook(account)
    const bot = await webhook.addBot({ name: 'follower' })
    const settings = { name: 'sender', webhook_id: webhook.id }
    const strategy = await expect(201, account.api('POST', '/api/v2/strategy/code', settings))
    const reaction = await expect(201, account.api('POST', '/api/v2/strategy/reaction/code', settings))
    const refused = await expect(409, account.api('DELETE', webhook.own))
    assert.equal(refused.code, 'resource_in_use')
    assert.deepEqual(refused.details, [
      { message: `signal bot ${bot.id}`, id: bot.id, name: 'follower' },
      { message: `code strategy ${strategy.id}`, id: strategy.id, name: 'sender' },
      { message: `code reaction ${reaction.id}`, id: reaction.id, name: 'sender' },
    ])
    assert.match(refused.error, new RegExp(`signal bot ${bot.id} \\(follower\\)`))
    assert.equal((await webhook.post(buy)).status, 202)

    await expect(200, account.api('PUT', bot.own, { webhook_id: null }))
    await expect(200, account.api('PUT', `/api/v2/strategy/code/${strategy.id}`, { webhook_id: null }))
    assert.equal((await expect(409, account.api('DELETE', webhook.own))).details.length, 1)
    await expect(200, account.api('DELETE', `/api/v2/strategy/reaction/code/${reaction.id}`))
    await expect(200, account.api('DELETE', webhook.own))
    // The signals of a deleted webhook stay in the record.
    assert.equal((await webhook.signals()).length, 1)
  },
)

withAccount(
  'after attaching and deleting at once, nothing is attached to a deleted webhook',
  async (account) => {
    for (let round = 0; round < 10; round++) {
      const webhook = await makeBotWebhook(account)
      const attach = { webhook_id: webhook.id }
      const [made, deleted] = await Promise.all([
        account.api('POST', '/api/v2/strategy/code', attach),
        account.api('DELETE', webhook.own),
      ])
      const pair = [made.status, deleted.status].join()
      assert.ok(pair === '201,409' || pair === '400,200', pair)
    }
  },
)

withDatabase('a bot webhook of another user gets the same answer as none', async (database) => {
  const key = await addUser(database, 'other@example.com')
  await using service = await startService({ database, env: { ROLES: 'api' } })
  const other = service.as(key)
  const webhook = await makeBotWebhook(service)
  await expect(202, webhook.post(buy))
  const asked = (client: Client, id: number) => [
    client.api('GET', `${path}/${id}`),
    client.api('PUT', `${path}/${id}`, { name: 'taken over' }),
    client.api('PUT', `${path}/${id}/status`, { status: 'INACTIVE' }),
    client.api('DELETE', `${path}/${id}`),
    client.api('POST', '/api/v2/strategy/code', { webhook_id: id }),
    client.api('POST', '/api/v2/strategy/reaction/code', { webhook_id: id }),
  ]
  const comparable = ({ status, body }: ApiAnswer) => {
    const { request_id: _, ...rest } = body
    return { status, text: JSON.stringify(rest).replaceAll(/\d+/g, 'ID') }
  }
  const theirs = await Promise.all(asked(other, webhook.id))
  const nobodys = await Promise.all(asked(service, 987_654))
  assert.deepEqual(theirs.map(comparable), nobodys.map(comparable))
  assert.deepEqual(
    theirs.map(({ status }) => status),
    [404, 404, 404, 404, 400, 400],
  )
  assert.deepEqual(await expect(200, other.api('GET', path)), [])
  assert.deepEqual(await expect(200, other.api('GET', `/api/v2/signal?webhook_id=${webhook.id}`)), [])
  assert.deepEqual(await expect(200, service.api('GET', webhook.own)), webhook.resource)
})

withDatabase('a change on any node applies at once on every node', async (database) => {
  await using one = await startService({ database, env: { ROLES: 'api' } })
  await using other = await startService({ database, env: { ROLES: 'api' } })
  const steps: [change: Record<string, unknown>, payload: Record<string, unknown>, status: number][] = [
    [{}, {}, 202],
    [{ status: 'INACTIVE' }, {}, 403],
    [{ status: 'ACTIVE', is_safe: true, has_key: 'first' }, {}, 401],
    [{}, { key: 'first' }, 202],
    [{ has_key: 'second' }, { key: 'first' }, 401],
    [{ key_from: 'header' }, { key: 'second' }, 401],
    [{ name: 'renamed' }, { key: 'second' }, 401],
    [{ is_safe: false }, {}, 202],
  ]
  for (let round = 1; round <= 5; round++) {
    const webhook = await makeBotWebhook(one)
    for (const [index, [change, payload, status]] of steps.entries()) {
      await webhook.change(change)
      const answer = await other.send('POST', webhook.path, { body: { ...buy, ...payload } })
      assert.equal(answer.status, status, `step ${index}: ${JSON.stringify(answer.body)}`)
    }
  }
})

test('bot webhooks from before take the key in the body too, and data webhooks do not', async () => {
  await using database = await createDatabase('nothing')
  await using client = await DatabaseClient.open(database.url)
  const before = knownMigrations().findIndex(({ name }) => name.endsWith('_keys_in_the_body_of_signals'))
  await client.whileNobodyMigrates(() => client.migrate(before))
  await database.rows(`insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`)
  for (const table of ['bot_webhooks', 'data_webhooks']) {
    await database.rows(`insert into ${table} (user_id, name, description, key_from, url_hash, url_secret) values
      (1, '', '', 'header', '1', ''), (1, '', '', 'header_or_body', '2', '')`)
  }
  await client.whileNobodyMigrates(() => client.migrate())
  const settings = (table: string) => database.rows(`select key_from, version from ${table} order by id`)
  assert.deepEqual(await settings('bot_webhooks'), [
    // Nodes forget what they know about a webhook when its version rises.
    { key_from: 'header_or_body', version: 2 },
    { key_from: 'header_or_body', version: 1 },
  ])
  assert.deepEqual(await settings('data_webhooks'), [
    { key_from: 'header', version: 1 },
    { key_from: 'header_or_body', version: 1 },
  ])
})
