import assert from 'node:assert/strict'
import { request } from 'node:http'
import { expect, makeReaction } from '../../test/reaction.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { exchangeBytes, sendOnWire } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'

const limitBytes = 256 * 1024

withService(
  'an accepted payload gets a 202 with its id, its time and the number of reactions',
  async (service) => {
    const webhook = await makeWebhook(service)
    const before = Date.now()
    const { status, headers, body } = await webhook.post({ price: 1 })
    assert.equal(status, 202)
    assert.match(headers.get('content-type')!, /^application\/json/)
    assert.deepEqual(Object.keys(body), ['id', 'received_at', 'reactions'])
    assert.ok(Number.isSafeInteger(body.id) && body.id > 0)
    assert.match(body.received_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const receivedAtMs = Date.parse(body.received_at)
    assert.ok(receivedAtMs >= before && receivedAtMs <= Date.now())
    assert.equal(body.reactions, 0)
    const delivery = await expect(200, service.api('GET', `/api/v2/delivery/${body.id}`))
    assert.equal(delivery.received_at, body.received_at)
  },
)

withService('the id in the URL is 32 random bytes in Base64url', async (service) => {
  const [first, second] = await Promise.all([makeWebhook(service), makeWebhook(service)])
  assert.match(first.urlId, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(Buffer.from(first.urlId, 'base64url').length, 32)
  assert.notEqual(first.urlId, second.urlId)
})

withService('an address without a webhook gets a 404, whatever it looks like', async (service) => {
  const { urlId } = await makeWebhook(service)
  const strangers = [
    'x',
    'A'.repeat(43),
    urlId.slice(0, -1),
    `${urlId}A`,
    urlId.toUpperCase(),
    `${urlId}%00`,
    '%00',
    '%ff',
    '%F0%9F%98%80',
    '..%2fapi',
    "'%20or%201=1--",
    '__proto__',
    'A'.repeat(400),
    'A'.repeat(4000),
  ]
  for (const stranger of strangers) {
    const { status, body } = await service.send('POST', `/data-webhook/${stranger}`, { body: {} })
    assert.ok([400, 404].includes(status), `${stranger}: ${status}`)
    assert.deepEqual(Object.keys(body), ['error', 'code', 'request_id'], stranger)
    if (/^[\w-]+$/.test(stranger) && stranger.length < 401)
      assert.equal(body.code, 'webhook_not_found', stranger)
  }
})

withService('an inactive webhook answers 403 and stores nothing', async (service) => {
  const webhook = await makeWebhook(service, { status: 'INACTIVE' })
  const { status, body } = await webhook.post({})
  assert.equal(status, 403)
  assert.equal(body.code, 'webhook_inactive')
  assert.deepEqual(await webhook.deliveries(), [])
})

withService('the content type must be application/json, with any parameters', async (service) => {
  const webhook = await makeWebhook(service)
  const fine = [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ;charset="utf-8"; version=1',
    'Application/JSON',
    'APPLICATION/JSON; CHARSET=UTF-8',
  ]
  for (const type of fine) {
    const answer = await webhook.post('{}', { 'content-type': type })
    assert.equal(answer.status, 202, type)
  }
  const refused = [
    'text/plain',
    'text/plain; x=application/json',
    'application/jsonx',
    'application/json5',
    'application/json-seq',
    'application/json, text/plain',
    'application/x-json',
    'application/ld+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
    '/',
    ';',
    'application',
  ]
  for (const type of refused) {
    const { status, body } = await webhook.post('{}', { 'content-type': type })
    assert.equal(status, 415, type)
    assert.equal(body.code, 'body_not_json', type)
  }
  const without = await sendOnWire(service.url, { method: 'POST', target: webhook.path, body: '{}' })
  assert.equal(without.status, 415)
  assert.equal((await webhook.deliveries()).length, fine.length)
})

withService('a compressed body is refused with 415', async (service) => {
  const webhook = await makeWebhook(service)
  for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity', 'unknown']) {
    const { status, body } = await webhook.post('{}', { 'content-encoding': encoding })
    assert.equal(status, 415, encoding)
    assert.equal(body.code, 'body_not_json')
  }
  assert.equal((await webhook.post('{}', { 'content-encoding': 'identity' })).status, 202)
})

withService('a body of exactly 256 KB is accepted, and one byte more gets a 413', async (service) => {
  const webhook = await makeWebhook(service)
  const text = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  const largest = text(limitBytes)
  assert.equal((await webhook.post(largest)).status, 202)
  assert.equal((await webhook.deliveries())[0].body, largest)

  const { status, body } = await webhook.post(text(limitBytes + 1))
  assert.equal(status, 413)
  assert.equal(body.code, 'body_too_large')

  // Short enough in characters, too long in UTF-8.
  const wide = `{"a":"${'é'.repeat(limitBytes / 2)}"}`
  assert.equal((await webhook.post(wide)).status, 413)
  assert.equal((await webhook.deliveries()).length, 1)
})

withService('a chunked body without a length is measured as it arrives', async (service) => {
  const webhook = await makeWebhook(service)
  const json = ['Content-Type: application/json']
  const post = (body: string[]) =>
    sendOnWire(service.url, { method: 'POST', target: webhook.path, headers: json, body })
  const text = `{"text":"grüße ${'x'.repeat(1000)}"}`
  const bytes = Buffer.from(text)
  // Cut between the two bytes of a character.
  const cut = bytes.indexOf(0xc3) + 1
  const parts = [bytes.subarray(0, cut), bytes.subarray(cut)] as unknown as string[]
  assert.equal((await post(parts)).status, 202)
  assert.equal((await webhook.deliveries())[0].body, text)

  const piece = 'x'.repeat(64 * 1024)
  const tooLarge = await post(['{"a":"', piece, piece, piece, piece, '"}'])
  assert.equal(tooLarge.status, 413)
  assert.equal(tooLarge.body.code, 'body_too_large')
  assert.equal((await post([])).status, 400)
  assert.equal((await webhook.deliveries()).length, 1)
})

withService('the sender of a far too large body gets a 413 before sending all of it', async (service) => {
  const webhook = await makeWebhook(service)
  const headers = { 'content-type': 'application/json', 'content-length': String(2 ** 40) }
  const answered = Promise.withResolvers<number | undefined>()
  const outgoing = request(new URL(webhook.path, service.url), { method: 'POST', headers })
    .on('response', (response) => answered.resolve(response.statusCode))
    .on('error', answered.reject)
  outgoing.write('{')
  assert.equal(await answered.promise, 413)
  outgoing.destroy()
})

withService(
  'a body that is not a JSON object in UTF-8 gets a 400, and nothing is stored',
  async (service) => {
    const webhook = await makeWebhook(service)
    const refused: [what: string, body: string | Uint8Array][] = [
      ['nothing', ''],
      ['white space', ' \n'],
      ['a number', '1'],
      ['a text', '"text"'],
      ['null', 'null'],
      ['an array', '[]'],
      ['an array of objects', '[{}]'],
      ['a byte order mark', '\ufeff{}'],
      ['a cut object', '{"a":1'],
      ['two objects', '{}{}'],
      ['JavaScript', '{a:1}'],
      ['a byte that no character begins with', Buffer.from('7b2261223a22ff227d', 'hex')],
      ['an overlong slash', Buffer.from('7b2261223a22c0af227d', 'hex')],
      ['half a surrogate pair as bytes', Buffer.from('7b2261223a22eda080227d', 'hex')],
      ['a cut character', Buffer.from('7b2261223a22e282227d', 'hex')],
      ['UTF-16', Buffer.from('{}', 'utf16le')],
      ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
      ['a NUL byte', Buffer.from('{}\0')],
    ]
    for (const [what, payload] of refused) {
      const { status, body } = await webhook.post(payload)
      assert.equal(status, 400, what)
      assert.equal(body.code, 'request_malformed', what)
    }
    assert.deepEqual(await webhook.deliveries(), [])
  },
)

withService('any object, however odd, is stored and forwarded byte for byte', async (service) => {
  const reaction = await makeReaction(service, 'await $.Storage.set($.Request.data)')
  const odd = [
    '{}',
    ' \t\r\n{ "b" : 2 ,\n"a":1}\n ',
    '{"a":1,"a":2,"A":3}',
    '{"n":12345678901234567890.10,"e":1E+2,"z":-0,"f":1.0}',
    '{"é":"\\u00e9","s":"\\ud83d\\ude00😀","half":"\\ud800","nul":"\\u0000"}',
    '{"__proto__":{"x":1},"constructor":1,"":""}',
    '{"e\\u0301":"decomposed","é":"composed"}',
    `{"line":"\u2028\u2029\u007f\u0080"}`,
  ]
  for (const [index, text] of odd.entries()) {
    const { id } = await expect(202, reaction.post(text))
    const delivery = await expect(200, service.api('GET', `/api/v2/delivery/${id}`))
    assert.equal(delivery.body, text)
    await reaction.ended(index + 1)
    assert.equal((await reaction.read()).storage, text)
  }
})

withService('a payload may have a hundred thousand levels of arrays or objects', async (service) => {
  const webhook = await makeWebhook(service)
  const levels = 100_000
  const arrays = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  const objects = `${'{"":'.repeat(40_000)}1${'}'.repeat(40_000)}`
  for (const text of [arrays, objects]) {
    const { id } = await expect(202, webhook.post(text))
    assert.equal((await expect(200, service.api('GET', `/api/v2/delivery/${id}`))).body, text)
  }
  assert.equal((await webhook.post(arrays.slice(0, -2))).status, 400)
})

withService('payloads of one connection are stored in the order in which they were sent', async (service) => {
  const count = 100
  // Each webhook is new, so that nothing knows it yet: all the requests wait for the same lookup.
  for (let round = 0; round < 5; round++) {
    const webhook = await makeWebhook(service)
    const bodies = Array.from({ length: count }, (_, n) => JSON.stringify({ n }))
    const requests = bodies.map(
      (body, n) =>
        `POST ${webhook.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `${n === count - 1 ? 'Connection: close\r\n' : ''}Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    await exchangeBytes(service.url, Buffer.from(requests.join('')))
    const stored: { body: string }[] = await webhook.deliveries()
    assert.deepEqual(stored.map(({ body }) => body).toReversed(), bodies)
  }
})
