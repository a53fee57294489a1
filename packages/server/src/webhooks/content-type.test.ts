import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendOnWire } from '../../test/wire.ts'

const jsonTypes = ['application/json', 'Application/JSON;charset=utf-8']
const textTypes = ['text/plain', 'text/plain; charset=utf-8', 'TEXT/PLAIN ;charset="utf-8"']
const otherTypes = [
  ...['text/html', 'text/plainer', 'text', 'text/', 'application/jsonp', 'application/xml', 'x', ';'],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain, application/json'],
]

const kinds = [
  {
    one: 'data webhook',
    path: '/webhook/data',
    make: makeWebhook,
    payload: '{"last": 1}',
    byDefault: 'json',
  },
  {
    one: 'bot webhook',
    path: '/webhook/bot',
    make: makeBotWebhook,
    payload: '{"symbol": "BTCUSDT", "side": "BUY"}',
    byDefault: 'any',
  },
]

/** Posts without a content type, which no HTTP client would do. */
const postUntyped = ({ url }: { url: string }, target: string, body: string) =>
  sendOnWire(url, { method: 'POST', target, body })

for (const { one, path, make, payload, byDefault } of kinds) {
  withSharedAccount(
    `a ${one} with content_type "any" takes JSON as text, and without a type`,
    async (service) => {
      const webhook = await make(service, { content_type: 'any' })
      for (const type of [...jsonTypes, ...textTypes]) {
        assert.equal((await webhook.post(payload, { 'content-type': type })).status, 202, type)
      }
      assert.equal((await postUntyped(service, webhook.path, payload)).status, 202)
      for (const type of otherTypes) {
        const { status, body } = await webhook.post(payload, { 'content-type': type })
        assert.deepEqual([status, body.code], [415, 'body_not_json'], type)
        assert.match(body.error, /application\/json or text\/plain.*content_type/, type)
      }
      // It must be a JSON object all the same.
      for (const text of ['', 'Price crossed 100', '[1]', '"text"']) {
        const { status, body } = await webhook.post(text, { 'content-type': 'text/plain' })
        assert.deepEqual([status, body.code], [400, 'request_malformed'], text)
      }
      const packed = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
      assert.equal((await webhook.post(payload, packed)).status, 415)
    },
  )

  withSharedAccount(
    `a ${one} with content_type "json" refuses text, and the answer names the setting`,
    async (service) => {
      const webhook = await make(service, { content_type: 'json' })
      assert.equal((await webhook.post(payload)).status, 202)
      for (const type of [...textTypes, ...otherTypes]) {
        const { status, body } = await webhook.post(payload, { 'content-type': type })
        assert.deepEqual([status, body.code], [415, 'body_not_json'], type)
        assert.match(body.error, /must be application\/json\..*content_type to "any"/, type)
      }
      assert.equal((await postUntyped(service, webhook.path, payload)).status, 415)
    },
  )

  withSharedAccount(
    `the content_type of a ${one} is "${byDefault}" by default and changes at once`,
    async (service) => {
      const webhook = await make(service)
      assert.equal(webhook.resource.content_type, byDefault)
      const asText = () => webhook.post(payload, { 'content-type': 'text/plain' })
      for (const [type, status] of [
        ['any', 202],
        ['json', 415],
        ['any', 202],
      ] as const) {
        assert.equal((await webhook.change({ content_type: type })).content_type, type)
        assert.equal((await asText()).status, status)
      }
      assert.equal((await webhook.change({ name: 'Other' })).content_type, 'any')
      const own = `/api/v2${path}/${webhook.id}`
      for (const value of ['text', '', null, true, ['any']]) {
        const { status, body } = await service.api('PUT', own, { content_type: value })
        assert.deepEqual([status, body.details[0].field], [400, 'body.content_type'], JSON.stringify(value))
      }
    },
  )
}

withSharedAccount('the key of a post as text may be in its body, and is removed', async (service) => {
  const protection = { is_safe: true, has_key: 'a key', key_from: 'header_or_body' }
  const webhook = await makeWebhook(service, { ...protection, content_type: 'any' })
  const headers = { 'content-type': 'text/plain' }
  assert.equal((await webhook.post('{"key": "wrong", "a": 1}', headers)).status, 401)
  assert.equal((await webhook.post('{"key": "a key", "a": 1}', headers)).status, 202)
  assert.equal((await webhook.deliveries())[0].body, '{ "a": 1}')
})
