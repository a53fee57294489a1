import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { createTestDatabase } from '../../test/databases.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startRemote } from '../../test/remote.ts'
import { startService } from '../../test/service.ts'

const remote = await startRemote(({ method, url }, response) => {
  response.setHeader('x-method', method)
  response.statusCode = url.startsWith('/missing') ? 404 : 200
  response.end(`${method} ${url}`)
})

/** Another server on the loopback address, which is not in HTTP_ALLOW. */
let reached = 0
const neighbour = createServer((_request, response) => {
  reached += 1
  response.end('secret')
})
await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve))
const neighbourPort = (neighbour.address() as { port: number }).port

const database = await createTestDatabase()
const service = await startService({
  database,
  env: { HTTP_ALLOW: remote.host },
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await remote[Symbol.asyncDispose]()
  neighbour.close()
})

/** Runs code once, in a new reaction. Resolves to the record of the run. */
async function runOnce(code: string, fields: Record<string, unknown> = {}) {
  const reaction = await makeReaction(service, code, fields)
  await reaction.post({})
  const [run] = await reaction.ended(1)
  return run
}

/** The last line of the log, parsed as JSON. */
const lastLine = (run: { log: string; error: unknown }) => {
  assert.equal(run.error, null, JSON.stringify(run))
  return JSON.parse(run.log.trimEnd().split('\n').at(-1)!)
}

test('$.Http reaches allowed addresses, and the record of the run lists its calls without secrets', async () => {
  await expect(201, service.api('POST', '/api/v2/env', { name: 'TOKEN', value: 'very-secret-value' }))
  const run = await runOnce(`
    const got = await $.Http.get('${remote.url}/missing/' + $.Env.TOKEN, { a: [1, 2] }, { 'X-Own': 'yes' })
    const again = await $.Http.get('${remote.url}/missing/' + $.Env.TOKEN, { a: [1, 2] }, { 'X-Own': 'yes' })
    const posted = await $.Http.post('${remote.url}/orders', { size: 1 })
    $.log([got, again.cache, posted.text])`)
  assert.deepEqual(lastLine(run), [
    { status: 404, text: 'GET /missing/very-secret-value?a=1&a=2', cache: false },
    true,
    'POST /orders',
  ])
  const shown = run.http.map(({ ms, ...call }: { ms: number }) => {
    assert.ok(ms >= 0 && ms < 1750)
    return call
  })
  const call = { method: 'GET', url: `${remote.url}/missing/{TOKEN}?a=1&a=2`, status: 404 }
  assert.deepEqual(shown, [
    { ...call, cache: false },
    { ...call, cache: true },
    { method: 'POST', url: `${remote.url}/orders`, status: 200, cache: false },
  ])
  const asked = remote.asked.filter(({ url }) => url.startsWith('/missing') || url === '/orders')
  assert.deepEqual(
    asked.map(({ headers, body }) => [headers['x-own'], headers['content-type'], body]),
    [
      ['yes', undefined, ''],
      [undefined, 'application/json', '{"size":1}'],
    ],
  )
})

test('an address that is not public is refused in every spelling, and the service opens no connection to it', async () => {
  const run = await runOnce(`
    const statuses = []
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0'])
      statuses.push((await $.Http.get('http://' + host + ':${neighbourPort}/')).status)
    $.log(statuses)`)
  assert.deepEqual(lastLine(run), Array(7).fill(403))
  assert.equal(reached, 0)
})

test('$.Http.generateSignature makes signatures that the API accepts', async () => {
  const run = await runOnce(`$.log([await $.Http.generateSignature('GET/x1767229200', 'secret')])`)
  const expected = createHmac('sha256', 'secret').update('GET/x1767229200').digest('hex')
  assert.deepEqual(lastLine(run), [expected])
  const refused = await runOnce(`await $.Http.generateSignature('x', 'not a key', 'ML-DSA')`)
  assert.equal(refused.status, 'FAILED')
  assert.match(refused.error.message, /not an ML-DSA-44 private key/)
})

test('$.getExchangeRate returns the rate of the market, or null without one', async () => {
  const run = await runOnce(
    `$.log([await $.getExchangeRate($.Exchange.KRAKEN, 'btcusdt'), await $.getExchangeRate($.Exchange.GATEIO, '?')])`,
  )
  const [rate, none] = lastLine(run)
  assert.ok(rate > 1_000 && rate < 1_000_000, `${rate}`)
  assert.equal(none, null)
})

test('$.Http.createApiClient calls this service', async () => {
  // Its requests go to `PUBLIC_URL`, and the test's service listens on another port.
  const { port } = new URL(service.url)
  await using own = await startService({ env: { PUBLIC_URL: `http://127.0.0.1:${port}` } })
  const code = `
    const client = $.Http.createApiClient({ apiKey: $.Env.API_KEY, apiSecret: $.Env.API_SECRET })
    const exchanges = await client.exchanges.list({ enabled: true })
    $.log([exchanges.length > 50, exchanges.find(({ id }) => id === 2).name])`
  for (const [name, value] of [
    ['API_KEY', administratorKey.key],
    ['API_SECRET', administratorKey.secret],
  ]) {
    await expect(201, own.api('POST', '/api/v2/env', { name, value }))
  }
  const reaction = await makeReaction(own, code)
  await own.send('POST', reaction.path, { body: {} })
  const [run] = await reaction.ended(1)
  assert.deepEqual(lastLine(run), [true, 'Binance'])
  assert.equal(run.http[0].url, `http://127.0.0.1:${port}/api/v2/exchange?enabled=true`)
})
