/** The client of strategies: in an executor's isolate, through `$.Http`, against a real service. */
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '../../sandbox/src/index.ts'
import { inputOf, logged, recordingHost } from '../../sandbox/src/test-support.ts'
import { createSigner } from '../../server/src/outgoing/signing.ts'
import { administratorKey } from '../../server/test/environment.ts'
import type { TestService } from '../../server/test/service.ts'
import { withService } from '../../server/test/with-service.ts'

const modulePath = fileURLToPath(new URL('../src/sandbox.ts', import.meta.url))

/** Runs code once; `$.Env` has an API key, and `$.Http` reaches everything. */
async function run(service: TestService, code: string, env: Record<string, string>) {
  await using sandbox = await openSandbox({ executors: 1, apiClient: { modulePath, baseUrl: service.url } })
  const host = recordingHost({
    http: async ({ method, url, headers, body }) => {
      const response = await fetch(url, { method, headers, body })
      return { status: response.status, text: await response.text(), cache: false }
    },
    sign: createSigner(),
  })
  const outcome = await sandbox.run({ strategyId: 1, code, input: inputOf({ env }), host })
  return { outcome, requests: host.requests }
}

withService('a strategy lists the exchanges of its service', async (service) => {
  const env = { API_KEY: administratorKey.key, API_SECRET: administratorKey.secret }
  const code = `
    const { API_KEY: apiKey, API_SECRET: apiSecret } = $.Env
    const { exchanges } = $.Http.createApiClient({ apiKey, apiSecret })
    const lists = await Promise.all([
      exchanges.list({ enabled: true }), exchanges.cex(), exchanges.dex('8453'), exchanges.prediction(), exchanges.withExchangeRate(),
    ])
    $.log(JSON.stringify(lists.map((list) => list.map(({ id }) => id))))`
  const { outcome } = await run(service, code, env)
  const paths = ['?enabled=true', '/cex', '/dex/8453', '/prediction', '/with-exchange-rate']
  const answers = await Promise.all(paths.map((path) => service.api('GET', `/api/v2/exchange${path}`)))
  assert.deepEqual(
    logged(outcome),
    answers.map(({ body }) => body.map(({ id }: { id: number }) => id)),
  )
})

withService('a strategy signs with ML-DSA, and may send bodies', async (service) => {
  const made = await service.api('POST', '/api/v2/api/key', { name: 'For a strategy', algorithm: 'ML-DSA' })
  const env = { API_KEY: made.body.api_key, API_SECRET: made.body.api_secret }
  const code = `
    const { API_KEY: apiKey, API_SECRET: apiSecret } = $.Env
    const client = $.Http.createApiClient({ apiKey, apiSecret, algorithm: 'ML-DSA' })
    const renamed = await client.request('PUT /api/v2/api/key/{id} {body}', ${made.body.id}, { name: 'Größer' })
    const once = client.withIdempotencyKey('from a strategy')
    const folders = await Promise.all([1, 2].map((n) => once.strategies.code.folders.create({ name: 'once' }).catch((error) => error)))
    const ids = folders.filter(({ code }) => code !== 'idempotency_under_way').map(({ id }) => id)
    $.log(JSON.stringify([renamed.name, new Set(ids).size]))`
  assert.deepEqual(logged((await run(service, code, env)).outcome), ['Größer', 1])
})

withService('a strategy uses the names of the hosted service, with both algorithms', async (service) => {
  const begin = `
    const { API_KEY: apiKey, API_SECRET: apiSecret, ALGORITHM: algorithm } = $.Env
    const client = await $.Http.createApiClient({ apiKey, apiSecret, algorithm })
    const { bot } = client.webhooks
    const webhook = await bot.create({ name: 'Moved' })`
  // In two runs, because a run has a few seconds for its requests, also on a busy machine.
  const sharing = `
    const { message } = await bot.update(String(webhook.id), { name: 'Renamed' })
    await bot.async(webhook.id, { userId: '77777' })
    const shared = (await bot.getWithShared('77777')).length
    await bot.deleteShare(webhook.id, { userId: '77777' })
    $.log(JSON.stringify([message, shared, await bot.delete(webhook.id)]))`
  const following = `
    const made = await client.bots.cex.create({ webhook_id: String(webhook.id), exchange_id: 2, pair_base: 'BTC', pair_quote: 'USDT', amount: 1, is_quote: false })
    const { data } = await client.webhooks.bot.listBotSignalCex(webhook.id)
    const { total } = await client.request({ method: 'GET', path: '/bot/signal/cex/total' })
    await client.bots.cex.delete(made.id)
    $.log(JSON.stringify([data.length, total, made.symbol, made.amount_in]))`
  for (const algorithm of ['HMAC', 'ML-DSA']) {
    const { body } = await service.api('POST', '/api/v2/api/key', { name: algorithm, algorithm })
    const env = { API_KEY: body.api_key, API_SECRET: body.api_secret, ALGORITHM: algorithm }
    const logs = async (code: string) => logged((await run(service, begin + code, env)).outcome)
    assert.deepEqual(await logs(sharing), ['Success', 1, 'Success'], algorithm)
    assert.deepEqual(await logs(following), [1, 1, 'BTC/USDT', 'BTC'], algorithm)
  }
})

withService('a refusal can be caught in a strategy, and is sent once', async (service) => {
  const code = `
    const { exchanges } = $.Http.createApiClient({ apiKey: 'nobody', apiSecret: 'nothing' })
    const { name, status, code } = await exchanges.list().catch((error) => error)
    $.log(JSON.stringify([name, status, code]))`
  const { outcome, requests } = await run(service, code, {})
  assert.deepEqual(logged(outcome), ['ApiError', 401, 'auth_invalid'])
  assert.equal(requests.length, 1)
})
