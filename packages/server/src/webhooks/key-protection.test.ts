import assert from 'node:assert/strict'
import { lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendOnWire } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'
import { dataWebhooks } from '../db/schema.ts'

const password = 'correct horse battery'
const safe = { is_safe: true, has_key: password }

/** An answer without the parts that differ from request to request. */
const comparable = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
  const { request_id: _, ...rest } = body
  return { status, ...rest }
}

withService('with key protection on, a missing and a wrong key get the same 401', async (service) => {
  const webhook = await makeWebhook(service, safe)
  const missing = await webhook.post({})
  assert.equal(missing.status, 401)
  assert.equal(missing.body.code, 'webhook_key')
  const wrong = [
    'x',
    password.slice(0, -1),
    `${password}x`,
    password.toUpperCase(),
    '',
    '__proto__',
    'x'.repeat(5000),
  ]
  for (const key of wrong) {
    const answer = await webhook.post({}, { 'x-key': key })
    assert.deepEqual(comparable(answer), comparable(missing), key)
  }
  // A key in the body or in the query does not count.
  assert.equal((await webhook.post({ key: password })).status, 401)
  const inQuery = await service.send('POST', `${webhook.path}?key=${encodeURIComponent(password)}`, {
    body: {},
  })
  assert.equal(inQuery.status, 401)
  assert.equal((await webhook.post({}, { authorization: `Bearer ${password}` })).status, 401)
  assert.deepEqual(await webhook.deliveries(), [])

  assert.equal((await webhook.post({}, { 'x-key': password })).status, 202)
  assert.equal((await webhook.post({}, { 'X-KEY': password })).status, 202)
})

withService('two X-Key headers are refused, even if one of them is right', async (service) => {
  const webhook = await makeWebhook(service, safe)
  for (const keys of [
    [password, 'x'],
    ['x', password],
    [password, password],
  ]) {
    const headers = ['Content-Type: application/json', ...keys.map((key) => `X-Key: ${key}`)]
    const answer = await sendOnWire(service.url, {
      method: 'POST',
      target: webhook.path,
      headers,
      body: '{}',
    })
    assert.deepEqual([answer.status, answer.body.code], [400, 'request_malformed'])
  }
})

withService(
  'a password may have any letters, and senders may encode the header as UTF-8 or Latin-1',
  async (service) => {
    const webhook = await makeWebhook(service, { is_safe: true, has_key: 'Schlüssel' })
    for (const encoding of ['utf8', 'latin1'] as const) {
      const key = Buffer.from('Schlüssel', encoding).toString('latin1')
      assert.equal((await webhook.post({}, { 'x-key': key })).status, 202, encoding)
    }
    const other = await makeWebhook(service, { is_safe: true, has_key: '密码' })
    const key = Buffer.from('密码').toString('latin1')
    assert.equal((await other.post({}, { 'x-key': key })).status, 202)
    assert.equal((await other.post({}, { 'x-key': 'å¯ç ' })).status, 401)
  },
)

withService('without key protection, a key is neither required nor checked', async (service) => {
  const webhook = await makeWebhook(service, { has_key: password })
  assert.equal(webhook.resource.has_key, true)
  assert.equal((await webhook.post({})).status, 202)
  assert.equal((await webhook.post({}, { 'x-key': 'wrong' })).status, 202)
})

withService(
  'header_or_body accepts the key in either place, and refuses a wrong one in the same way',
  async (service) => {
    const webhook = await makeWebhook(service, { ...safe, key_from: 'header_or_body' })
    const missing = await webhook.post({ a: 1 })
    assert.equal(missing.status, 401)
    const wrong: unknown[] = ['x', '', null, 1, true, [password], { key: password }, ` ${password}`]
    for (const key of wrong) {
      assert.deepEqual(comparable(await webhook.post({ key })), comparable(missing), JSON.stringify(key))
    }
    assert.equal((await webhook.post({ a: { key: password } })).status, 401)
    assert.equal((await webhook.post({ KEY: password })).status, 401)
    assert.deepEqual(await webhook.deliveries(), [])

    assert.equal((await webhook.post({ key: password })).status, 202)
    assert.equal((await webhook.post({}, { 'x-key': password })).status, 202)
    assert.equal((await webhook.post({ key: 'wrong' }, { 'x-key': password })).status, 202)
    assert.equal((await webhook.post({ key: password }, { 'x-key': 'wrong' })).status, 202)
  },
)

withService('a key in the body is removed before the payload is stored or forwarded', async (service) => {
  const reaction = await makeReaction(service, 'await $.Storage.set($.Request)')
  const own = `/api/v2/webhook/data/${reaction.webhookId}`
  await expect(200, service.api('PUT', own, { ...safe, key_from: 'header_or_body' }))
  const sent = `{ "price" : 1.50,\n"k\\u0065y": "${password}", "key":"${password}", "note":{"key":"stays"} }`
  const stored = `{ "price" : 1.50, "note":{"key":"stays"} }`

  const { id } = await expect(202, reaction.post(sent))
  const delivery = await expect(200, service.api('GET', `/api/v2/delivery/${id}`))
  assert.equal(delivery.body, stored)
  await reaction.ended(1)
  assert.equal((await reaction.read()).storage.data, stored)

  const replay = await service.api('POST', `/api/v2/delivery/${id}/replay`)
  assert.equal(replay.status, 202)
  await reaction.ended(2)
  assert.equal((await reaction.read()).storage.data, stored)
})

withService('with header only, a key in the body is ordinary data', async (service) => {
  const webhook = await makeWebhook(service, safe)
  const text = '{"key":"data"}'
  assert.equal((await webhook.post(text, { 'x-key': password })).status, 202)
  assert.equal((await webhook.deliveries())[0].body, text)
})

withService('key protection cannot be switched on without a password', async (service) => {
  const refused = await service.api('POST', '/api/v2/webhook/data', { is_safe: true })
  assert.equal(refused.status, 400)
  assert.deepEqual(
    refused.body.details.map(({ field }: { field: string }) => field),
    ['body.has_key'],
  )
  const webhook = await makeWebhook(service)
  const own = `/api/v2/webhook/data/${webhook.id}`
  for (const settings of [
    { is_safe: true },
    { is_safe: true, has_key: true },
    { is_safe: true, has_key: '' },
  ]) {
    assert.equal((await service.api('PUT', own, settings)).status, 400, JSON.stringify(settings))
  }
  assert.equal((await webhook.change(safe)).is_safe, true)
  assert.equal((await webhook.change({ is_safe: false })).has_key, true)
  assert.equal((await webhook.change({ is_safe: true })).is_safe, true)
})

withService('no answer shows a password', async (service) => {
  const webhook = await makeWebhook(service, safe)
  const answers = [
    webhook.resource,
    await webhook.change({ has_key: `${password}!` }),
    await expect(200, service.api('GET', `/api/v2/webhook/data/${webhook.id}`)),
    await expect(200, service.api('GET', '/api/v2/webhook/data')),
    (await webhook.post({}, { 'x-key': password })).body,
  ]
  assert.ok(!JSON.stringify(answers).includes(password))
  assert.equal(answers[2].has_key, true)
})

withDatabase('the database contains neither a password nor the secret of a URL', async (database) => {
  let urlId: string
  {
    await using service = await startService({ database })
    const webhook = await makeWebhook(service, { ...safe, key_from: 'header_or_body' })
    assert.equal((await webhook.post({ key: password, a: 1 }, { 'x-key': password })).status, 202)
    urlId = webhook.urlId
  }
  const rows = await lookInto(database, async ({ db }) => {
    const tables = ['data_webhooks', 'deliveries', 'runs', 'idempotency_keys']
    const dumps = await Promise.all(tables.map((table) => db.execute(`select t::text from ${table} t`)))
    const [webhook] = await db.select().from(dataWebhooks)
    return JSON.stringify(dumps) + webhook!.urlSecret.toString('latin1')
  })
  for (const secret of [password, urlId]) {
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      assert.ok(!rows.includes(Buffer.from(secret).toString(encoding)), encoding)
    }
  }
})
