import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createApiClient, createClient } from '../src/index.ts'

const options = { baseUrl: 'https://service.example', apiKey: 'key-1', apiSecret: 'secret' }
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
  format: 'der',
  type: 'pkcs8',
})
const otherSize = generateKeyPairSync('ml-dsa-65').privateKey.export({ format: 'der', type: 'pkcs8' })

for (const [name, wrong] of [
  ['options', undefined],
  ['baseUrl', { baseUrl: undefined }],
  ['baseUrl', { baseUrl: 'service.example' }],
  ['baseUrl', { baseUrl: 'ftp://service.example' }],
  ['baseUrl', { baseUrl: 'https://service.example/trading' }],
  ['baseUrl', { baseUrl: 'https://service.example?x' }],
  ['baseUrl', { baseUrl: 'https://user@service.example' }],
  ['baseUrl', { baseUrl: 'https://service.example\\@other.example' }],
  ['apiKey', { apiKey: undefined }],
  ['apiKey', { apiKey: 'two words' }],
  ['apiKey', { apiKey: 'ключ' }],
  ['apiSecret', { apiSecret: undefined }],
  ['apiSecret', { apiSecret: '' }],
  ['apiSecret', { algorithm: 'ML-DSA', apiSecret: 'no Base64!' }],
  ['apiSecret', { algorithm: 'ML-DSA', apiSecret: 'c2hvcnQ=' }],
  ['apiSecret', { algorithm: 'ML-DSA', apiSecret: Buffer.alloc(2560, 255).toString('base64') }],
  ['apiSecret', { algorithm: 'ML-DSA', apiSecret: rsa.toString('base64') }],
  ['apiSecret', { algorithm: 'ML-DSA', apiSecret: otherSize.toString('base64') }],
  ['algorithm', { algorithm: 'HMAC-SHA256' }],
  ['sign', { sign: 'signature' }],
  ['retries', { retries: -1 }],
  ['retries', { retries: 1.5 }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
] as const) {
  test(`the error names ${name} if options have ${JSON.stringify(wrong)?.slice(0, 60)}`, () => {
    const given = wrong === undefined ? undefined : { ...options, ...wrong }
    assert.throws(
      () => createApiClient(given as never),
      (error: Error) => error instanceof TypeError && error.message.startsWith(`${name} must be `),
    )
  })
}

for (const [name, wrong] of [
  ['session', { session: false }],
  ['session', { session: 'yes' }],
  ['baseUrl', { session: true }],
  ['baseUrl', { session: true, baseUrl: 'https://service.example/trading' }],
  ['apiKey', { ...options, session: true }],
  ['retries', { session: true, baseUrl: options.baseUrl, retries: -1 }],
] as const) {
  test(`outside a browser, the error names ${name} for a session with ${JSON.stringify(wrong)}`, () => {
    assert.throws(
      () => createApiClient(wrong as never),
      (error: Error) => error instanceof TypeError && error.message.startsWith(`${name} must be `),
    )
  })
}

for (const name of ['sign', 'send', 'now']) {
  test(`a client without the function ${name} cannot be created`, () => {
    const { apiSecret: _, ...rest } = options
    const functions = { sign: () => 's', send: async () => ({ status: 200, text: '[]' }), now: () => 0 }
    const given = { ...rest, ...functions, [name]: 'no function' }
    assert.throws(() => createClient(given as never), {
      name: 'TypeError',
      message: `${name} must be a function`,
    })
  })
}

test('a URL may end with a slash and be in capitals', async () => {
  const urls: string[] = []
  for (const baseUrl of ['https://service.example/', 'HTTP://SERVICE.EXAMPLE:8080', 'http://[::1]:3000']) {
    const send = async ({ url }: { url: string }) => {
      urls.push(url)
      return { status: 200, text: '[]' }
    }
    await createClient({ baseUrl, apiKey: 'key-1', sign: () => 's', send }).exchanges.cex()
  }
  assert.deepEqual(urls, [
    'https://service.example/api/v2/exchange/cex',
    'HTTP://SERVICE.EXAMPLE:8080/api/v2/exchange/cex',
    'http://[::1]:3000/api/v2/exchange/cex',
  ])
})

test('a sign function that returns no text has an error of its own', async () => {
  const send = async () => assert.fail('It was sent.')
  const client = createClient({ ...options, sign: () => undefined as never, send })
  await assert.rejects(client.exchanges.cex(), { name: 'TypeError', message: /^The result of sign must be/ })
})

/** Never called: the compiler checks these lines and the types of the results. */
export async function types({ exchanges, request }: ReturnType<typeof createApiClient>) {
  const [exchange] = await exchanges.list({ enabled: true })
  exchange?.type satisfies 'CEX' | 'DEX' | 'PREDICTION' | 'SIM' | undefined
  // @ts-expect-error the service would answer 400
  await exchanges.list({ enabled: 'yes' })
  // @ts-expect-error there is no such parameter
  await exchanges.list({ chain: '1' })
  // @ts-expect-error a chain is needed
  await exchanges.dex()
  // @ts-expect-error there is no such field
  exchange?.has_exchange_rate
  // @ts-expect-error there is no such operation
  await request('GET /api/v2/exchanges')
  // @ts-expect-error a body is needed
  await request('PUT /api/v2/exchange/{id} {body}', 1)
}
