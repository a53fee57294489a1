/** The bundled client with ECMAScript only, and everything frozen, as in a strategy's isolate. */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign, verify } from 'node:crypto'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { constants, createContext, runInContext } from 'node:vm'
import { namespaces } from '../src/namespaces.ts'
import type { createApiClient, SandboxHost } from '../src/sandbox.ts'

/** The globals of the language that strategies have. None of them comes from a host. */
const language = new Set(
  `Object Array String Number Boolean Symbol BigInt Math JSON Date RegExp Map Set WeakMap WeakSet Promise Iterator
  Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Uint8Array NaN Infinity
  undefined isNaN isFinite parseInt parseFloat encodeURI encodeURIComponent decodeURI decodeURIComponent`.split(
    /\s+/,
  ),
)

/** The library in a separate realm, without all other globals and with the rest frozen. */
async function loadBare(): Promise<{ createApiClient: typeof createApiClient; globals: string[] }> {
  // The same bundler as in the sandbox.
  const { build } = createRequire(new URL('../../sandbox/package.json', import.meta.url))('esbuild')
  const entryPoints = [fileURLToPath(new URL('../src/sandbox.ts', import.meta.url))]
  const options = { bundle: true, write: false, format: 'iife', globalName: 'library', target: 'node26' }
  const { outputFiles } = await build({ entryPoints, ...options })
  // Unlike the usual global object of vm, this kind can be frozen.
  const realm = createContext(constants.DONT_CONTEXTIFY)
  const library = runInContext(`(() => {${outputFiles[0].text}; return library})()`, realm)
  for (const name of Object.getOwnPropertyNames(realm)) {
    if (!language.has(name)) Reflect.deleteProperty(realm, name)
    else freeze((realm as Record<string, unknown>)[name])
  }
  return {
    createApiClient: library.createApiClient,
    globals: Object.getOwnPropertyNames(Object.freeze(realm)),
  }
}

function freeze(value: unknown): void {
  Object.freeze(value)
  if (typeof value === 'function') Object.freeze(value.prototype)
}

/** A host that answers `[]`, or a given answer, and records the requests. */
function recordingHost(answer = { status: 200, text: '[]' }) {
  const requests: unknown[][] = []
  const record =
    (method: string) =>
    async (...args: unknown[]) => {
      requests.push([method, ...args])
      return answer
    }
  const host: SandboxHost = {
    baseUrl: 'https://service.example',
    http: { get: record('get'), post: record('post'), put: record('put'), delete: record('delete') },
    generateSignature: async (...args) => `${args.at(-1)}(${args.join(' ')})`,
    now: () => 1_700_000_000_999,
  }
  return { host, requests }
}

const bare = await loadBare()
const credentials = { apiKey: 'key-1', apiSecret: 'secret' }

test('the realm has only the language', () => {
  assert.deepEqual(new Set(bare.globals), language)
})

test('a read signs path and query as they are in the URL, and passes no parameters', async () => {
  const { host, requests } = recordingHost()
  const { exchanges } = bare.createApiClient(credentials, host)
  assert.equal(JSON.stringify(await exchanges.list({ enabled: true, chainId: "it's" })), '[]')
  const target = '/api/v2/exchange?enabled=true&chainId=it%27s'
  const headers = {
    'api-key': 'key-1',
    timestamp: '1700000000',
    signature: `HMAC(GET${target}1700000000 secret HMAC)`,
  }
  assert.deepEqual(plain(requests), [['get', `https://service.example${target}`, null, headers]])
})

test('the sent body is the text that was signed', async () => {
  const { host, requests } = recordingHost({ status: 200, text: '{}' })
  const { request } = bare.createApiClient({ ...credentials, algorithm: 'ML-DSA' }, host)
  await request('PUT /api/v2/exchange/{id} {body}', 2, { enabled: true })
  await request('POST /api/v2/delivery/{id}/replay', 3)
  await request('DELETE /api/v2/api/key/{id}', 4)
  const signed = { 'api-key': 'key-1', timestamp: '1700000000' }
  const address = 'https://service.example/api/v2'
  assert.deepEqual(plain(requests), [
    [
      'put',
      `${address}/exchange/2`,
      '{"enabled":true}',
      {
        ...signed,
        signature: 'ML-DSA(PUT/api/v2/exchange/2{"enabled":true}1700000000 secret ML-DSA)',
        'content-type': 'application/json',
      },
    ],
    [
      'post',
      `${address}/delivery/3/replay`,
      null,
      { ...signed, signature: 'ML-DSA(POST/api/v2/delivery/3/replay1700000000 secret ML-DSA)' },
    ],
    [
      'delete',
      `${address}/api/key/4`,
      null,
      { ...signed, signature: 'ML-DSA(DELETE/api/v2/api/key/41700000000 secret ML-DSA)' },
    ],
  ])
})

test('an idempotency key is sent with changing requests', async () => {
  const { host, requests } = recordingHost({ status: 200, text: '{}' })
  const client = bare.createApiClient(credentials, host).withIdempotencyKey('order-17')
  await client.deliveries.replay(3)
  await client.exchanges.list()
  const sent = requests.map(([, , , headers]) => (headers as Record<string, string>)['idempotency-key'])
  assert.deepEqual(sent, ['order-17', undefined])
})

test('the public keys confirm signatures of real keys', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ml-dsa-44')
  for (const algorithm of ['HMAC', 'ML-DSA'] as const) {
    const { host, requests } = recordingHost()
    host.generateSignature = async (payload, secret, kind) =>
      kind === 'HMAC'
        ? createHmac('sha256', secret).update(payload).digest('hex')
        : sign(null, Buffer.from(payload), privateKey).toString('base64')
    await bare.createApiClient({ ...credentials, algorithm }, host).exchanges.dex('é')
    const [[, url, , headers]] = requests as [[string, string, undefined, Record<string, string>]]
    const payload = Buffer.from(`GET${url.slice('https://service.example'.length)}${headers.timestamp}`)
    const { signature = '' } = headers
    if (algorithm === 'ML-DSA') assert.ok(verify(null, payload, publicKey, Buffer.from(signature, 'base64')))
    else assert.equal(signature, createHmac('sha256', 'secret').update(payload).digest('hex'))
  }
})

for (const [what, answer, expected] of [
  [
    'the service',
    {
      status: 401,
      text: '{"error":"No.","code":"auth_invalid","details":[{"message":"a"}],"request_id":"r-1"}',
    },
    { status: 401, code: 'auth_invalid', message: 'No.', details: [{ message: 'a' }], requestId: 'r-1' },
  ],
  [
    '$.Http, with its reason',
    { status: 504, text: 'The answer took longer than 1750 ms.' },
    { status: 504, code: 'unknown', message: 'HTTP status 504: The answer took longer than 1750 ms.' },
  ],
  [
    'a proxy, with a page',
    { status: 502, text: '<html>\n<h1>Bad gateway</h1></html>' },
    { status: 502, code: 'unknown', message: 'HTTP status 502.' },
  ],
  [
    'someone else, with JSON of their own',
    { status: 418, text: '{"error":{"message":"teapot"}}' },
    { status: 418, code: 'unknown', message: 'HTTP status 418: {"error":{"message":"teapot"}}' },
  ],
  [
    'a wrong address, with a page',
    { status: 200, text: '<html></html>' },
    {
      status: 200,
      code: 'unknown',
      message: 'HTTP status 200, but the answer is not JSON. Is baseUrl right?',
    },
  ],
  [
    'a redirect',
    { status: 301, text: '' },
    {
      status: 301,
      code: 'unknown',
      message: 'HTTP status 301: a redirect. Signed requests follow none. Is baseUrl right?',
    },
  ],
] as const) {
  test(`a refusal by ${what} is one ApiError, without a retry`, async () => {
    const { host, requests } = recordingHost(answer)
    const error = await bare
      .createApiClient(credentials, host)
      .exchanges.list()
      .then(
        () => assert.fail('It was accepted.'),
        (thrown) => thrown,
      )
    const { name, message, status, code, details, requestId } = error
    assert.deepEqual(plain({ name, message, status, code, details, requestId }), {
      name: 'ApiError',
      details: [],
      requestId: null,
      ...expected,
    })
    assert.equal(requests.length, 1)
  })
}

test('an error of $.Http reaches the code unchanged', async () => {
  const { host } = recordingHost()
  const refusal = new Error('A run may send at most 20 HTTP requests.')
  host.http.get = async () => {
    throw refusal
  }
  await assert.rejects(bare.createApiClient(credentials, host).exchanges.cex(), refusal)
})

test('a client cannot be changed', () => {
  const client = bare.createApiClient(credentials, recordingHost().host)
  for (const part of [client, client.exchanges, client.webhooks.data]) assert.ok(Object.isFrozen(part))
  assert.deepEqual(plain(Object.keys(client)), ['request', 'withIdempotencyKey', ...Object.keys(namespaces)])
})

for (const [argument, given] of [
  ['credentials', undefined],
  ['credentials', 'key-1'],
  ['apiKey', { apiSecret: 'secret' }],
  ['apiKey', { ...credentials, apiKey: 7 }],
  ['apiKey', { ...credentials, apiKey: '' }],
  ['apiKey', { ...credentials, apiKey: 'a\r\nx-injected: 1' }],
  ['apiSecret', { apiKey: 'key-1' }],
  ['apiSecret', { ...credentials, apiSecret: '' }],
  ['algorithm', { ...credentials, algorithm: 'ml-dsa' }],
] as const) {
  test(`${JSON.stringify(given)} throws a TypeError that names ${argument}`, () => {
    const { host } = recordingHost()
    // An instance of the realm's own TypeError.
    const isTypeError = ({ name, message }: Error) =>
      name === 'TypeError' && message.startsWith(`${argument} must be `)
    assert.throws(() => bare.createApiClient(given as never, host), isTypeError)
  })
}

/** A copy of a value as an object of this realm. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
