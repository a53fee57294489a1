/** The names of the hosted service's client, held against the list of its operations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HostedOperation, operations } from '../../server/test/hosted/operations.ts'
import { createSender } from '../src/client.ts'
import { withHostedNames } from '../src/hosted-client.ts'
import { hostedNames } from '../src/hosted-names.ts'
import { namespaces } from '../src/namespaces.ts'
import type { OtherTable } from '../src/resource.ts'
import type { OutgoingRequest } from '../src/transport.ts'

function recordingClient() {
  const sent: OutgoingRequest[] = []
  const send = async (request: OutgoingRequest) => {
    sent.push(request)
    return { status: 200, text: '{}' }
  }
  const sender = createSender({ baseUrl: 'https://service.example', apiKey: 'k', sign: (text) => text, send })
  return { client: withHostedNames(sender, {}), sent }
}

function linesOf(table: OtherTable, prefix = ''): [name: string, line: string][] {
  return Object.entries(table).flatMap(([name, entry]): [string, string][] =>
    typeof entry === 'string' ? [[prefix + name, entry]] : linesOf(entry, `${prefix}${name}.`),
  )
}

/** What a name reaches, from the client on. */
function reach(client: object, name: string) {
  // biome-ignore lint/suspicious/noExplicitAny: by its name alone
  return name.split('.').reduce((space: any, part) => space[part], client)
}

test('each operation of the hosted client has its name here, with its method and path, and no other has', () => {
  const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')
  const ours = linesOf(hostedNames).map(([name, line]) => {
    const [method, target] = line.split(' ')
    return `${name}: ${method} ${nameless(target!.replace('?{query}', ''))}`
  })
  const theirs = operations.map(({ name, method, path }) => `${name}: ${method} /api/v2${nameless(path)}`)
  assert.equal(ours.length, 162)
  assert.deepEqual(ours.toSorted(), theirs.toSorted())
})

test('each sends its own request: ids as texts, and the fields that it declares', async () => {
  const { client, sent } = recordingClient()
  for (const operation of operations) {
    const { name, method, path, takesQuery } = operation
    const fields = fieldsOf(operation)
    const places = [...path.matchAll(/\{\w+\}/g)].map(() => '12')
    const rest = takesQuery ? [{ page: 2 }] : Object.keys(fields).length > 0 ? [fields] : []
    await reach(client, name)(...places, ...rest)
    const { url, ...request } = sent.at(-1)!
    // Strategies cannot send a body with DELETE.
    const query = takesQuery ? '?page=2' : method === 'DELETE' && rest.length > 0 ? '?userId=12' : ''
    assert.equal(request.method, method, name)
    assert.equal(url, `https://service.example/api/v2${path.replaceAll(/\{\w+\}/g, '12')}${query}`, name)
    if (method === 'GET' || method === 'DELETE') assert.equal(request.body, undefined, name)
    else assert.deepEqual(JSON.parse(request.body!), fields, name)
  }
})

/** A value for each field that an operation declares. */
function fieldsOf({ body }: HostedOperation): Record<string, unknown> {
  const values: Record<string, unknown> = { number: 12, string: '12', boolean: true }
  return Object.fromEntries(Object.entries(body ?? {}).map(([name, type]) => [name, values[type]]))
}

test('our own names stay beside them, also where both have the same name', async () => {
  const { client, sent } = recordingClient()
  for (const [name] of linesOf(namespaces)) assert.equal(typeof reach(client, name), 'function', name)
  const { code } = client.strategies
  await code.public(3, { isPublic: true })
  await code.public.get(3)
  assert.deepEqual(
    sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`),
    ['PUT /api/v2/strategy/code/3/public', 'GET /api/v2/strategy/code/public/3'],
  )
  assert.equal(client.strategies.code, code)
  for (const part of [client, client.strategies, code, code.public]) assert.ok(Object.isFrozen(part))
  assert.deepEqual(Object.keys(client), ['request', 'withIdempotencyKey', ...Object.keys(namespaces)])
})

test('a client with an idempotency key has the names, too', async () => {
  const { client, sent } = recordingClient()
  await client.withIdempotencyKey('once').bots.cex.create({ api_id: '3' })
  assert.equal(sent[0]!.headers['idempotency-key'], 'once')
})

test('a request by its parts is signed as it is sent', async () => {
  const { client, sent } = recordingClient()
  await client.request({ method: 'GET', path: '/strategy/code?page=1&limit=2' })
  await client.request({ method: 'GET', path: '/api/v2/run', query: { limit: 2, before: undefined } })
  await client.request({ method: 'POST', path: '/webhook/bot/share/7', body: { userId: '8' } })
  await client.request({ method: 'DELETE', path: '/webhook/bot/share/7', body: { userId: '8' } })
  await client.request('GET /api/v2/run/{id}', 9)
  assert.deepEqual(
    sent.map(({ method, url, body, headers }) => {
      const target = url.slice('https://service.example'.length)
      // The recording client signs with the payload itself.
      assert.equal(headers.signature, method + target + (body ?? '') + headers.timestamp)
      assert.equal(new URL(url).href, url)
      return [method, target, body]
    }),
    [
      ['GET', '/api/v2/strategy/code?page=1&limit=2', undefined],
      ['GET', '/api/v2/run?limit=2', undefined],
      ['POST', '/api/v2/webhook/bot/share/7', '{"userId":"8"}'],
      ['DELETE', '/api/v2/webhook/bot/share/7', '{"userId":"8"}'],
      ['GET', '/api/v2/run/9', undefined],
    ],
  )
})

for (const [part, wrong] of [
  ['request', undefined],
  ['request.method', { method: 'PATCH', path: '/run' }],
  ['request.method', { method: 'GET /api/v2/run', path: '/run' }],
  ['request.path', { method: 'GET' }],
  ['request.path', { method: 'GET', path: 'run' }],
  ['request.path', { method: 'GET', path: '/run/../api/key' }],
  ['request.path', { method: 'GET', path: '/run/%2E%2e/api/key' }],
  ['request.path', { method: 'GET', path: '/run/.' }],
  ['request.path', { method: 'GET', path: '/run#1' }],
  ['request.path', { method: 'GET', path: '/run {body}' }],
  ['request.path', { method: 'GET', path: '/run/{id}' }],
  ['request.path', { method: 'GET', path: "/search?q='" }],
  ['request.path', { method: 'GET', path: '/\\other.example' }],
  ['request.query', { method: 'GET', path: '/run?page=1', query: { page: 2 } }],
  ['request.body', { method: 'GET', path: '/run', body: {} }],
  ['body', { method: 'POST', path: '/run', body: 'text' }],
  ['request.data', { method: 'POST', path: '/run', data: {} }],
] as const) {
  test(`${JSON.stringify(wrong)} sends nothing, and the error names ${part}`, async () => {
    const { client, sent } = recordingClient()
    await assert.rejects(client.request(wrong as never), ({ name, message }: Error) => {
      return name === 'TypeError' && message.startsWith(`${part} must be `)
    })
    assert.deepEqual(sent, [])
  })
}
