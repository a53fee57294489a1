/** How many of each thing a user may have: every operation of the OpenAPI document that makes one comes to an end. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { defaultLimits, type Limited } from '../../src/base/default-limits.ts'
import { addUsers } from '../accounts.ts'
import { says, startProvider } from '../ai/stand-in.ts'
import { createClient } from '../client.ts'
import { startExchange } from '../connection.ts'
import { fileResources, withDatabase } from '../databases.ts'
import { administratorKey } from '../environment.ts'
import { startPredictions } from '../exchanges/predictions.ts'
import { startService } from '../service.ts'
import { fill } from './account.ts'
import { type ApiDocument, type Operation, readDocument } from './document.ts'
import { signUp } from './people.ts'
import { hmacClient, unsignedClient } from './stranger.ts'
import { Walk } from './walk.ts'

/** So few that one more of anything is soon too many, and enough for one of everything and a copy. */
const few: Record<Limited, number> = { ...defaultLimits }
for (const name of Object.keys(few) as Limited[]) few[name] = 8
const setting = Object.entries(few)
  .map(([name, figure]) => `${name}:${figure}`)
  .join(',')

let document: ApiDocument
let owner: Walk
let administrator: Walk

before(async () => {
  const exchange = fileResources.use(await startExchange())
  const models = fileResources.use(await startProvider('openai', says({ text: 'Yes.' })))
  const predictions = fileResources.use(await startPredictions())
  const endpoints = { binance: exchange.standIn.endpoints, polymarket: predictions.endpoints }
  const env = {
    EXCHANGE_ENDPOINTS: JSON.stringify(endpoints),
    HTTP_ALLOW: models.host,
    USER_LIMITS: setting,
    LOG_LEVEL: 'error',
  }
  const { url } = fileResources.use(await startService({ env }))
  const unsigned = unsignedClient(url)
  document = readDocument((await unsigned({ method: 'GET', target: '/api/v2/openapi.json' })).body)
  administrator = new Walk(document, hmacClient(url, administratorKey))
  owner = await signUp(administrator, unsigned, url, 'owner@example.com')
  const { serviceId: service_id, model } = models.access(false)
  const provider = { service_id, base_url: models.baseUrl, model, api_key: models.key, streaming: false }
  await fill(owner, { post: unsigned, credentials: exchange.credentials, provider })
})

/** What an operation makes, and is not counted: why. */
const exempt: Record<string, string> = {
  'POST /api/v2/user/totp': 'a user has one, which this makes again',
  'POST /api/v2/chat/link': 'a user has a few codes that are open, of which a new one replaces the oldest',
}

/** Bodies that differ from one time to the next, where the same would not make another. */
const bodies: Record<string, (n: number) => Record<string, unknown>> = {
  'POST /api/v2/env': (n) => ({ name: `NAME_${n}`, value: 'x' }),
  'POST /api/v2/test-payload': (n) => ({
    name: `case ${n}`,
    webhook_id: owner.ids.get('/webhook/data'),
    body: '{}',
  }),
  'POST /api/v2/bot/signal/dex': (n) => ({ exchange_id: 244, address: `0x${String(n).padStart(40, '0')}` }),
  'POST /api/v2/user/invitation': (n) => ({ email: `guest-${n}@example.com` }),
  'POST /api/v2/webhook/data/share/{id}': (n) => ({ userId: 1000 + n }),
  'POST /api/v2/webhook/bot/share/{id}': (n) => ({ userId: 1000 + n }),
}

/** What is limited by its rate. */
const paced = new Set(['POST /api/v2/notification/endpoint/{id}/test'])

test('every creating operation has a limit, and names it in the refusal', async () => {
  const making = document.operations.filter(({ isSigned, makes }) => isSigned && makes)
  assert.ok(making.length > 20)
  for (const operation of making) {
    const { line } = operation
    if (line in exempt) continue
    const refused = await repeat(operation)
    if (paced.has(line)) {
      assert.equal(refused.status, 429, `${line}: ${JSON.stringify(refused.body)}`)
      continue
    }
    assert.equal(refused.status, 409, `${line}: ${JSON.stringify(refused.body)}`)
    assert.equal(refused.body.code, 'limit_reached', line)
    assert.match(refused.body.error, /^You have 8 of at most 8 [\w ]+\. /, line)
    assert.equal(refused.body.details[0].limit, 8)
    document.hold(operation, refused)
  }
})

/** Sends an operation until it is refused for what there is already, and at most so often. */
async function repeat({ line, path }: Operation) {
  const walk = line === 'POST /api/v2/user/invitation' ? administrator : owner
  const place = path.slice('/api/v2'.length, path.indexOf('/{') === -1 ? undefined : path.indexOf('/{'))
  const target = path.replace('{id}', String(walk.ids.get(place)))
  const bodyOf = bodies[line] ?? (() => walk.bodies.get(line))
  for (let n = 0; n < 25; n++) {
    const body = bodyOf(n)
    const answer = await walk.send({
      method: 'POST',
      target,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (answer.status === 429 || answer.body.code === 'limit_reached') return answer
    const isMade = answer.status === 201 || (paced.has(line) && answer.status === 409)
    assert.ok(isMade, `${line} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
  return assert.fail(
    `${line} made 25 things, and nothing stopped it: give them a limit (packages/server/src/db/user-limits.ts), or say above why there is none.`,
  )
}

withDatabase('many at once make no more than there may be', async (place) => {
  const [key] = await addUsers(place, ['owner@example.com'])
  const env = { USER_LIMITS: 'data_webhooks:3,strategies:2,api_keys:4,shares:2' }
  await using service = await startService({ database: place, env })
  const client = createClient(service.url, key!)
  const api = '/api/v2'
  const counts = async (path: string, bodyOf: (n: number) => unknown, times = 8) => {
    const all = Array.from({ length: times }, (_, n) => client.api('POST', api + path, bodyOf(n)))
    const answers = await Promise.all(all)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [409, 'limit_reached'])
    return times - refused.length
  }
  assert.equal(await counts('/webhook/data', () => ({})), 3)
  assert.equal(await counts('/strategy/code', () => ({})), 2)
  // One is the key that signs.
  assert.equal(await counts('/api/key', () => ({ name: 'x', algorithm: 'HMAC' })), 3)
  const [webhook] = (await client.api('GET', `${api}/webhook/data`)).body
  assert.equal(await counts(`/webhook/data/share/${webhook.id}`, (n) => ({ userId: 500 + n })), 2)
  await client.api('DELETE', `${api}/webhook/data/${webhook.id}`)
  assert.equal(await counts('/webhook/data', () => ({}), 3), 1)
})
