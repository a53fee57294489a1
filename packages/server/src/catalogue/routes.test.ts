import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { createTestDatabase, type TestDatabase } from '../../test/databases.ts'
import { AppError } from '../base/errors.ts'
import type { Authenticate } from '../base/principal.ts'
import type { Database } from '../db/database.ts'
import { exchangeSettings } from '../db/schema.ts'
import { buildApp } from '../http/app.ts'
import { signedRequest } from '../http/authentication.ts'
import type { App } from '../http/types.ts'
import { type Catalogue, createCatalogue, type Exchange } from './catalogue.ts'
import { exchangeRoutes } from './routes.ts'

const fields = ['id', 'type', 'name', 'service', 'enabled', 'hasExchangeRate', 'extra']
const lists = [
  '/exchange',
  '/exchange?enabled=true',
  '/exchange?enabled=false',
  '/exchange?chainId=1',
  '/exchange/cex',
  '/exchange/dex/1',
  '/exchange/dex/nowhere',
  '/exchange/prediction',
  '/exchange/with-exchange-rate',
]

type Operation = { tags: string[]; security: object[]; summary?: string; responses: Record<string, object> }

/** The API key names the caller. The tests of http/ check signatures. */
const authenticate: Authenticate = ({ apiKey }) => {
  if (apiKey === 'admin') return { userId: 1, role: 'admin' }
  if (apiKey === 'user') return { userId: 2, role: 'user' }
  throw new AppError('auth_missing', 'Sign the request.')
}

let files: TestDatabase
let database: Database
let catalogue: Catalogue
let app: App
before(async () => {
  files = await createTestDatabase()
  database = await files.open()
  catalogue = await createCatalogue(database, { onError: (error) => assert.fail(`unexpected: ${error}`) })
  app = await buildApp({
    logger: pino({ level: 'silent' }),
    authenticate,
    market: 'live',
    apiRoutes: [exchangeRoutes(catalogue)],
    openRoutes: [],
  })
})
after(async () => {
  await app.close()
  await catalogue.close()
  await files[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await database.db.delete(exchangeSettings)
  await catalogue.refresh()
})

function request(method: 'GET' | 'PUT' | 'HEAD', path: string, options: InjectOptions = {}) {
  const headers = { 'api-key': 'user', ...options.headers }
  return app.inject({ ...options, method, url: `/api/v2${path}`, headers })
}

async function list(path: string): Promise<Exchange[]> {
  const response = await request('GET', path)
  assert.equal(response.statusCode, 200, `${path}: ${response.body}`)
  assert.match(response.headers['content-type'] as string, /^application\/json/)
  return response.json<Exchange[]>()
}

const enable = (id: number | string, body: unknown, apiKey = 'admin') =>
  request('PUT', `/exchange/${id}`, { headers: { 'api-key': apiKey }, payload: body as object })

const ids = (exchanges: Exchange[]) => exchanges.map(({ id }) => id)

test('every list holds exactly the seven fields, of their types, in order of id', async () => {
  for (const path of lists) {
    const exchanges = await list(path)
    for (const exchange of exchanges) {
      assert.deepEqual(Object.keys(exchange), fields)
      assert.deepEqual(
        Object.values(exchange).map((value) => typeof value),
        ['number', 'string', 'string', 'string', 'boolean', 'boolean', 'boolean'],
      )
    }
    assert.deepEqual(
      ids(exchanges),
      ids(exchanges).toSorted((one, other) => one - other),
    )
    assert.equal(new Set(ids(exchanges)).size, exchanges.length)
  }
})

test('without a query the whole catalogue is listed', async () => {
  const all = await list('/exchange')
  assert.ok(all.length > 300)
  assert.deepEqual(all[1], {
    id: 2,
    type: 'CEX',
    name: 'Binance',
    service: 'spot',
    enabled: true,
    hasExchangeRate: true,
    extra: false,
  })
  assert.deepEqual(new Set(all.map(({ type }) => type)), new Set(['CEX', 'DEX', 'PREDICTION', 'SIM']))
})

test('the filter enabled splits the catalogue in two', async () => {
  const all = await list('/exchange')
  const enabled = await list('/exchange?enabled=true')
  const disabled = await list('/exchange?enabled=false')
  assert.deepEqual(
    enabled,
    all.filter((exchange) => exchange.enabled),
  )
  assert.deepEqual(
    disabled,
    all.filter((exchange) => !exchange.enabled),
  )
  assert.ok(enabled.length > 0 && disabled.length > 0)
})

test('the filter enabled accepts only true and false', async () => {
  const wrong = [
    '',
    '1',
    '0',
    'yes',
    'TRUE',
    'False',
    'null',
    'undefined',
    '%20',
    '%20true',
    'true%00',
    '[]',
    '{}',
  ]
  for (const value of [...wrong, 'true&enabled=false', 'true&enabled=true']) {
    const response = await request('GET', `/exchange?enabled=${value}`)
    assert.equal(response.statusCode, 400, value)
    const { code, details } = response.json()
    assert.equal(code, 'request_invalid')
    assert.match(details[0].field, /enabled/)
  }
})

test('the filter chainId returns the DEXes on that chain, enabled or not', async () => {
  const onEthereum = await list('/exchange?chainId=1')
  assert.ok(onEthereum.length > 5)
  assert.ok(onEthereum.every(({ type }) => type === 'DEX'))
  assert.deepEqual(await list('/exchange/dex/1'), onEthereum)
  assert.deepEqual(await list('/exchange?chainId=1&enabled=false'), onEthereum)
  assert.deepEqual(await list('/exchange?chainId=1&enabled=true'), [])

  await enable(onEthereum[0]!.id, { enabled: true })
  assert.deepEqual(ids(await list('/exchange?chainId=1&enabled=true')), [onEthereum[0]!.id])
  assert.deepEqual(ids(await list('/exchange/dex/1')), ids(onEthereum))
})

test('a chain that no exchange serves gives an empty list, whatever its id', async () => {
  const strange = [
    '999999999',
    '01',
    '0x1',
    '-1',
    '1.0',
    ' 1',
    '1 OR 1=1',
    'null',
    '__proto__',
    '💥',
    "';--",
    '../cex',
  ]
  for (const chain of [...strange, 'x'.repeat(400)]) {
    assert.deepEqual(await list(`/exchange/dex/${encodeURIComponent(chain)}`), [], chain)
    assert.deepEqual(await list(`/exchange?chainId=${encodeURIComponent(chain)}`), [], chain)
  }
  assert.deepEqual(await list('/exchange?chainId='), [])
  assert.deepEqual(await list(`/exchange?chainId=${'9'.repeat(8000)}`), [])
})

test('an unknown query parameter is refused', async () => {
  for (const name of ['type', 'hasExchangeRate', 'chainid', '__proto__']) {
    const response = await request('GET', `/exchange?${name}=1`)
    assert.equal(response.statusCode, 400, name)
    assert.equal(response.json().details[0].field, `querystring.${name}`)
  }
})

test('chainId is one value', async () => {
  assert.equal((await request('GET', '/exchange?chainId=1&chainId=10')).statusCode, 400)
})

test('a DEX list without a chain, or with a blank one, is refused', async () => {
  const missing = ['/exchange/dex', '/exchange/dex/', '/exchange/dex?chainId=1']
  const blank = [' ', '   ', '\t', '\r\n', '\u00a0', '\u3000 '].map(
    (chain) => `/exchange/dex/${encodeURIComponent(chain)}`,
  )
  for (const path of [...missing, ...blank]) {
    const response = await request('GET', path)
    assert.equal(response.statusCode, 400, path)
    assert.equal(response.json().code, 'exchange_chain_missing')
  }
})

test('the lists by type are parts of the whole list', async () => {
  await enable(2, { enabled: false })
  await enable(15, { enabled: true })
  assert.equal((await list('/exchange/prediction')).filter(({ enabled }) => enabled).length, 1)
  const all = await list('/exchange')
  const part = (keep: (exchange: Exchange) => boolean) => all.filter(keep)
  assert.deepEqual(
    await list('/exchange/cex'),
    part(({ type, enabled }) => type === 'CEX' && enabled),
  )
  assert.deepEqual(
    await list('/exchange/prediction'),
    part(({ type }) => type === 'PREDICTION'),
  )
  assert.deepEqual(
    await list('/exchange/with-exchange-rate'),
    part(({ hasExchangeRate, enabled }) => hasExchangeRate && enabled),
  )
  assert.ok(!ids(await list('/exchange/cex')).includes(2))
  assert.ok(ids(await list('/exchange/prediction')).includes(15))
  assert.deepEqual(ids(await list('/exchange/with-exchange-rate')), [3, 6, 7, 8, 9, 11, 12, 13, 14])
})

test('the simulated market is in the whole list, and in no list of places to trade', async () => {
  const simulated = (exchanges: Exchange[]) => exchanges.filter(({ type }) => type === 'SIM')
  for (const path of lists) {
    const isWhole = path === '/exchange' || path === '/exchange?enabled=true'
    assert.equal(simulated(await list(path)).length, isWhole ? 1 : 0, path)
  }
})

test('a list that the client already has is not sent again', async () => {
  for (const path of lists) {
    const first = await request('GET', path)
    const etag = first.headers.etag as string
    assert.match(etag, /^"[\w-]{16}"$/)
    assert.equal(first.headers['content-length'], String(first.rawPayload.length))
    for (const known of [etag, `W/${etag}`, `"other", W/${etag}`, `"a","b",${etag}`, '*', ' * ']) {
      const again = await request('GET', path, { headers: { 'if-none-match': known } })
      assert.equal(again.statusCode, 304, known)
      assert.equal(again.body, '')
      assert.equal(again.headers.etag, etag)
    }
    for (const other of ['"other"', etag.replaceAll('"', ''), `"x${etag.slice(1)}`, '', '"*"']) {
      const again = await request('GET', path, { headers: { 'if-none-match': other } })
      assert.equal(again.statusCode, 200, other)
      assert.equal(again.body, first.body)
    }
  }
})

test('different lists have different tags', async () => {
  const tags = await Promise.all(lists.map(async (path) => (await request('GET', path)).headers.etag))
  // Two of the paths return the same list.
  assert.equal(new Set(tags).size, lists.length - 1)
})

test('HEAD returns the tag and the length without the list', async () => {
  const get = await request('GET', '/exchange/cex')
  const head = await request('HEAD', '/exchange/cex')
  assert.equal(head.statusCode, 200)
  assert.equal(head.body, '')
  assert.equal(head.headers.etag, get.headers.etag)
  assert.equal(head.headers['content-length'], get.headers['content-length'])
})

test('an administrator enables or disables an exchange, and the next request sees it', async () => {
  const before = await request('GET', '/exchange/cex')
  const response = await enable(2, { enabled: false })
  assert.equal(response.statusCode, 200)
  assert.deepEqual(Object.keys(response.json()), fields)
  assert.equal(response.json().enabled, false)
  assert.ok(!ids(await list('/exchange/cex')).includes(2))
  assert.equal((await list('/exchange')).find(({ id }) => id === 2)?.enabled, false)

  const etag = before.headers.etag as string
  assert.equal(
    (await request('GET', '/exchange/cex', { headers: { 'if-none-match': etag } })).statusCode,
    200,
  )
  assert.equal((await enable(2, { enabled: true })).json().enabled, true)
  assert.equal(
    (await request('GET', '/exchange/cex', { headers: { 'if-none-match': etag } })).statusCode,
    304,
  )
})

test('other users cannot enable or disable an exchange', async () => {
  const response = await enable(2, { enabled: false }, 'user')
  assert.equal(response.statusCode, 403)
  assert.equal(response.json().code, 'access_denied')
  // The answer does not even show whether the exchange exists.
  assert.equal((await enable(5, { enabled: false }, 'user')).statusCode, 403)
  assert.ok(ids(await list('/exchange/cex')).includes(2))
})

test('an unknown exchange cannot be enabled or disabled', async () => {
  for (const id of [5, 10, 17, 99, 1_000_000, Number.MAX_SAFE_INTEGER]) {
    const response = await enable(id, { enabled: true })
    assert.equal(response.statusCode, 404, String(id))
    assert.equal(response.json().code, 'resource_not_found')
  }
})

test('an invalid setting is refused and changes nothing', async () => {
  for (const body of [
    {},
    { enabled: 'false' },
    { enabled: null },
    { enabled: 0 },
    { enabled: false, id: 3 },
    [],
  ]) {
    assert.equal((await enable(2, body)).statusCode, 400, JSON.stringify(body))
  }
  for (const id of ['0', '-1', '1.5', 'two', '%20', '9007199254740993']) {
    assert.equal((await enable(id, { enabled: false })).statusCode, 400, id)
  }
  assert.deepEqual(await database.db.select().from(exchangeSettings), [])
})

test('concurrent changes all take effect', async () => {
  const switched = [1, 2, 3, 4, 6, 7, 8, 9, 11, 12]
  const responses = await Promise.all(switched.map((id) => enable(id, { enabled: false })))
  for (const response of responses) assert.equal(response.json().enabled, false)
  const enabled = new Set(ids(await list('/exchange/cex')))
  for (const id of switched) assert.ok(!enabled.has(id), String(id))
})

test('without a signature, nothing is shown or changed', async () => {
  for (const path of [...lists, '/exchange/dex', '/exchange/dex/']) {
    assert.equal((await request('GET', path, { headers: { 'api-key': '' } })).statusCode, 401, path)
  }
  assert.equal((await enable(2, { enabled: false }, 'nobody')).statusCode, 401)
})

test('the OpenAPI document describes each route with its errors and its signature', async () => {
  const { paths } = (await app.inject('/api/v2/openapi.json')).json()
  const described = Object.keys(paths).filter((path) => path.startsWith('/api/v2/exchange'))
  assert.deepEqual(described.sort(), [
    '/api/v2/exchange',
    '/api/v2/exchange/cex',
    '/api/v2/exchange/dex/{chain}',
    '/api/v2/exchange/dex/{chain}/{id}',
    '/api/v2/exchange/prediction',
    '/api/v2/exchange/with-exchange-rate',
    '/api/v2/exchange/{id}',
  ])
  for (const path of described) {
    for (const operation of Object.values<Operation>(paths[path])) {
      assert.deepEqual(operation.tags, ['Exchanges'])
      assert.deepEqual(operation.security, signedRequest)
      assert.ok(operation.summary && operation.responses['200'] && operation.responses['500'], path)
    }
  }
  assert.ok(paths['/api/v2/exchange/dex/{chain}'].get.responses['400'])
  const { schema } = paths['/api/v2/exchange'].get.responses['200'].content['application/json']
  assert.deepEqual(Object.keys(schema.items.properties), fields)
})
