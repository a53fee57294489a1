import assert from 'node:assert/strict'
import { type ApiAnswer, signedHeaders } from '../../test/client.ts'
import { administratorKey } from '../../test/environment.ts'
import { makeReaction } from '../../test/reaction.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendBytes, sendOnWire, type WireAnswer } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'
import { type ErrorCode, errorStatus } from '../base/errors.ts'

const keys = '/api/v2/api/key'

/** The shape of every error, from any part of the service. */
function assertError(answer: ApiAnswer | WireAnswer, code: ErrorCode, what: string): void {
  assert.equal(answer.status, errorStatus[code], `${what}: ${JSON.stringify(answer.body)}`)
  const { headers, body } = answer
  const type = headers instanceof Headers ? headers.get('content-type') : headers['content-type']
  assert.match(type ?? '', /^application\/json/, what)
  assert.equal(body.code, code, what)
  assert.match(body.error, /^[A-Z].*\.$/s, what)
  assert.match(body.request_id, /^[\w-]{8,}$/, what)
  const fields = Object.keys(body).filter((name) => name !== 'details')
  assert.deepEqual(fields, ['error', 'code', 'request_id'], what)
  assert.doesNotMatch(JSON.stringify(body), /node_modules|\.ts:\d|select |insert |stack/i, what)
}

withService('each code comes with its status, in the one shape', async (service) => {
  const webhook = await makeWebhook(service)
  const safe = await makeWebhook(service, { is_safe: true, has_key: 'password' })
  const off = await makeWebhook(service, { status: 'INACTIVE' })
  const used = await makeReaction(service, '')
  const reaction = '/api/v2/strategy/reaction/code'
  const tooLarge = 'x'.repeat(1024 * 1024)
  const cases: [ErrorCode, Promise<ApiAnswer>][] = [
    ['request_invalid', service.api('POST', keys, {})],
    ['request_invalid', service.api('GET', `${keys}?page=0`)],
    ['request_invalid', service.api('GET', '/api/v2/webhook/data/abc')],
    ['request_invalid', service.api('POST', keys, [])],
    ['request_invalid', service.api('POST', keys)],
    ['request_malformed', service.api('POST', keys, '{')],
    ['request_malformed', webhook.post('{')],
    ['code_forbidden_identifier', service.api('POST', reaction, { code: 'eval("1")' })],
    ['code_too_large', service.api('POST', reaction, { code: ' '.repeat(300 * 1024) })],
    ['exchange_chain_missing', service.api('GET', '/api/v2/exchange/dex')],
    ['auth_missing', service.send('GET', keys)],
    ['auth_invalid', service.as({ key: 'unknown', secret: 'x' }).api('GET', keys)],
    [
      'auth_timestamp',
      service.send('GET', keys, { headers: signedHeaders(administratorKey, 'GET', keys, '', 1) }),
    ],
    ['webhook_key', safe.post({})],
    ['webhook_inactive', off.post({})],
    ['resource_not_found', service.api('GET', '/api/v2/webhook/data/987654321')],
    ['route_not_found', service.send('GET', '/nothing/here')],
    ['route_not_found', service.send('GET', '/api/v2/nothing')],
    ['route_not_found', service.send('POST', '/health/live')],
    ['route_not_found', service.send('PATCH', keys)],
    ['route_not_found', service.send('GET', webhook.path)],
    ['webhook_not_found', service.send('POST', '/data-webhook/unknown', { body: {} })],
    ['resource_in_use', service.api('DELETE', `/api/v2/webhook/data/${used.webhookId}`)],
    ['body_too_large', service.api('POST', keys, { name: tooLarge })],
    ['body_not_json', service.send('POST', keys, { body: '{}', headers: { 'content-type': 'text/plain' } })],
    ['body_not_json', webhook.post('{}', { 'content-type': 'text/plain' })],
  ]
  for (const [index, [code, answer]] of cases.entries())
    assertError(await answer, code, `case ${index} (${code})`)
})

withService('a refusal of the router has the shape of every error', async (service) => {
  const addresses: [ErrorCode, string][] = [
    ['request_malformed', '/api/v2/webhook/data/%'],
    ['request_malformed', '/api/v2/webhook/data/%zz'],
    ['request_malformed', '/api/v2/webhook/data/%ff'],
    ['request_malformed', '/data-webhook/%c3'],
    ['request_malformed', '/%ff'],
    ['route_not_found', `/api/v2/webhook/data/${'1'.repeat(501)}`],
    ['route_not_found', '//'],
    ['route_not_found', '/api/v2/webhook/../../x'],
    ['route_not_found', '/api/v2/webhook/data/1/'],
    ['route_not_found', '/%00'],
  ]
  for (const [code, target] of addresses) {
    assertError(await sendOnWire(service.url, { target }), code, target)
  }
})

withService('the answer to invalid HTTP has the shape of every error', async (service) => {
  const requests: [what: string, bytes: string | Buffer][] = [
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['bytes that no address has', Buffer.from('GET /é HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a length that is none', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a query of 20 KB', `GET /?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a header of 20 KB', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`],
    [
      'a broken chunk',
      `POST ${keys} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ]
  for (const [what, bytes] of requests) {
    assertError(await sendBytes(service.url, Buffer.from(bytes)), 'request_malformed', what)
  }
})

withService('every field that is wrong is listed, by its path', async (service) => {
  const fieldsOf = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, body)
    assertError(answer, 'request_invalid', path)
    for (const { message } of answer.body.details) assert.equal(typeof message, 'string')
    return [...new Set(answer.body.details.map(({ field }: { field: string }) => field))].toSorted()
  }
  assert.deepEqual(await fieldsOf('POST', keys, {}), ['body.algorithm', 'body.name'])
  const wrong = { name: 1, description: [], is_safe: 'yes', key_from: 'body', status: 'on', has_key: {} }
  assert.deepEqual(
    await fieldsOf('POST', '/api/v2/webhook/data', wrong),
    Object.keys(wrong)
      .map((name) => `body.${name}`)
      .toSorted(),
  )
  assert.deepEqual(await fieldsOf('GET', `${keys}?page=0&limit=201`), [
    'querystring.limit',
    'querystring.page',
  ])
  assert.deepEqual(await fieldsOf('GET', '/api/v2/webhook/data/0'), ['params.id'])
  assert.deepEqual(await fieldsOf('POST', '/api/v2/webhook/data', { name: 'a\0b', description: '\ud800' }), [
    'body.description',
    'body.name',
  ])
})

withService('each answer that fails has a request id of its own', async (service) => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.send('GET', '/nothing')))
  assert.equal(new Set(answers.map(({ body }) => body.request_id)).size, 10)
  const chosen = await service.send('GET', '/nothing', { headers: { 'request-id': 'mine' } })
  assert.notEqual(chosen.body.request_id, 'mine')
})

withService('a HEAD that fails has the status of its GET, and no body', async (service) => {
  const answer = await sendOnWire(service.url, { method: 'HEAD', target: keys })
  assert.equal(answer.status, 401)
  assert.equal(answer.body, '')
})
