import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchSend } from '../src/fetch.ts'
import { ApiError, ConnectionError, createApiClient, createClient } from '../src/index.ts'
import { namespaces } from '../src/namespaces.ts'
import { mayRepeat } from '../src/retries.ts'
import { answers, clientOf, dropsConnection, secret, startLoopback } from './loopback.ts'

const unavailable = { error: 'Starting.', code: 'service_unavailable', request_id: 'r-1' }
const limited = { error: 'Too many.', code: 'rate_limited', request_id: 'r-2' }

test('a read is retried after a dropped connection, signed again, with growing waits', async () => {
  await using server = await startLoopback(dropsConnection, dropsConnection, answers(200, []))
  const { exchanges, waits } = clientOf(server.url)
  assert.deepEqual(await exchanges.list(), [])
  assert.equal(server.received.length, 3)
  assert.deepEqual(waits, [125, 250])
})

test('each attempt has a signature of its own time', async () => {
  await using server = await startLoopback(answers(502, {}), answers(200, []))
  let now = 1_700_000_000_999
  const client = createClient({
    baseUrl: server.url,
    apiKey: 'key-1',
    sign: (payload) => payload,
    send: fetchSend(10_000, 'omit'),
    now: () => now,
    retries: {
      most: 1,
      sleep: async () => {
        now += 61_000
      },
    },
  })
  await client.exchanges.cex()
  const signatures = server.received.map(({ headers }) => headers.signature)
  assert.deepEqual(signatures, ['GET/api/v2/exchange/cex1700000000', 'GET/api/v2/exchange/cex1700000061'])
})

test('after the last retry, the caller gets the last outcome', async () => {
  await using server = await startLoopback(dropsConnection)
  const { exchanges, waits } = clientOf(server.url)
  await assert.rejects(exchanges.list(), (error) => {
    assert.ok(error instanceof ConnectionError)
    assert.ok(error.message.startsWith(`No answer from ${server.url}: `), error.message)
    return true
  })
  assert.equal(server.received.length, 3)
  assert.equal(waits.length, 2)
})

test('an incomplete answer counts as none', async () => {
  await using server = await startLoopback(
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('[]', () => response.destroy())
    },
    answers(200, []),
  )
  assert.deepEqual(await clientOf(server.url).exchanges.list(), [])
  assert.equal(server.received.length, 2)
})

test('a service that does not answer in time counts as unreachable', async () => {
  await using server = await startLoopback(() => {})
  const client = createApiClient({
    baseUrl: server.url,
    apiKey: 'key-1',
    apiSecret: secret,
    retries: 0,
    timeoutMs: 50,
  })
  await assert.rejects(client.exchanges.list(), { name: 'ConnectionError', message: /timeout/i })
})

for (const status of [502, 503, 504]) {
  test(`a read is retried after a ${status}`, async () => {
    await using server = await startLoopback(answers(status, unavailable), answers(200, []))
    const { exchanges, waits } = clientOf(server.url)
    assert.deepEqual(await exchanges.list(), [])
    assert.deepEqual(waits, [125])
  })
}

for (const [what, turn] of Object.entries({
  'a lost connection': dropsConnection,
  'a 502': answers(502, unavailable),
  'a 503': answers(503, unavailable, { 'retry-after': '0' }),
})) {
  test(`a changing request is not retried after ${what}, since it may have taken effect`, async () => {
    await using server = await startLoopback(turn)
    const { exchanges, deliveries, strategies, waits } = clientOf(server.url)
    await assert.rejects(exchanges.update(1, { enabled: true }))
    await assert.rejects(deliveries.replay(1))
    await assert.rejects(strategies.code.clearStore(1))
    assert.equal(server.received.length, 3)
    assert.deepEqual(waits, [])
  })

  test(`a deletion is retried after ${what}, and a 404 then means success`, async () => {
    const gone = { error: 'Nothing.', code: 'resource_not_found', request_id: 'r-3' }
    await using server = await startLoopback(turn, answers(404, gone))
    const { webhooks, waits } = clientOf(server.url)
    assert.deepEqual(await webhooks.data.delete(1), { message: 'Success' })
    assert.equal(server.received.length, 2)
    assert.equal(waits.length, 1)
  })
}

/** A client that creates its own idempotency keys. */
function withKeys(url: string) {
  let made = 0
  return clientOf(url, { newKey: () => `key ${++made}` })
}

const keysOf = (received: { headers: Record<string, unknown> }[]) =>
  received.map(({ headers }) => headers['idempotency-key'])

for (const [what, turn] of Object.entries({
  'a lost connection': dropsConnection,
  'a 502': answers(502, unavailable),
  'its first sending being still under way': answers(
    409,
    { error: 'Not yet.', code: 'idempotency_under_way', request_id: 'r' },
    { 'retry-after': '1' },
  ),
})) {
  test(`a changing request is retried after ${what}, with the same idempotency key`, async () => {
    await using server = await startLoopback(turn, turn, answers(200, { id: 1, reactions: 0 }))
    const { deliveries, exchanges, waits } = withKeys(server.url)
    assert.deepEqual(await deliveries.replay(1), { id: 1, reactions: 0 })
    assert.equal(waits.length, 2)
    await exchanges.update(1, { enabled: true })
    await exchanges.list()
    assert.deepEqual(keysOf(server.received), ['key 1', 'key 1', 'key 1', 'key 2', undefined])
  })
}

for (const code of ['idempotency_outcome_unknown', 'idempotency_key_reused']) {
  test(`${code} is final, and the caller decides`, async () => {
    const lost = { error: 'Lost.', code, request_id: 'r' }
    await using server = await startLoopback(dropsConnection, answers(409, lost))
    await assert.rejects(withKeys(server.url).deliveries.replay(1), { name: 'ApiError', status: 409, code })
    assert.equal(server.received.length, 2)
  })
}

test('the client of this platform creates a key for each changing request', async () => {
  await using server = await startLoopback(answers(200, { id: 1, reactions: 0 }))
  const options = { baseUrl: server.url, apiKey: 'key-1', apiSecret: secret }
  const client = createApiClient(options)
  await client.deliveries.replay(1)
  await client.deliveries.replay(1)
  await createApiClient({ ...options, retries: 0 }).deliveries.replay(1)
  const [first, second, none] = keysOf(server.received)
  assert.match(String(first), /^[0-9a-f]{32}$/)
  assert.match(String(second), /^[0-9a-f]{32}$/)
  assert.notEqual(first, second)
  assert.equal(none, undefined)
})

test("a caller's own idempotency key goes with all that changes something, and nothing else", async () => {
  await using server = await startLoopback(answers(200, { id: 1, reactions: 0 }))
  const own = withKeys(server.url).withIdempotencyKey('order-17')
  await own.deliveries.replay(1)
  await own.request('POST /api/v2/delivery/{id}/replay', 1)
  await own.exchanges.list()
  await own.withIdempotencyKey('order-18').deliveries.replay(1)
  assert.deepEqual(keysOf(server.received), ['order-17', 'order-17', undefined, 'order-18'])
  for (const key of ['', ' a', 'a ', 'é', 'a\nb', 'x'.repeat(256), 7, undefined]) {
    assert.throws(() => own.withIdempotencyKey(key as string), { name: 'TypeError', message: /^key must be/ })
  }
})

test('any request is retried after a 429, if the service says how long to wait', async () => {
  await using server = await startLoopback(
    answers(429, limited, { 'retry-after': '3' }),
    answers(200, { id: 1, reactions: 0 }),
  )
  const { request, waits } = clientOf(server.url)
  assert.deepEqual(await request('POST /api/v2/delivery/{id}/replay', 1), { id: 1, reactions: 0 })
  assert.deepEqual(waits, [3125])
})

for (const [what, turns] of Object.entries({
  'never was there': [answers(404, { error: 'Nothing.', code: 'resource_not_found', request_id: 'r' })],
  'was not looked for, but refused, before': [
    answers(429, limited, { 'retry-after': '1' }),
    answers(404, { error: 'Nothing.', code: 'resource_not_found', request_id: 'r' }),
  ],
  'somebody else says is not there': [dropsConnection, answers(404, {})],
})) {
  test(`deleting what ${what} is a 404`, async () => {
    await using server = await startLoopback(...turns)
    await assert.rejects(clientOf(server.url).webhooks.data.delete(1), { name: 'ApiError', status: 404 })
    assert.equal(server.received.length, turns.length)
  })
}

test('the request line of an operation tells whether it is retried', () => {
  const again = Object.values(namespaces.strategies.code).filter(
    (line) => typeof line === 'string' && !line.startsWith('GET ') && mayRepeat(line),
  )
  assert.deepEqual(again, ['DELETE /api/v2/strategy/code/{id}'])
  assert.ok(mayRepeat('DELETE /api/v2/bot/signal/cex/{id}?{query}'))
})

test('the client of this platform waits as long as Retry-After says', async () => {
  await using server = await startLoopback(answers(429, limited, { 'retry-after': '1' }), answers(200, []))
  const client = createApiClient({ baseUrl: server.url, apiKey: 'key-1', apiSecret: secret })
  const startedAt = performance.now()
  await client.exchanges.list()
  assert.ok(performance.now() - startedAt >= 990)
})

for (const headers of [{}, { 'retry-after': '3600' }, { 'retry-after': 'soon' }]) {
  test(`a 429 with the headers ${JSON.stringify(headers)} goes to the caller at once`, async () => {
    await using server = await startLoopback(answers(429, limited, headers as Record<string, string>))
    const { exchanges, waits } = clientOf(server.url)
    await assert.rejects(exchanges.list(), { name: 'ApiError', code: 'rate_limited', requestId: 'r-2' })
    assert.deepEqual(waits, [])
  })
}

for (const status of [400, 401, 403, 404, 409, 500, 501]) {
  test(`a ${status} is final`, async () => {
    await using server = await startLoopback(answers(status, unavailable))
    await assert.rejects(clientOf(server.url).exchanges.list(), { name: 'ApiError', status })
    assert.equal(server.received.length, 1)
  })
}

test('an error that is not a failed connection goes to the caller unchanged', async () => {
  const failure = new RangeError('No more requests in this run.')
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'key-1',
    sign: () => 'signature',
    send: async () => {
      throw failure
    },
    retries: { most: 2, sleep: async () => assert.fail('It waited.') },
  })
  await assert.rejects(client.exchanges.list(), failure)
})

test('a client without retries sends each request once', async () => {
  await using server = await startLoopback(answers(503, unavailable))
  const client = createApiClient({ baseUrl: server.url, apiKey: 'k', apiSecret: secret, retries: 0 })
  await assert.rejects(client.exchanges.list(), ApiError)
  assert.equal(server.received.length, 1)
})
