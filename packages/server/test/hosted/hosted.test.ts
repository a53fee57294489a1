/**
 * A script from the hosted service runs unmodified: each operation takes what it declares and answers what it declares,
 * with both algorithms of API keys.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createApiClient } from '@tickwright/client/hosted'
import { says, startProvider } from '../ai/stand-in.ts'
import { startExchange } from '../connection.ts'
import { fileResources } from '../databases.ts'
import { startPredictions } from '../exchanges/predictions.ts'
import { expect } from '../reaction.ts'
import { startService, type TestService } from '../service.ts'
import { type Body, type Call, HostedClient, hmac, mlDsa } from './client.ts'
import { operations } from './operations.ts'
import { runScript, type World } from './script.ts'

let service: TestService
let world: World

before(async () => {
  const exchange = fileResources.use(await startExchange())
  const models = fileResources.use(await startProvider('openai', says()))
  const predictions = fileResources.use(await startPredictions())
  const endpoints = { binance: exchange.standIn.endpoints, polymarket: predictions.endpoints }
  const env = { EXCHANGE_ENDPOINTS: JSON.stringify(endpoints), HTTP_ALLOW: models.host }
  service = fileResources.use(await startService({ env }))
  const { api_key: publicKey, api_secret: privateKey } = exchange.credentials
  const { key: apiKey, baseUrl } = models
  world = { publicKey, privateKey, userId: 77_777, models: { apiKey, baseUrl } }
})

async function clientOf(algorithm: 'HMAC' | 'ML-DSA'): Promise<HostedClient> {
  const { api_key, api_secret } = await expect(
    201,
    service.api('POST', '/api/v2/api/key', { name: algorithm, algorithm }),
  )
  return new HostedClient(service.url, api_key, algorithm === 'HMAC' ? hmac(api_secret) : mlDsa(api_secret))
}

test('there are 162 operations, each with a name and a path of its own', () => {
  assert.equal(operations.length, 162)
  assert.equal(new Set(operations.map(({ name }) => name)).size, 162)
  assert.equal(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size, 162)
})

function hasAnswered({ answered, explained }: HostedClient): void {
  const left = operations.map(({ name }) => name).filter((name) => !answered.has(name))
  assert.deepEqual(left, [])
  assert.deepEqual(
    explained,
    new Set(['bots.prediction.status', 'bots.dex.status', 'bots.prediction.getMarket']),
  )
}

for (const algorithm of ['HMAC', 'ML-DSA'] as const) {
  test(`a script that signs with ${algorithm} is answered as declared`, async () => {
    const client = await clientOf(algorithm)
    await runScript(client, world)
    hasAnswered(client)
  })
}

/** Calls the methods of our own client library by the names that it has for such scripts. */
class LibraryClient extends HostedClient {
  #client: object

  constructor(...[origin, apiKey, apiSecret]: [string, string, string]) {
    super(origin, apiKey, hmac(apiSecret))
    this.#client = createApiClient({ baseUrl: origin, apiKey, apiSecret })
  }

  override async call(name: string, { places = [], query, body, beside }: Call = {}): Promise<Body> {
    // biome-ignore lint/suspicious/noExplicitAny: by its name alone
    const method = name.split('.').reduce((space: any, part) => space[part], this.#client)
    const fields = query ?? (body && { ...body, ...beside })
    const answer = await method(...places, ...(fields === undefined ? [] : [fields]))
    this.answered.add(name)
    return answer
  }
}

test('the same script runs with our client library, which has the same names', async () => {
  const { api_key, api_secret } = await expect(
    201,
    service.api('POST', '/api/v2/api/key', { name: 'Library', algorithm: 'HMAC' }),
  )
  const client = new LibraryClient(service.url, api_key, api_secret)
  await runScript(client, world)
  hasAnswered(client)
})
