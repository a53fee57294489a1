/** The platform's client against a real service. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { administratorKey } from '../../server/test/environment.ts'
import type { TestService } from '../../server/test/service.ts'
import { makeWebhook } from '../../server/test/webhook.ts'
import { withService } from '../../server/test/with-service.ts'
import {
  type ApiClient,
  type ApiClientOptions,
  ApiError,
  type CodeStrategy,
  createApiClient,
} from '../src/index.ts'

const { key: apiKey, secret: apiSecret } = administratorKey

function clientOf({ url }: TestService, options: Partial<ApiClientOptions> = {}): ApiClient {
  return createApiClient({ baseUrl: url, apiKey, apiSecret, ...options } as ApiClientOptions)
}

withService('the lists of exchanges are those of the service', async (service) => {
  const { exchanges } = clientOf(service)
  const body = async (path: string) => (await service.api('GET', `/api/v2/exchange${path}`)).body
  const all = await exchanges.list()
  assert.ok(all.length > 100)
  assert.deepEqual(all, await body(''))
  assert.deepEqual(await exchanges.list({ enabled: true }), await body('?enabled=true'))
  assert.deepEqual(
    await exchanges.list({ enabled: false, chainId: '1' }),
    await body('?enabled=false&chainId=1'),
  )
  assert.deepEqual(await exchanges.cex(), await body('/cex'))
  assert.deepEqual(await exchanges.dex('8453'), await body('/dex/8453'))
  assert.deepEqual(await exchanges.prediction(), await body('/prediction'))
  assert.deepEqual(await exchanges.withExchangeRate(), await body('/with-exchange-rate'))
  const chains = await Promise.all(['1', '56'].map(exchanges.dex))
  assert.deepEqual(chains, [await body('/dex/1'), await body('/dex/56')])
})

withService(
  'a save with ifMatch never overwrites another one, also if its answer was lost',
  async (service) => {
    const { strategies } = clientOf(service)
    const made = await strategies.code.create({ code: '$.log(1)' })
    const { id } = made
    assert.match(made.etag, /^"1-/)
    const read = await strategies.code.get(id)
    assert.equal(read.etag, made.etag)
    const saved = await strategies.code.update(id, { code: '$.log(2)' }, { ifMatch: read.etag })
    assert.notEqual(saved.etag, read.etag)
    const late = strategies.code.update(id, { code: '$.log(3)' }, { ifMatch: read.etag })
    await assert.rejects(late, ({ status, details }) => status === 409 && details[0].etag === saved.etag)
    const restored = await strategies.code.restore(id, 1, {}, { ifMatch: saved.etag })
    assert.equal(restored.code, '$.log(1)')
    // It is no field: not of a copy, and not of the JSON.
    assert.ok(!('etag' in { ...read }) && !JSON.stringify(read).includes('etag'))

    const key = clientOf(service).withIdempotencyKey('save-once')
    const condition = { ifMatch: restored.etag }
    const first = await key.strategies.code.update(id, { name: 'Once' }, condition)
    const repeated = await key.strategies.code.update(id, { name: 'Once' }, condition)
    assert.deepEqual([repeated, repeated.etag], [first, first.etag])
    const other = key.strategies.code.update(id, { name: 'Once' }, { ifMatch: first.etag })
    await assert.rejects(other, { status: 409, code: 'idempotency_key_reused' })
    await strategies.code.delete(id)
  },
)

withService('a CSV file is its text, and a refused one is an error as usual', async (service) => {
  const { fills, bots } = clientOf(service)
  assert.match(await fills.export(), /^id,order_id,.*,filled_at\r\n/)
  const missing = { status: 404, code: 'resource_not_found' }
  await assert.rejects(bots.signal.exportTrades(9_007_199_254_740_991), missing)
})

withService('an exchange has the fields and types of the contract', async (service) => {
  const [first] = await clientOf(service).exchanges.list()
  const types = Object.entries(first!).map(([name, value]) => `${name}: ${typeof value}`)
  assert.deepEqual(types, [
    'id: number',
    'type: string',
    'name: string',
    'service: string',
    'enabled: boolean',
    'hasExchangeRate: boolean',
    'extra: boolean',
  ])
})

withService('any argument arrives as it was given', async (service) => {
  const { exchanges } = clientOf(service)
  for (const chain of ["'", '1 2', 'a/b', '?', '#', '%2e', 'é', '\u{1f600}', '*()!~', '\\', ';+&=']) {
    assert.deepEqual(await exchanges.dex(chain), [])
    assert.deepEqual(await exchanges.list({ chainId: chain }), [])
  }
})

withService('every operation is there by its request line, those with a body too', async (service) => {
  const { request } = clientOf(service)
  const exchange = await request('PUT /api/v2/exchange/{id} {body}', 2, { enabled: false })
  assert.deepEqual([exchange.id, exchange.enabled], [2, false])
  assert.equal((await request('PUT /api/v2/exchange/{id} {body}', 2, { enabled: true })).enabled, true)
  const key = await request('POST /api/v2/api/key {body}', { name: 'München – €', algorithm: 'HMAC' })
  assert.equal(key.name, 'München – €')
  const rotated = await request('POST /api/v2/api/key/{id}/rotate {body}', key.id, {})
  assert.notEqual(rotated.api_secret, key.api_secret)
  assert.deepEqual(await request('DELETE /api/v2/api/key/{id}', key.id), { message: 'Success' })
})

withService('code strategies are made, switched and read by their request lines', async (service) => {
  const { request } = clientOf(service)
  const schedule = { cron_interval: '30 9 * * 1-5', timezone: 'America/New_York' }
  const made = await request('POST /api/v2/strategy/code {body}', {
    name: 'Open',
    code: 'return',
    ...schedule,
  })
  assert.deepEqual(
    [made.type, made.cron_interval, made.timezone],
    ['code-strategy', schedule.cron_interval, schedule.timezone],
  )
  await request('PUT /api/v2/strategy/code/{id}/status {body}', made.id, { status: 'ACTIVE' })
  const strategy: CodeStrategy = await request('GET /api/v2/strategy/code/{id}', made.id)
  assert.equal(strategy.status, 'ACTIVE')
  const copy = await request('POST /api/v2/strategy/code/duplicate {body}', { id: made.id })
  assert.deepEqual([copy.name, copy.status], ['Open (copy)', 'INACTIVE'])
  assert.deepEqual(await request('GET /api/v2/strategy/code/total'), { total: 2 })
  const { status, log } = await request('POST /api/v2/strategy/code/{id}/test {body}', made.id, {
    code: '$.log($.Strategy.type)',
  })
  assert.deepEqual([status, log], ['SUCCEEDED', 'code-strategy\n'])
  for (const { id } of [made, copy]) await request('DELETE /api/v2/strategy/code/{id}', id)
})

withService('a request without a body is answered, where a place for one is missing', async (service) => {
  const webhook = await makeWebhook(service)
  const { body: delivery } = await webhook.post({ last: 1 })
  const replayed = await clientOf(service).request('POST /api/v2/delivery/{id}/replay', delivery.id)
  assert.equal(replayed.reactions, 0)
})

withService('an ML-DSA key that the service made signs, given as it was shown', async (service) => {
  const { request } = clientOf(service)
  const key = await request('POST /api/v2/api/key {body}', { name: 'Made there', algorithm: 'ML-DSA' })
  const secret = { apiKey: key.api_key, apiSecret: key.api_secret!, algorithm: 'ML-DSA' as const }
  const { exchanges } = clientOf(service, secret)
  assert.ok((await exchanges.list({ enabled: true })).length > 100)
})

withService('an ML-DSA key of the user signs, as a seed or in a function of their own', async (service) => {
  const { publicKey, privateKey } = generateKeyPairSync('ml-dsa-44')
  const { api_key } = await clientOf(service).request('POST /api/v2/api/key {body}', {
    name: 'Mine alone',
    algorithm: 'ML-DSA',
    public_key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  })
  const seed = privateKey.export({ format: 'raw-seed' }).toString('base64')
  const withSeed = clientOf(service, { apiKey: api_key, apiSecret: seed, algorithm: 'ML-DSA' })
  assert.ok((await withSeed.exchanges.cex()).length > 100)
  const withFunction = createApiClient({
    baseUrl: service.url,
    apiKey: api_key,
    sign: (payload) => sign(null, Buffer.from(payload), privateKey).toString('base64'),
  })
  const renamed = { name: 'Signed elsewhere' }
  const keys = await withFunction.request('GET /api/v2/api/key?{query}')
  const own = (Array.isArray(keys) ? keys : keys.items).find((key) => key.api_key === api_key)!
  assert.equal(
    (await withFunction.request('PUT /api/v2/api/key/{id} {body}', own.id, renamed)).name,
    renamed.name,
  )
})

withService('an ML-DSA key signs as its expanded form', async (service) => {
  const vectors = new URL('../../server/src/outgoing/ml-dsa-44.vectors.json', import.meta.url)
  const [{ expandedKey, publicKey }] = JSON.parse(await readFile(vectors, 'utf8')).pairs
  const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')
  const { api_key } = await clientOf(service).apiKeys.create({
    name: 'Expanded',
    algorithm: 'ML-DSA',
    public_key: base64(publicKey),
  })
  const options = { apiKey: api_key, apiSecret: base64(expandedKey), algorithm: 'ML-DSA' } as const
  assert.ok((await clientOf(service, options).exchanges.cex()).length > 100)
})

withService('a refusal is an ApiError with all that the service says', async (service) => {
  const { request } = clientOf(service)
  const error = await request('POST /api/v2/api/key {body}', { name: '' } as never).then(
    () => assert.fail('It was accepted.'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ApiError)
  const { status, code, message, details, requestId, name } = error
  assert.deepEqual({ status, code, name }, { status: 400, code: 'request_invalid', name: 'ApiError' })
  assert.ok(details.some(({ field }) => field === 'body.algorithm'))
  assert.ok(message.includes('body.algorithm'), message)
  assert.match(requestId!, /\S/)
})

withService('each way to be refused has its code', async (service) => {
  const refused = (call: Promise<unknown>) =>
    call.then(
      () => assert.fail('It was accepted.'),
      (error: ApiError) => [error.status, error.code],
    )
  const wrongSecret = clientOf(service, { apiSecret: `${apiSecret}!` })
  assert.deepEqual(await refused(wrongSecret.exchanges.list()), [401, 'auth_invalid'])
  const unknownKey = clientOf(service, { apiKey: 'nobody' })
  assert.deepEqual(await refused(unknownKey.exchanges.list()), [401, 'auth_invalid'])
  const { request } = clientOf(service)
  assert.deepEqual(await refused(request('GET /api/v2/run/{id}', 4_000_000)), [404, 'resource_not_found'])
})
