import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withGroup } from '../../test/group.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'

const path = '/api/v2/test-payload'

withGroup('a payload is kept under a name, and only its owner sees it', async ({ owner, guest }) => {
  const webhook = await makeWebhook(owner)
  const text = '{"price": 64000.10,\n "n": 1e400}'
  const { id: deliveryId } = await expect(202, webhook.post(text, { 'content-type': 'application/json' }))
  const made = await expect(201, owner.api('POST', path, { name: 'A breakout', delivery_id: deliveryId }))
  assert.deepEqual([made.webhook_id, made.name, made.body], [webhook.id, 'A breakout', text])
  assert.equal(made.headers['content-type'], 'application/json')
  assert.equal(made.ip, '127.0.0.1')
  const typed = { name: 'Typed', webhook_id: webhook.id, body: '{"a":1.10}' }
  const own = await expect(201, owner.api('POST', path, typed))
  assert.partialDeepStrictEqual(own, { ...typed, headers: null, ip: null })

  assert.deepEqual(await expect(200, owner.api('GET', `${path}/${made.id}`)), made)
  const listed = await expect(200, owner.api('GET', `${path}?webhook_id=${webhook.id}`))
  assert.deepEqual(
    listed.map(({ name, body }: { name: string; body?: string }) => [name, body]),
    [
      ['A breakout', undefined],
      ['Typed', undefined],
    ],
  )
  const other = await makeWebhook(owner)
  assert.deepEqual(await expect(200, owner.api('GET', `${path}?webhook_id=${other.id}`)), [])

  assert.deepEqual(await expect(200, guest.api('GET', path)), [])
  await expect(404, guest.api('GET', `${path}/${made.id}`))
  await expect(404, guest.api('DELETE', `${path}/${made.id}`))
  await expect(404, guest.api('POST', path, { name: 'Theirs', delivery_id: deliveryId }))
  await expect(404, guest.api('POST', path, { ...typed, name: 'Theirs' }))

  await expect(200, owner.api('DELETE', `${path}/${made.id}`))
  await expect(404, owner.api('GET', `${path}/${made.id}`))
  await expect(200, owner.api('DELETE', `/api/v2/webhook/data/${webhook.id}`))
  assert.deepEqual(await expect(200, owner.api('GET', path)), [], 'it is deleted with its webhook')
})

withGroup('what cannot be kept is refused, and says why', async ({ owner }) => {
  const webhook = await makeWebhook(owner)
  const whole = { name: 'one', webhook_id: webhook.id, body: '1' }
  const refused = async (body: object, status: number, text: RegExp) => {
    const { error } = await expect(status, owner.api('POST', path, body))
    assert.match(error, text)
  }
  await refused({ name: 'one' }, 400, /webhook_id is missing; give it, or `delivery_id`/)
  await refused({ name: 'one', webhook_id: webhook.id }, 400, /body is missing/)
  await refused({ ...whole, delivery_id: 1 }, 400, /delivery_id cannot come with/)
  await refused({ ...whole, body: '{"a":' }, 400, /body must be JSON/)
  await refused({ ...whole, body: `"${'é'.repeat(140_000)}"` }, 400, /at most 256 KB/)
  await refused({ ...whole, name: '' }, 400, /name/)
  await expect(201, owner.api('POST', path, whole))
  await refused(whole, 409, /has a test payload “one” already/)
  // Two at once make one.
  const twice = { ...whole, name: 'two' }
  const answers = await Promise.all([owner.api('POST', path, twice), owner.api('POST', path, twice)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
})

test('a user may keep so many test payloads, and no more', async () => {
  await using service = await startService({ env: { USER_LIMITS: 'test_payloads:1' } })
  const webhook = await makeWebhook(service)
  const make = (name: string) => service.api('POST', path, { name, webhook_id: webhook.id, body: '{}' })
  await expect(201, make('one'))
  const { code } = await expect(409, make('two'))
  assert.equal(code, 'limit_reached')
})
