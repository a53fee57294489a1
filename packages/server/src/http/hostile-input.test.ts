/** No input gets a 5xx answer: the service refuses what it cannot use. */
import assert from 'node:assert/strict'
import type { ApiAnswer } from '../../test/client.ts'
import { signedHeaders } from '../../test/client.ts'
import { administratorKey } from '../../test/environment.ts'
import { makeReaction } from '../../test/reaction.ts'
import type { TestService } from '../../test/service.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendOnWire } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'

type Operation = { method: string; path: string; properties: string[]; query: string[] }

/** Separated by spaces, because none of them contains one. */
const words = (list: string) => list.split(' ')

const texts = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'a\udc00',
    '\ufffe',
    '\u202e',
    '💩',
    '\u007f\u0080',
    '\n',
    "'; drop table users; --",
  ],
  ...words(
    '%00 %s%n \\ \\0 {{7*7}} <script> ../../etc/passwd 0 -1 1e3 null true ACTIVE __proto__ constructor',
  ),
  ...['x'.repeat(256), 'x'.repeat(70_000), '1970-01-01T00:00:00Z', '[object Object]'],
]
const numbers = [0, -1, 1, 1.5, 1e3, 1e15, 1e16, 1e21, 1e300, -1e300, 2 ** 31, 2 ** 32, 2 ** 53, 5e-324]
const others: unknown[] = [
  true,
  false,
  null,
  [],
  [[]],
  [null],
  [1, 2],
  ['\0'],
  {},
  { toString: 1 },
  { length: -1 },
]

/** None of them is the id of a thing that the other requests need. */
const ids = words(
  "0 -1 1e3 1e400 abc 99999999999999999999 9007199254740991 9007199254740993 1.5 +77777 0x7777 %00 77777%00 77777' " +
    '%37%37%37%37%37 null true NaN Infinity __proto__ constructor %20 %2077777 %2e%2e %F0%9F%92%A9 2147483648 ' +
    '-9223372036854775809 7,7 [7] {} %0a 7;drop %D9%A1',
)
const values = [
  ...ids,
  ...['', '201', '1000001', '%', '%ff', 'x'.repeat(5000)],
  ...words(
    '2026-01-01 2026-02-30T00:00:00Z 2026-01-01T00:00:00Z 2026-12-31T23:59:60Z 0000-01-01T00:00:00Z ' +
      '9999-12-31T23:59:59.999Z 2026-01-01t00:00:00z 2026-01-01%2000:00:00Z 2026-01-01T00:00:00%2B23:59 ' +
      '2026-01-01T24:00:00Z -000001-01-01T00:00:00Z 2026-01-01T00:00:00.123456789123456789Z ' +
      '0001-01-01T00:00:00%2B14:00',
  ),
]
const nested = (open: string, close: string, levels: number, inside = '') =>
  open.repeat(levels) + inside + close.repeat(levels)
const bodies = [
  ...words('{ } [] {} null 0 "x" true \ufeff{} {}\0 {"":0} {"a":1,"a":2} {"\\u0000":1} {"\\ud800":1}'),
  ...['', ' ', '{"__proto__":{"name":"x"}}', '{"constructor":{"prototype":{}}}', '{"a":{"b":["\\u0000"]}}'],
  ...[nested('[', ']', 100_000), nested('{"a":', '}', 100_000, '1'), '[['.repeat(50_000)],
  ...[`{"name":${nested('[', ']', 90_000)}}`, `{"code":${nested('{"a":', '}', 90_000, '"\\u0000"')}}`],
  ...[`"${'x'.repeat(1_000_000)}"`, `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":${n}`).join()}}`],
]

/** The responses that the OpenAPI document lists. */
async function operations(service: TestService): Promise<Operation[]> {
  const { paths, components } = (await service.send('GET', '/api/v2/openapi.json')).body
  const resolve = (schema: { $ref?: string; properties?: object }): { properties?: object } =>
    schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)!]
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
  return Object.entries<any>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      const { requestBody, parameters = [] } = methods[method]
      const schema = requestBody?.content['application/json']?.schema
      return {
        method: method.toUpperCase(),
        path,
        properties: schema === undefined ? [] : Object.keys(resolve(schema).properties ?? {}),
        query: parameters
          .filter((parameter: { in: string }) => parameter.in === 'query')
          .map(({ name }: { name: string }) => name),
      }
    }),
  )
}

let turn = Math.floor(Math.random() * 6)
/** Each value is tried with every sixth field, and each test run tries others. All combinations would take minutes. */
function nextSixth<T>(all: readonly T[]): T[] {
  turn++
  return all.filter((_, index) => (index + turn) % 6 === 0)
}

const isWrite = ({ method }: Operation) => method === 'POST' || method === 'PUT'
const withIds = (path: string, id: number | string = 77_777) => path.replaceAll(/\{\w+\}/g, String(id))

/** The path of a thing that exists. Nothing else depends on it, so it may change or disappear. */
async function ownTarget(service: TestService, path: string): Promise<string> {
  if (!path.includes('{')) return path
  if (path.startsWith('/api/v2/api/key')) {
    const made = await service.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'ML-DSA' })
    return withIds(path, made.body.id)
  }
  const reaction = await makeReaction(service, '')
  if (path.startsWith('/api/v2/strategy')) return withIds(path, reaction.id)
  if (path.startsWith('/api/v2/webhook')) return withIds(path, reaction.webhookId)
  if (path.startsWith('/api/v2/delivery')) return withIds(path, (await reaction.post({})).body.id)
  return withIds(path)
}

/** The valid fields of a request, so that only the one hostile value decides the answer. */
function plainBody({ path, properties }: Operation): Record<string, unknown> {
  if (path.endsWith('/api/key')) return { name: 'x', algorithm: 'HMAC' }
  if (properties.includes('status') && path.endsWith('/status')) return { status: 'ACTIVE' }
  return {}
}

/** Answers that would mean that nothing looked at the request. */
const unsigned = ['auth_missing', 'auth_invalid', 'auth_timestamp']

function check({ status, body }: Pick<ApiAnswer, 'status' | 'body'>, what: string): string[] {
  if (status >= 200 && status < 300) return []
  const isError = typeof body.code === 'string' && typeof body.request_id === 'string'
  if (status >= 400 && status < 500 && isError && !unsigned.includes(body.code)) return []
  return [`${status} ${what.slice(0, 200)}: ${JSON.stringify(body)}`]
}

/** Sends the requests, a few at a time. @returns the first of those with a wrong answer */
async function sendAll(requests: (() => Promise<string[]>)[]): Promise<string[]> {
  const wrong: string[] = []
  const waiting = requests.values()
  const sender = async () => {
    for (const request of waiting) wrong.push(...(await request()))
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  return wrong.slice(0, 10)
}

const askOnWire = (service: TestService, method: string, target: string) => async () => {
  const headers = Object.entries(signedHeaders(administratorKey, method, target, undefined))
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const isStream = target.startsWith('/api/v2/live')
  const answer = await sendOnWire(service.url, { method, target, headers: lines, isStream })
  return check(answer, `${method} ${target}`)
}

withService('no value of any field of a body is answered 5xx', async (service) => {
  let count = 0
  for (const operation of (await operations(service)).filter(isWrite)) {
    const path = await ownTarget(service, operation.path)
    const requests = operation.properties.flatMap((property) =>
      nextSixth([...texts, ...numbers, ...others]).map((value) => async () => {
        const body = { ...plainBody(operation), [property]: value }
        const answer = await service.api(operation.method, path, body)
        return check(answer, `${operation.method} ${path} ${JSON.stringify(body)}`)
      }),
    )
    count += requests.length
    assert.deepEqual(await sendAll(requests), [])
  }
  assert.ok(count > 500)
})

withService('no body as a whole is answered 5xx', async (service) => {
  for (const { method, path } of (await operations(service)).filter(isWrite)) {
    const own = await ownTarget(service, path)
    const requests = nextSixth(bodies).map((body) => async () => {
      return check(await service.api(method, own, body), `${method} ${own} ${body}`)
    })
    assert.deepEqual(await sendAll(requests), [])
  }
})

withService('no id in a path is answered 5xx', async (service) => {
  const requests = (await operations(service))
    .filter(({ path }) => path.includes('{'))
    .flatMap(({ method, path }) => nextSixth(ids).map((id) => askOnWire(service, method, withIds(path, id))))
  assert.ok(requests.length > 300)
  assert.deepEqual(await sendAll(requests), [])
})

withService('no query is answered 5xx', async (service) => {
  const odd = [
    ...words(
      '? ?? ?&&& ?= ?=1 ?a ?% ?%ff ?%00 ?# ?; ?+ ?page ?page= ?limit=+5 ?__proto__=1 ?__proto__[x]=1 ?a[b][c]=1',
    ),
    ...[`?${'a=1&'.repeat(2000)}`, `?a=${'%41'.repeat(4000)}`],
  ]
  for (const { path, query } of (await operations(service)).filter(({ method }) => method === 'GET')) {
    const own = await ownTarget(service, path)
    const asked = query.flatMap((name) => [
      ...nextSixth(values).map((value) => `?${name}=${value}`),
      ...[`?${name}=1&${name}=2`, `?${name}[]=1`, `?${name}[a]=1`],
    ])
    const requests = [...nextSixth(odd), ...asked].map((each) => askOnWire(service, 'GET', own + each))
    assert.deepEqual(await sendAll(requests), [], path)
  }
})

withService('no header of a payload is answered 5xx', async (service) => {
  const webhook = await makeWebhook(service)
  const latin1 = Array.from({ length: 128 }, (_, n) => String.fromCharCode(128 + n)).join('')
  const odd = ['', ' ', latin1, '\t', '"', '\\', '%00', 'x'.repeat(8000), '__proto__', '{}', "'"]
  const names = words(
    'x-key idempotency-key webhook-id x-custom user-agent accept content-encoding __proto__ constructor',
  )
  const more = ['x-forwarded-for: 1.2.3.4', "!#$%&'*+.^_`|~: x"]
  const lines = [...names.flatMap((name) => odd.map((value) => `${name}: ${value}`)), ...more]
  const requests = lines.map((line) => async () => {
    const headers = ['Content-Type: application/json', line]
    const sent = await sendOnWire(service.url, { method: 'POST', target: webhook.path, headers, body: '{}' })
    return check(sent, line)
  })
  assert.deepEqual(await sendAll(requests), [])
})
