import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withService } from '../../test/with-service.ts'

const path = '/api/v2/webhook/data'

withService('a webhook can be created with defaults only', async (service) => {
  const { resource } = await makeWebhook(service)
  const { id, name, url, created_at, updated_at, ...rest } = resource
  assert.match(name, /^\w+ \w+$/)
  assert.deepEqual(rest, {
    description: '',
    is_safe: false,
    key_from: 'header',
    content_type: 'json',
    allow_from: [],
    has_key: false,
    status: 'ACTIVE',
  })
  assert.ok(Number.isSafeInteger(id))
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/data-webhook\/[\w-]{43}$/)
  assert.equal(created_at, updated_at)
  assert.deepEqual(await expect(200, service.api('GET', `${path}/${id}`)), resource)
})

withService('settings are stored, and a change keeps the fields that it omits', async (service) => {
  const settings = {
    name: 'Alerts 💹',
    description: 'x'.repeat(255),
    is_safe: true,
    has_key: 'password',
    key_from: 'header_or_body',
    content_type: 'any',
    allow_from: ['192.0.2.0/24'],
    status: 'INACTIVE',
  }
  const webhook = await makeWebhook(service, settings)
  const { url, id, created_at } = webhook.resource
  const shown = { ...settings, has_key: true, id, url, created_at }
  const read = async () => {
    const { updated_at, ...rest } = await expect(200, service.api('GET', `${path}/${id}`))
    assert.ok(Date.parse(updated_at) >= Date.parse(created_at))
    return rest
  }
  assert.deepEqual(await read(), shown)
  await webhook.change({})
  assert.deepEqual(await read(), shown)
  await webhook.change({ name: '' })
  assert.deepEqual(await read(), { ...shown, name: '' })
  // A client may send back what it has read.
  await webhook.change(await read())
  assert.deepEqual(await read(), { ...shown, name: '' })
  await webhook.change({ status: 'ACTIVE', allow_from: [] })
  assert.equal((await webhook.post({}, { 'x-key': 'password' })).status, 202)
})

withService('name and description have at most 255 characters', async (service) => {
  for (const field of ['name', 'description']) {
    await makeWebhook(service, { [field]: '💩'.repeat(255) })
    for (const value of ['x'.repeat(256), null, 1, ['x']]) {
      const { status, body } = await service.api('POST', path, { [field]: value })
      assert.equal(status, 400)
      assert.equal(body.details[0].field, `body.${field}`)
    }
  }
})

withService('id and URL are generated, and a request cannot set them', async (service) => {
  const claim = { id: 1, url: 'http://example.com/data-webhook/mine', created_at: '1970-01-01T00:00:00Z' }
  const { resource } = await makeWebhook(service, claim)
  for (const [name, value] of Object.entries(claim)) assert.notEqual(resource[name], value, name)
  const { details } = await expect(400, service.api('POST', path, { user_id: 99 }))
  assert.equal(details[0].field, 'body.user_id')
})

withService('lists are plain arrays in order of id, or pages with the total', async (service) => {
  const made = []
  for (let n = 0; n < 3; n++) made.push((await makeWebhook(service)).id)
  const all: { id: number }[] = await expect(200, service.api('GET', path))
  const ids = all.map(({ id }) => id)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
  assert.deepEqual(ids.slice(-3), made)
  const total = ids.length
  const page = async (query: string) => {
    const { items, ...rest } = await expect(200, service.api('GET', `${path}?${query}`))
    return { ids: items.map(({ id }: { id: number }) => id), ...rest }
  }
  assert.deepEqual(await page('limit=2'), { ids: ids.slice(0, 2), total, page: 1, limit: 2 })
  assert.deepEqual(await page('page=2&limit=2'), { ids: ids.slice(2, 4), total, page: 2, limit: 2 })
  assert.deepEqual(await page('page=1'), { ids: ids.slice(0, 50), total, page: 1, limit: 50 })
  assert.deepEqual(await page('page=1000000&limit=200'), { ids: [], total, page: 1_000_000, limit: 200 })
})

test('the URL starts with the configured public address', async () => {
  const env = { PUBLIC_URL: 'https://trading.example.com', ROLES: 'api' }
  await using service = await startService({ env })
  const { resource, urlId } = await makeWebhook(service)
  assert.equal(resource.url, `https://trading.example.com/data-webhook/${urlId}`)
})
