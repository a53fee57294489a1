import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { addUsers } from '../../test/accounts.ts'
import { answerJson, call, type Model, type StandIn, says, startProvider } from '../../test/ai/stand-in.ts'
import { providersFor } from '../../test/ai/thinking.ts'
import { type Protocol, protocols } from '../../test/ai/wire-formats.ts'
import type { Client, HmacKey } from '../../test/client.ts'
import { createTestDatabase, fileResources, withDatabase } from '../../test/databases.ts'
import { testEnvironment } from '../../test/environment.ts'
import { expect } from '../../test/reaction.ts'
import { startRemote } from '../../test/remote.ts'
import { startService, type TestService } from '../../test/service.ts'
import { readConfig } from '../config.ts'
import { aiConnections, users } from '../db/schema.ts'
import { UserLimits } from '../db/user-limits.ts'
import { openVault } from '../secrets/open.ts'
import { AiConnections } from './connections.ts'
import { openKey } from './credentials.ts'

const path = '/api/v2/api/llm'

type ListedModel = { id: number; name: string; source: string }

type Given = {
  account: Client
  other: Client
  providers: Record<Protocol, StandIn>
  /** The answer of all models in this test. Default: one word. */
  setModel(model: Model): void
}

type Stage = Pick<Given, 'providers' | 'setModel'> & { service: TestService; keys: HmacKey[] }

let started: Promise<Stage> | undefined
const accountCount = 16

/** A service with accounts and a provider of each kind, shared by all tests. */
async function start(): Promise<Stage> {
  let model: Model = says()
  const stoodIn: [Protocol, StandIn][] = []
  for (const protocol of protocols) {
    const provider = await startProvider(protocol, (asked) => model(asked))
    stoodIn.push([protocol, fileResources.use(provider)])
  }
  const providers = Object.fromEntries(stoodIn) as Given['providers']
  const database = fileResources.use(await createTestDatabase())
  const emails = Array.from({ length: accountCount }, (_, number) => `account-${number}@example.com`)
  const keys = await addUsers(database, emails)
  const env = { HTTP_ALLOW: stoodIn.map(([, { host }]) => host).join(','), LOG_LEVEL: 'silent' }
  const service = fileResources.use(await startService({ database, env }))
  const setModel = (next: Model) => {
    model = next
  }
  return { service, keys, providers, setModel }
}

/** Registers a test with two accounts of its own. */
function withProviders(name: string, fn: (given: Given) => Promise<void>): void {
  test(name, async () => {
    started ??= start()
    const { service, keys, providers, setModel } = await started
    setModel(says())
    for (const { questions } of Object.values(providers)) questions.length = 0
    const [account, other] = keys.splice(-2).map((key) => service.as(key))
    await fn({ account: account!, other: other!, providers, setModel })
  })
}

const settingsFor = ({ access, key, baseUrl }: StandIn, more = {}) => ({
  ...{ service_id: access(false).serviceId, api_key: key, base_url: baseUrl, model: 'stand-in', ...more },
})

withProviders(
  'an AI connection is tested, created, shown without its key, changed and deleted',
  async ({ account, providers }) => {
    const made = []
    for (const protocol of protocols) {
      const provider = providers[protocol]
      for (const streaming of [false, true]) {
        const settings = settingsFor(provider, { name: protocol, streaming, api_key: ` ${provider.key}\n` })
        const { message, ...connection } = await expect(201, account.api('POST', path, settings))
        assert.equal(message, 'Success')
        made.push(connection)
      }
      assert.equal(provider.questions.length, 2)
    }
    const [first, second] = made
    const { id, created_at, updated_at } = first
    assert.deepEqual(first, {
      ...{ id, service_id: 104, name: 'openai', model: 'stand-in', base_url: providers.openai.baseUrl },
      ...{ streaming: false, fallback_id: null, key_ending: providers.openai.key.slice(-4) },
      ...{ created_at, updated_at },
    })
    assert.deepEqual(await expect(200, account.api('GET', path)), made)
    assert.deepEqual(await expect(200, account.api('GET', `${path}?page=2&limit=5`)), {
      ...{ items: [made[5]], total: 6, page: 2, limit: 5 },
    })

    const changed = await expect(200, account.api('PUT', `${path}/${id}/model`, { model: 'org/other:free' }))
    assert.equal(changed.model, 'org/other:free')
    const setFallback = (of: number, fallback_id: number | null) =>
      account.api('PUT', `${path}/${of}/fallback`, { fallback_id })
    const withFallback = await expect(200, setFallback(id, second.id))
    assert.equal(withFallback.fallback_id, second.id)
    assert.deepEqual(await expect(200, account.api('GET', `${path}/${id}`)), withFallback)
    await expect(400, setFallback(id, id))
    await expect(400, setFallback(id, 999_999))
    const used = await expect(409, account.api('DELETE', `${path}/${second.id}`))
    assert.equal(used.code, 'resource_in_use')
    assert.deepEqual(used.details, [{ message: `AI connection ${id}`, id, name: 'openai' }])
    await expect(200, setFallback(id, null))
    for (const connection of made) {
      assert.equal(await expect(200, account.api('DELETE', `${path}/${connection.id}`)), 'Success')
    }
    assert.deepEqual(await expect(200, account.api('GET', path)), [])
    await expect(404, account.api('DELETE', `${path}/${id}`))
  },
)

withProviders(
  'a connection that its provider refuses is not stored, and the error has the reason, without the key',
  async ({ account, providers, setModel }) => {
    for (const protocol of protocols) {
      const provider = providers[protocol]
      const api_key = 'a-wrong-key-of-someone-4711'
      const refused = await expect(400, account.api('POST', path, settingsFor(provider, { api_key })))
      assert.match(refused.error, /rejected this connection: The provider answered 401: No key/)
      assert.ok(!JSON.stringify(refused).includes('4711'))
      setModel(says((response) => void response.writeHead(200).end('<html>')))
      await expect(400, account.api('POST', path, settingsFor(provider)))
      setModel(says((response) => answerJson(response, 429, {}, { 'retry-after': '33' })))
      const busy = await account.api('POST', path, settingsFor(provider))
      assert.equal(busy.status, 503)
      assert.equal(busy.headers.get('retry-after'), '33')
      setModel(says((response) => void response.socket!.destroy()))
      await expect(503, account.api('POST', path, settingsFor(provider)))
      setModel(says())
    }
    assert.deepEqual(await expect(200, account.api('GET', path)), [])

    const made = await expect(201, account.api('POST', path, settingsFor(providers.google)))
    setModel(says((response) => answerJson(response, 404, { error: { message: 'no such model' } })))
    const unknown = await expect(400, account.api('PUT', `${path}/${made.id}/model`, { model: 'else' }))
    assert.match(unknown.error, /Google rejected this connection/)
    assert.equal((await expect(200, account.api('GET', `${path}/${made.id}`))).model, 'stand-in')
  },
)

withProviders('an invalid connection asks no provider', async ({ account, providers }) => {
  await using inside = await startRemote()
  const { openai, anthropic } = providers
  const wrong: [field: string, settings: Record<string, unknown>][] = [
    ['service_id', settingsFor(openai, { service_id: 99 })],
    ['api_key', settingsFor(anthropic, { api_key: undefined })],
    ['api_key', settingsFor(openai, { api_key: 'two\nlines' })],
    ['api_key', settingsFor(openai, { api_key: 'é' })],
    ['base_url', settingsFor(openai, { base_url: undefined })],
    ['base_url', settingsFor(openai, { base_url: 'nowhere' })],
    ['base_url', settingsFor(openai, { base_url: inside.url })],
    ['base_url', settingsFor(anthropic, { base_url: 'https://10.0.0.1/v1' })],
    ['base_url', settingsFor(openai, { base_url: 'http://api.openai.com/v1' })],
    ['base_url', settingsFor(openai, { base_url: `${openai.baseUrl}?a=b` })],
    ['base_url', settingsFor(openai, { base_url: 'file:///etc/passwd' })],
    ['model', settingsFor(openai, { model: '../../files' })],
    ['model', settingsFor(openai, { model: 'a?b' })],
    ['fallback_id', settingsFor(openai, { fallback_id: 4_711 })],
  ]
  for (const [field, settings] of wrong) {
    const refused = await expect(400, account.api('POST', path, settings))
    assert.ok(JSON.stringify(refused.details).includes(`body.${field}`), JSON.stringify(refused))
  }
  const closed = await expect(400, account.api('POST', path, settingsFor(openai, { base_url: inside.url })))
  assert.match(closed.error, /its host is not public\. An administrator can allow it: HTTP_ALLOW/)
  assert.equal(openai.questions.length + anthropic.questions.length + inside.asked.length, 0)
})

withProviders("another account's connection is as absent as one that never was", async (given) => {
  const { account, other, providers } = given
  const { id } = await expect(201, account.api('POST', path, settingsFor(providers.openai)))
  const own = await expect(201, other.api('POST', path, settingsFor(providers.openai)))
  const asked = providers.openai.questions.length
  const requests: [method: string, path: (id: number) => string, body?: unknown][] = [
    ['GET', (one) => `${path}/${one}`],
    ['PUT', (one) => `${path}/${one}/model`, { model: 'x' }],
    ['PUT', (one) => `${path}/${one}/fallback`, { fallback_id: own.id }],
    ['PUT', (one) => `${path}/${one}/fallback`, { fallback_id: null }],
    ['DELETE', (one) => `${path}/${one}`],
    ['GET', (one) => `${path}/models/104?connection_id=${one}`],
  ]
  for (const [method, at, body] of requests) {
    const foreign = await expect(404, other.api(method, at(id), body))
    const absent = await expect(404, other.api(method, at(4_711), body))
    assert.equal(foreign.error.replace(String(id), '4711'), absent.error)
  }
  const taken = { fallback_id: id }
  await expect(400, other.api('PUT', `${path}/${own.id}/fallback`, taken))
  await expect(400, other.api('POST', path, settingsFor(providers.openai, taken)))
  assert.equal(providers.openai.questions.length, asked)
  assert.equal((await expect(200, other.api('GET', path))).length, 1)
  await expect(200, account.api('GET', `${path}/${id}`))
})

withProviders(
  'services and models are listed, with a connection as the provider lists them',
  async (given) => {
    const { account, providers } = given
    const services = await expect(200, account.api('GET', `${path}/services`))
    assert.deepEqual(
      services.slice(0, 4).map(({ id, name }: { id: number; name: string }) => `${id} ${name}`),
      ['101 OpenAI', '102 Anthropic', '103 Google', '104 OpenAI-compatible'],
    )
    for (const { id, needs_key, base_url } of services) {
      const models: ListedModel[] = await expect(200, account.api('GET', `${path}/models/${id}`))
      assert.ok(models.every(({ source }) => source === 'service'))
      assert.ok(base_url === null || !needs_key || base_url.startsWith('https://'))
    }
    await expect(404, account.api('GET', `${path}/models/99`))
    const { id } = await expect(201, account.api('POST', path, settingsFor(providers.google)))
    const listed: ListedModel[] = await expect(
      200,
      account.api('GET', `${path}/models/103?connection_id=${id}`),
    )
    assert.deepEqual(
      listed.map(({ name, source }) => [name, source]),
      [
        ['other', 'provider'],
        ['stand-in', 'provider'],
      ],
    )
    await expect(404, account.api('GET', `${path}/models/102?connection_id=${id}`))
  },
)

withProviders(
  'a model is chosen by its name, or by its id in the list, which is the same everywhere',
  async ({ account, other, providers }) => {
    const known: ListedModel[] = await expect(200, account.api('GET', `${path}/models/101`))
    assert.equal(new Set(known.map(({ id }) => id)).size, known.length)
    assert.ok(known.every(({ id }) => Number.isSafeInteger(id) && id > 0))
    const { id } = await expect(201, account.api('POST', path, settingsFor(providers.openai)))
    const target = `${path}/models/104?connection_id=${id}`
    const [model]: ListedModel[] = await expect(200, account.api('GET', target))
    assert.equal(model!.name, 'other')
    const asked = providers.openai.questions.length
    const set = (model: unknown) => account.api('PUT', `${path}/${id}/model`, { model })
    assert.equal((await expect(200, set(model!.id))).model, 'other')
    assert.equal((await expect(200, set('stand-in'))).model, 'stand-in')
    assert.equal(providers.openai.questions.length, asked + 2)
    const made = await expect(
      201,
      other.api('POST', path, settingsFor(providers.openai, { model: model!.id })),
    )
    assert.equal(made.model, 'other')
    for (const absent of [1, known[0]!.id, Number.MAX_SAFE_INTEGER]) {
      const refused = await expect(400, set(absent))
      assert.match(
        refused.error,
        /body\.model must be the name or the id of a model, and \d+ is neither: GET .*104/,
      )
    }
    await expect(400, account.api('POST', path, settingsFor(providers.openai, { model: 1 })))
    assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).model, 'stand-in')
    assert.equal(providers.openai.questions.length, asked + 3)
  },
)

withProviders('a key reaches the provider that was meant, by each id of its service', async (given) => {
  const { account, providers } = given
  const services: { id: number }[] = await expect(200, account.api('GET', `${path}/services`))
  const same = services.map(({ id }) => [id, id])
  // The second number is the service that is meant.
  const meant = {
    service_id: [...same, ...services.map(({ id }) => [id - 100, id])],
    serviceId: [...same, [1, 103], [2, 101], [3, 108], [4, 102], [5, 107], [7, 109], [15, 105], [17, 106]],
  }
  const make = (name: string, id: unknown, service: number) => {
    const { service_id: _, ...others } = settingsFor(providers[protocolOf(service)])
    return account.api('POST', path, { ...others, [name]: id })
  }
  for (const [name, ids] of Object.entries(meant)) {
    for (const [id, service] of ids as [number, number][]) {
      // A stand-in understands the requests of its own protocol only.
      const made = await expect(201, make(name, id, service))
      assert.equal(made.service_id, service, `${name} ${id}`)
      await expect(200, account.api('DELETE', `${path}/${made.id}`))
    }
    for (const id of [0, -1, 6, 11, 16, 18, 99, 100, 111, 1.5, '2x', null, true]) {
      if (name === 'service_id' && id === 6) continue
      const { details } = await expect(400, make(name, id, 104))
      assert.equal(details[0].field, `body.${name}`)
    }
  }
  const { error } = await expect(400, make('serviceId', 6, 104))
  assert.match(error, /body\.serviceId must be one of 1 \(Gemini\), 2 \(OpenAI\), .*17 \(Groq\), or an id of/)
  const both = await expect(
    400,
    account.api('POST', path, { ...settingsFor(providers.openai), serviceId: 2 }),
  )
  assert.match(both.error, /body\.serviceId means the same as `service_id`/)
})

function protocolOf(service: number): Protocol {
  return service === 102 ? 'anthropic' : service === 103 ? 'google' : 'openai'
}

withProviders(
  'an account has at most 50 connections, even if many are created at once; a connection in use cannot be deleted at the same moment',
  async (given) => {
    const { account, providers } = given
    const make = () => account.api('POST', path, settingsFor(providers.openai))
    const [fallback, user] = await Promise.all([expect(201, make()), expect(201, make())])
    const [set, gone] = await Promise.all([
      account.api('PUT', `${path}/${user.id}/fallback`, { fallback_id: fallback.id }),
      account.api('DELETE', `${path}/${fallback.id}`),
    ])
    assert.deepEqual([set.status, gone.status].sort(), set.status === 200 ? [200, 409] : [200, 400].sort())
    const answers = await Promise.all(Array.from({ length: 51 }, make))
    const statuses = new Set(answers.map(({ status }) => status))
    // Checks of credentials are limited, too.
    assert.ok([...statuses].every((status) => [201, 409, 429].includes(status)))
    assert.ok((await expect(200, account.api('GET', path))).length <= 50)
  },
)

withDatabase(
  'a key is sealed for its account, service and address, and opens nowhere else',
  async (place) => {
    await addUsers(place, ['own@example.com'])
    await using provider = await startProvider('openai', says({ calls: [call('x')] }))
    const database = await place.open()
    const vault = await openVault(readConfig(testEnvironment(place, {})), database)

    using asked = providersFor(provider)
    const connections = new AiConnections({ database, vault, limits: new UserLimits(), ...asked })
    const [user] = await database.db
      .select({ id: users.id })
      .from(users)
      .where(eq(users.email, 'own@example.com'))
    const userId = user!.id
    const { serviceId, baseUrl, model, apiKey } = provider.access(false)
    const settings = { serviceId, baseUrl, model, apiKey, name: '', streaming: false }
    const second = await connections.create(userId, { ...settings, fallbackId: null })
    const { id } = await connections.create(userId, { ...settings, fallbackId: second.id })
    assert.deepEqual(await connections.openFor(userId, id), {
      ...{ connection: provider.access(false), fallback: provider.access(false) },
    })
    assert.equal(await connections.openFor(userId + 1, id), undefined)

    const [row] = await database.db.select().from(aiConnections).where(eq(aiConnections.id, id))
    assert.ok(!row!.credentials.includes(apiKey!))
    const elsewhere = [
      { userId: userId + 1 },
      { serviceId: 2 },
      { baseUrl: 'https://evil.example/v1' },
      { baseUrl: null },
    ]
    for (const other of elsewhere) {
      assert.throws(() => openKey(vault, { ...row!, ...other }, row!.credentials))
    }
    // Someone who can write to the database cannot have the key sent to their own address.
    const evil = { baseUrl: 'https://evil.example/v1' }
    await database.db.update(aiConnections).set(evil).where(eq(aiConnections.id, second.id))
    assert.equal((await connections.openFor(userId, id))!.fallback, null)
    assert.equal((await connections.get(userId, second.id)).keyEnding, null)
    await assert.rejects(connections.setModel(userId, second.id, 'm'), { code: 'resource_conflict' })
    await connections.setFallback(userId, id, null)
    await connections.delete(userId, second.id)

    // Before ids of services moved from 1 and above to 101 and above, a key was sealed with the former one.
    const before = vault.seal(JSON.stringify({ apiKey }), `ai_connection ${userId} 4 ${baseUrl}`)
    const former = { serviceId: 4, credentials: before }
    await database.db.update(aiConnections).set(former).where(eq(aiConnections.id, id))
    const migration = new URL('../db/migrations/0027_ids_of_ai_services.sql', import.meta.url)
    await database.db.execute(await readFile(migration, 'utf8'))
    assert.equal((await connections.get(userId, id)).serviceId, 104)
    assert.equal((await connections.openFor(userId, id))!.connection.apiKey, apiKey)
  },
)
