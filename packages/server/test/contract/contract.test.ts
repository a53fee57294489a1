/**
 * The wire contract as the author of another client meets it, over every operation of the OpenAPI document. An unknown
 * operation fails: describe it in `account.ts`.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { call, type Model, startProvider } from '../ai/stand-in.ts'
import { startExchange } from '../connection.ts'
import { createTestDatabase, fileResources } from '../databases.ts'
import { administratorKey } from '../environment.ts'
import { startPredictions } from '../exchanges/predictions.ts'
import { startService } from '../service.ts'
import { clear, fill, installation, run, share } from './account.ts'
import { linkedChat } from './chats.ts'
import { type ApiDocument, type Operation, readDocument, sampleOf } from './document.ts'
import { administer, endSessions, signUp, useAccount } from './people.ts'
import { hmacClient, type Reply, type Sender, unsignedClient } from './stranger.ts'
import { api, Walk } from './walk.ts'

let document: ApiDocument
let unsigned: Sender
let owner: Walk
let stranger: Walk
let administrator: Walk

before(async () => {
  const exchange = fileResources.use(await startExchange())
  const models = fileResources.use(await startProvider('openai', decideToAct))
  const predictions = fileResources.use(await startPredictions())
  const endpoints = { binance: exchange.standIn.endpoints, polymarket: predictions.endpoints }
  const env = { EXCHANGE_ENDPOINTS: JSON.stringify(endpoints), HTTP_ALLOW: models.host, LOG_LEVEL: 'error' }
  const database = fileResources.use(await createTestDatabase())
  const { url } = fileResources.use(await startService({ database, env }))
  unsigned = unsignedClient(url)
  document = readDocument((await unsigned({ method: 'GET', target: '/api/v2/openapi.json' })).body)
  administrator = new Walk(document, hmacClient(url, administratorKey))
  owner = await signUp(administrator, unsigned, url, 'owner@example.com')
  stranger = await signUp(administrator, unsigned, url, 'stranger@example.com')
  await installation(administrator)
  await administer(administrator)
  const { serviceId: service_id, model } = models.access(false)
  const address = { service_id, base_url: models.baseUrl }
  const provider = { ...address, model, api_key: models.key, streaming: false }
  const surroundings = { post: unsigned, credentials: exchange.credentials, provider }
  for (const walk of [owner, stranger]) {
    await linkedChat(database, walk)
    await fill(walk, surroundings)
  }
  await run(owner, surroundings)
  const [session] = await owner.list('/user/sessions')
  owner.ids.set('/user/sessions', session.id)
})

/** The model acts if the prompt says so. */
const decideToAct: Model = ({ text, turn }) =>
  turn === 0 && text.includes('Act on')
    ? { calls: [call('open_position', { direction: 'LONG' })] }
    : { text: 'Yes.' }

const signed = () => document.operations.filter(({ isSigned }) => isSigned)
const absent = 9_007_199_254_740_991

/** A request of an operation: ids of the path in order, and a valid body unless one is given. */
function requestOf({ line, method, path, body }: Operation, id: number | string = absent, given?: unknown) {
  const target = path.replaceAll(/\{\w+\}/g, String(id))
  const sent = given ?? owner.bodies.get(line) ?? (body && sampleOf(body))
  return { method, target, ...(sent === undefined || method === 'GET' ? {} : { body: JSON.stringify(sent) }) }
}

test('no operation answers an unsigned request', async () => {
  for (const operation of signed()) {
    const { status, body } = await unsigned(requestOf(operation))
    assert.deepEqual([status, body.code], [401, 'auth_missing'], operation.line)
  }
})

test('a body that is not application/json is refused before anything else', async () => {
  for (const operation of signed().filter(({ body, method }) => body !== undefined && method !== 'DELETE')) {
    const request = { ...requestOf(operation), headers: { 'content-type': 'text/plain' } }
    const { status, body } = await owner.send(request)
    assert.deepEqual([status, body.code], [415, 'body_not_json'], operation.line)
  }
})

test('an invalid boolean, page or id is named', async () => {
  for (const operation of signed()) {
    const wrong = operation.parameters.flatMap(({ name, schema }) => {
      if (schema.type === 'boolean') return [[name, 'maybe']]
      if (name === 'page') return [[name, '0']]
      if (name === 'limit') return [[name, '201']]
      return []
    })
    for (const [name, value] of wrong) {
      const { method, target } = requestOf(operation)
      const { status, body } = await owner.send({ method, target: `${target}?${name}=${value}` })
      assert.deepEqual([status, body.code], [400, 'request_invalid'], `${operation.line} ${name}`)
      assert.ok(
        body.details.some(({ field }: { field: string }) => field === `querystring.${name}`),
        body.error,
      )
    }
    for (const id of operation.parameters.some(isId) ? ['0', 'x', '1.5', '-1'] : []) {
      const { status } = await owner.send(requestOf(operation, id))
      assert.ok([400, 404].includes(status), `${operation.line} with ${id}: ${status}`)
    }
  }
})

const isId = ({ in: place, name }: Operation['parameters'][number]) => place === 'path' && name === 'id'

/** Operations of administrators on records without an owner: 403 for others, whatever the id. */
const administrative = new Set(['PUT /api/v2/exchange/{id}', 'DELETE /api/v2/user/invitation/{id}'])

/** Operations that are the same for all users. */
const common = new Set([
  'GET /api/v2/api/llm/models/{id}',
  'GET /api/v2/exchange/dex/{chain}/{id}',
  'GET /api/v2/exchange/{id}/protection',
  'GET /api/v2/bot/signal/dex/factory/{chain}/{id}',
])

const withIds = () => signed().filter(({ line, parameters }) => parameters.some(isId) && !common.has(line))

/** The owner's id for the path of an operation. */
function ownIdOf({ line, path }: Operation): number {
  const place = path.slice(api.length, path.indexOf('/{'))
  const id = owner.ids.get(place) ?? administrator.ids.get(place)
  assert.ok(id, `${line}: what is ${place}? Have the account make one, and note its id.`)
  return id
}

/** An answer with a placeholder for `id`, or for another given id, so that answers can be compared. */
function shapeOf({ status, body }: Reply, id: number, inPlace = id): unknown {
  const { request_id: _, ...rest } = body
  return JSON.parse(JSON.stringify([status, rest]).replaceAll(String(id), String(inPlace)))
}

test("another user's id gets the same answer as an unused one", async () => {
  const before = await everythingOf(owner)
  for (const operation of withIds()) {
    const theirs = ownIdOf(operation)
    const asked = async (id: number, body?: unknown) =>
      shapeOf(await stranger.send(requestOf(operation, id, body)), id, theirs)
    const refused = await asked(theirs)
    const status = administrative.has(operation.line) ? 403 : 404
    assert.equal((refused as [number])[0], status, `${operation.line}: ${JSON.stringify(refused)}`)
    assert.deepEqual(refused, await asked(absent), operation.line)
    for (const body of [{}, { id: 'x', name: 7, status: 'SOLD', code: 'eval', userId: -1 }, []]) {
      assert.deepEqual(await asked(theirs, body), await asked(absent, body), operation.line)
    }
  }
  assert.deepEqual(await everythingOf(owner), before)
})

/** Fields that runs, prices and attempts at delivery change without a request. */
const moving = new Set([
  ...['equity', 'balance', 'positions', 'runs', 'storage', 'last_run_at', 'next_run_at'],
  ...['last_trigger', 'response', 'deliveries', 'next_attempt_at'],
])

async function everythingOf(walk: Walk): Promise<unknown[]> {
  const own = withIds().filter(({ line }) => /^GET .*\/\{id\}$/.test(line) && !line.includes('/public/'))
  return Promise.all(
    own.map(async (operation) => {
      const { status, body } = await walk.send(requestOf(operation, ownIdOf(operation)))
      assert.equal(status, 200, operation.line)
      return Object.entries(body).filter(([name]) => !moving.has(name))
    }),
  )
}

test("another user's id in a query gets the same answer as an unused one", async () => {
  for (const operation of signed().filter(({ method }) => method !== 'DELETE')) {
    for (const { name, in: place } of operation.parameters) {
      const theirs = place === 'query' ? referenced(operation, name) : undefined
      if (theirs === undefined) continue
      const request = requestOf(operation, ownIdIn(stranger, operation))
      const asked = (id: number) => stranger.send({ ...request, target: `${request.target}?${name}=${id}` })
      const answers = [shapeOf(await asked(theirs), theirs), shapeOf(await asked(absent), absent, theirs)]
      assert.deepEqual(answers[0], answers[1], `${operation.line} ${name}`)
    }
  }
})

test("another user's id in a body gets the same answer as an unused one", async () => {
  let asked = 0
  for (const operation of signed().filter(({ body, method }) => body !== undefined && method !== 'DELETE')) {
    for (const name of Object.keys(operation.body!.properties ?? {})) {
      const theirs = referenced(operation, name)
      if (theirs === undefined) continue
      const refer = (id: number) => {
        const body = { ...stranger.bodies.get(operation.line), [name]: id }
        return stranger.send(requestOf(operation, ownIdIn(stranger, operation), body))
      }
      const refused = await refer(theirs)
      assert.ok(
        refused.status === 400 || refused.status === 404,
        `${operation.line} ${name}: ${refused.status}`,
      )
      assert.deepEqual(shapeOf(refused, theirs), shapeOf(await refer(absent), absent, theirs), operation.line)
      asked++
    }
  }
  assert.ok(asked > 10)
})

function ownIdIn(walk: Walk, { path }: Operation): number | undefined {
  return walk.ids.get(path.slice(api.length, path.indexOf('/{')))
}

/** The owner's record that a field refers to, if it refers to a record with an owner. */
function referenced({ path }: Operation, name: string): number | undefined {
  const [kind = '/bot/signal/cex'] = /\/strategy\/(reaction\/)?\w+|\/bot\/signal\/\w+/.exec(path) ?? []
  const places: Record<string, string> = {
    webhook_id: '/webhook/bot',
    data_webhook_id: '/webhook/data',
    bot_webhook_id: '/webhook/bot',
    connection_id: `/api/${/llm|prediction/.exec(path)?.[0] ?? 'exchange'}`,
    fallback_id: '/api/llm',
    endpoint_id: '/notification/endpoint',
    folder_id: `${kind}/folder`,
    parent_id: `${kind}/folder`,
    bot_id: '/bot/signal/cex',
    strategy_id: '/strategy/reaction/code',
    run_id: '/run',
    user_id: '/user',
    id: path.slice(api.length).replace(/\/duplicate$/, ''),
  }
  return owner.ids.get(places[name] ?? '')
}

test('webhooks are shared, and shares are revoked', () => share(owner, stranger))

test('users manage their own account', async () => {
  await useAccount(stranger)
})

test('a DELETE signs everything that it sends, and deletes', async () => {
  await clear(owner)
  await endSessions(owner)
  for (const [walk, path] of [
    [administrator, '/user/invitation'],
    [administrator, '/user'],
  ] as const) {
    await walk.delete(`${path}/${(walk.ids.get(path) ?? owner.ids.get(path))!}`)
  }
})

test('a client written from the document alone has used every operation', () => {
  const visited = [owner, stranger, administrator].flatMap((walk) => [...walk.visited])
  const missed = signed().filter(({ line }) => !visited.includes(line))
  assert.deepEqual(
    missed.map(({ line }) => line),
    [],
    'Have an account use them in packages/server/test/contract.',
  )
})
