/** Requests have limits, and so have the answers to requests that exceed them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { Type } from 'typebox'
import { signedHeaders } from '../../test/client.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import type { TestService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendBytes, sendOnWire } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'
import { errorBodyLimit } from './error-body.ts'
import { bodyLimit, codeBodyLimit, guestBodyLimit, limitRequests, unlimitedIn } from './limits.ts'
import type { App } from './types.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Operation = { method: string; path: string; described: any }

async function operationsOf(service: TestService): Promise<Operation[]> {
  const { paths } = await expect(200, service.send('GET', '/api/v2/openapi.json'))
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
  return Object.entries<any>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path,
      described: methods[method],
    })),
  )
}

const schemaOf = ({ described }: Operation) => described.requestBody?.content['application/json']?.schema
const isForGuests = ({ path, described }: Operation) =>
  path.startsWith('/api/v2/') && described.security?.length === 0 && described.requestBody !== undefined

withService('every array, text, number and object of every request has a limit', async (service) => {
  const operations = await operationsOf(service)
  let checked = 0
  for (const operation of operations) {
    const { method, path, described } = operation
    const parameters: { in: string; name: string; schema: object }[] = described.parameters ?? []
    const schemas: [string, object][] = parameters.map(({ in: place, name, schema }) => [
      `${place}.${name}`,
      schema,
    ])
    if (described.requestBody !== undefined) schemas.push(['body', schemaOf(operation)])
    for (const [place, schema] of schemas) {
      assert.deepEqual(unlimitedIn(schema as Record<string, unknown>, place), [], `${method} ${path}`)
      checked++
    }
  }
  assert.ok(checked > 200, `${checked}`)
})

test('a schema without a limit is named, and its route is refused', () => {
  const schema = Type.Object({
    list: Type.Array(Type.Union([Type.String(), Type.Null()])),
    number: Type.Optional(Type.Integer({ minimum: 1 })),
    any: Type.Unknown(),
    map: Type.Record(Type.String(), Type.String()),
    word: Type.Union([Type.Literal('a'), Type.Literal('b')]),
    text: Type.String({ maxLength: 1 }),
  })
  const named = ['body', 'body.list', 'body.list[]', 'body.number', 'body.any', 'body.map', 'body.map.^.*$']
  assert.deepEqual(new Set(unlimitedIn({ ...schema }, 'body')), new Set(named))
  const app = fastify() as unknown as App
  limitRequests(app)
  assert.throws(
    () => app.post('/x', { schema: { body: Type.Object({ name: Type.String() }) } }, () => 'x'),
    /POST \/x: body\.name has no limit/,
  )
  assert.doesNotThrow(() =>
    app.post('/y', { schema: { body: Type.Object({ on: Type.Boolean() }) } }, () => 'y'),
  )
})

const fill = (bytes: number, item: string) => item.repeat(Math.floor(bytes / item.length))

/** Bodies that use a route's limits fully: wrong in as many places as fit. */
function worstBodies(fields: string[], bytes: number): string[] {
  const room = bytes - 1000
  const share = Math.floor(room / Math.max(fields.length, 1))
  const each = (value: string) => `{${fields.map((name) => `"${name}":${value}`).join()}}`
  return [
    each(`"${fill(share - 50, 'x')}"`),
    each(`[${fill(Math.min(share, 90_000 / fields.length) - 50, '0,')}0]`),
    `[${fill(Math.min(room, 140_000), '{},')}0]`,
    `{${Array.from({ length: Math.min(room / 24, 40_000) }, (_, n) => `"${'k'.repeat(12)}${n}":{}`).join()}}`,
    fill(room, '['),
  ]
}

withService('every route answers the worst bodies with a short 4xx', async (service) => {
  const withBodies = (await operationsOf(service)).filter((each) => schemaOf(each) !== undefined)
  assert.ok(withBodies.length > 50)
  for (const operation of withBodies) {
    const { method, path } = operation
    const target = path.replaceAll(/\{\w+\}/g, '77777')
    const send = async (body: string) => {
      const signed = isForGuests(operation) ? {} : signedHeaders(administratorKey, method, target, body)
      const response = await fetch(service.url + target, {
        method,
        headers: { ...signed, 'content-type': 'application/json' },
        body,
      })
      return { status: response.status, text: await response.text() }
    }
    const fields = Object.keys(schemaOf(operation).properties ?? {})
    const limit = isForGuests(operation) ? guestBodyLimit : bodyLimit
    const takesCode = !isForGuests(operation) && (await send(fill(limit + 1, ' '))).status !== 413
    // A check says what is wrong in its answer.
    const isCheck = path.endsWith('/check')
    for (const body of worstBodies(fields, takesCode ? codeBodyLimit : limit)) {
      const { status, text } = await send(body)
      const what = `${method} ${path} ${body.slice(0, 30)}: ${status} ${text.slice(0, 300)}`
      const isRefused = status >= 400 && status < 500 && status !== 401 && status !== 413
      assert.ok(isRefused || (isCheck && status === 200), what)
      assert.ok(Buffer.byteLength(text) <= errorBodyLimit, what)
    }
  }
})

withService('an error names at most a hundred places of a forbidden word', async (service) => {
  const code = 'eval '.repeat(50_000)
  const answer = await service.api('POST', '/api/v2/strategy/code', { code })
  assert.equal(answer.body.code, 'code_forbidden_identifier')
  const { details } = answer.body
  assert.deepEqual(
    [details.length, details[99].column, details[100]],
    [101, 496, { message: 'and 49900 more' }],
  )
})

withService('a guest may send 8 KB, and the service reads no more', async (service) => {
  const forGuests = (await operationsOf(service)).filter(isForGuests)
  assert.deepEqual(forGuests.length, 5)
  for (const { method, path } of forGuests) {
    const headers = ['Content-Type: application/json']
    const body = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`
    const whole = await sendOnWire(service.url, { method, target: path, headers, body: body(guestBodyLimit) })
    assert.equal(whole.body.code, 'request_invalid', path)
    const large = body(guestBodyLimit + 1)
    for (const sent of [large, [large.slice(0, 5000), large.slice(5000)]]) {
      const answer = await sendOnWire(service.url, { method, target: path, headers, body: sent })
      assert.equal(answer.body.code, 'body_too_large', path)
    }
    // The announced length is enough for a refusal: the body never arrives.
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers]
    const announced = `${head.join('\r\n')}\r\nContent-Length: 1000000\r\n\r\n`
    assert.equal((await sendBytes(service.url, Buffer.from(announced))).body.code, 'body_too_large', path)
  }
})

withService('errors do not repeat long input', async (service) => {
  const long = 'x'.repeat(60_000)
  const webhook = await makeWebhook(service)
  const reaction = await makeReaction(service, '')
  const test = `/api/v2/strategy/reaction/code/${reaction.id}/test`
  const answers = [
    service.api('POST', '/api/v2/webhook/data', { name: long }),
    service.api('PUT', '/api/v2/trading', { [long]: true }),
    service.api('POST', test, { headers: { [long]: 1 } }),
    service.api('POST', '/api/v2/webhook/data', `{"name":"a\\u0000","${long}":"\\u0000"}`),
    service.api('GET', `/api/v2/exchange?enabled=${long.slice(0, 10_000)}`),
    service.send('GET', `/${long.slice(0, 10_000)}`),
    webhook.post({ key: long }, { 'idempotency-key': long.slice(0, 8_000) }),
    service.api('POST', '/api/v2/bot/signal/cex', { symbol: long, amount: long.slice(0, 64) }),
  ]
  for (const [index, answer] of (await Promise.all(answers)).entries()) {
    const text = JSON.stringify(answer.body)
    assert.ok(answer.status >= 400 && answer.status < 500, `${index}: ${answer.status} ${text.slice(0, 300)}`)
    assert.ok(text.length < 3_000, `${index}: ${text.length}`)
  }
})

withService('agents get short errors too', async (service) => {
  const long = 'x'.repeat(100_000)
  const names = Object.fromEntries(Array.from({ length: 4_900 }, (_, n) => [`${'k'.repeat(100)}${n}`, n]))
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
  const call = (args: unknown) => ({ ...message, params: { name: 'get_strategy', arguments: args } })
  const bodies: unknown[] = [
    { ...message, ...names },
    { ...message, params: names },
    { ...message, params: { name: long, arguments: {} } },
    { ...message, method: long },
    { ...message, id: long },
    { ...message, jsonrpc: long },
    call(names),
    call({ id: long }),
    call({ id: Array.from({ length: 4_000 }, () => long.slice(0, 100)) }),
    Array.from({ length: 10 }, () => call({ id: long.slice(0, 80_000) })),
    Array.from({ length: 5_001 }, () => 0),
  ]
  for (const [index, body] of bodies.entries()) {
    const text = JSON.stringify(body)
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        ...signedHeaders(administratorKey, 'POST', '/mcp', text),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: text,
    })
    const answer = await response.text()
    assert.ok(response.status < 500 && response.status !== 401, `${index}: ${response.status}`)
    assert.ok(Buffer.byteLength(answer) <= errorBodyLimit, `${index}: ${answer.length}`)
  }
})
