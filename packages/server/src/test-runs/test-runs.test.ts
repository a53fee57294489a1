import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { addUser } from '../../test/accounts.ts'
import { createTestDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startRemote } from '../../test/remote.ts'
import { startService } from '../../test/service.ts'

const remote = await startRemote(({ url }, response) => {
  response.end(url.startsWith('/price') ? '{"last": 103.5}' : '{}')
})
const database = await createTestDatabase()
const stranger = await addUser(database, 'stranger@example.com')
const service = await startService({ database, env: { HTTP_ALLOW: remote.host } })
after(async () => {
  await service[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await remote[Symbol.asyncDispose]()
})

const path = '/api/v2/strategy/reaction/code'

/** A test run of code that is not saved. */
const trial = (code: string, fields: Record<string, unknown> = {}) =>
  expect(200, service.api('POST', `${path}/test`, { code, ...fields }))

test('a test run shows the protection that an action asks for, or what is wrong with it', async () => {
  const act = (protection: object) =>
    trial(`await $.Strategy.action('LONG', { protection: ${JSON.stringify(protection)} })`, {
      symbol: 'BTCUSDT',
    })
  const { action } = await act({ stop_loss: '1.50 %', take_profit: null })
  assert.deepEqual(action.options, { protection: { stop_loss: '1.5%' } })
  const wrong = await act({
    take_profit: [
      { at: '1R', part: 0.6 },
      { at: '2R', part: 0.6 },
    ],
  })
  assert.deepEqual([wrong.status, wrong.action], ['FAILED', null])
  const message = 'options.protection.take_profit must have parts that are at most 1 together, got 1.2'
  assert.deepEqual([wrong.error.name, wrong.error.message], ['TypeError', message])
})

test('a test run answers with the complete trace, and changes nothing', async () => {
  const reaction = await makeReaction(
    service,
    `const { last } = JSON.parse((await $.Http.get('${remote.url}/price', { api_key: 'hidden', s: 'BTC' })).text)
     const { seen = 0 } = (await $.Storage.get()) ?? {}
     await $.Storage.set({ seen: seen + 1 })
     $.log('last', last, 'payload', $.Request.data)
     const signal = await $.Strategy.action($.Action.LONG, { size: 100 })
     $.log(signal.id, signal.symbols)
     await $.Strategy.stop(true)
     missing.member`,
  )
  const before = await reaction.read()
  const trace = await expect(200, service.api('POST', `${path}/${reaction.id}/test`, { payload: { n: 1 } }))
  const { duration_ms: durationMs, http, limits, clock } = trace
  assert.deepEqual(trace, {
    status: 'FAILED',
    duration_ms: durationMs,
    error: { name: 'ReferenceError', message: 'missing is not defined', line: 8, column: 6 },
    violation: null,
    log: 'last 103.5 payload {"n":1}\n0 ["BTCUSDT"]\n',
    http: [
      {
        method: 'GET',
        url: `${remote.url}/price?api_key=***&s=BTC`,
        status: 200,
        cache: false,
        ms: http[0].ms,
      },
    ],
    storage: { before: null, after: { seen: 1 } },
    action: { action: 'LONG', symbols: ['BTCUSDT'], price: null, options: { size: 100 } },
    clock: { seed: clock.seed, now: clock.now, answers: clock.answers },
    stopped: true,
    limits: {
      time_ms: { used: durationMs, max: 5000 },
      storage_bytes: { used: 10, max: 24_576 },
      log_bytes: { used: limits.log_bytes.used, max: 8192 },
      http_requests: { used: 1, max: 20 },
      host_calls: { used: 3, max: 200 },
      actions: { used: 1, max: 1 },
    },
  })
  assert.ok(durationMs > 0 && durationMs < 5000)
  assert.deepEqual(
    clock.answers.map(({ call }: { call: number }) => call),
    [1, 2, 3],
  )
  assert.match(String(durationMs), /^\d+(\.\d{1,2})?$/)
  assert.deepEqual(await reaction.read(), before)
  assert.deepEqual(await reaction.runs(), [])
  const signals = await expect(200, service.api('GET', '/api/v2/signal'))
  assert.deepEqual(
    signals.filter((signal: { strategy_id: number }) => signal.strategy_id === reaction.id),
    [],
  )
})

test('the code finds the given payload, headers, price, storage and last trigger', async () => {
  const trace = await trial(
    `$.log([$.Request, $.Price, await $.Storage.get(), $.Strategy.lastTrigger, $.Strategy.type, $.Strategy.signalSymbols])`,
    {
      payload: 'as it is',
      headers: { 'X-Mine': 'yes' },
      ip: '192.0.2.7',
      price: { symbol: 'BTCUSDT', price: 103.5, exchange: 'binance', service: 'spot' },
      storage: [1],
      last_trigger: { action: 'EXIT', price: 99, at: '2026-01-01T00:00:00Z' },
      symbol: 'BTCUSDT, ETHUSDT',
    },
  )
  assert.deepEqual(JSON.parse(trace.log), [
    {
      data: 'as it is',
      headers: { 'content-type': 'application/json', 'x-mine': 'yes' },
      ip: '192.0.2.7',
    },
    { symbol: 'BTCUSDT', price: 103.5, exchange: 'binance', service: 'spot' },
    [1],
    { action: 'EXIT', price: 99, at: 1_767_225_600_000 },
    'code-reaction',
    ['BTCUSDT', 'ETHUSDT'],
  ])
})

test('a number is the price of the strategy’s symbol, and the default is its current price', async () => {
  const settings = { use_price: true, exchange_id: 2, price_symbol: 'BTCUSDT' }
  const { id } = await makeReaction(service, '$.log($.Price)', settings)
  const trace = await expect(200, service.api('POST', `${path}/${id}/test`, { price: 103.5 }))
  assert.deepEqual(JSON.parse(trace.log), {
    symbol: 'BTCUSDT',
    price: 103.5,
    exchange: 'sim',
    service: 'spot',
  })
  const current = await expect(200, service.api('POST', `${path}/${id}/test`))
  assert.ok(JSON.parse(current.log).price > 1_000)
  const other = await makeReaction(service, '', { ...settings, price_symbol: '?' })
  const refused = await expect(400, service.api('POST', `${path}/${other.id}/test`))
  assert.equal(refused.details[0].field, 'body.price')
})

test('a code strategy has no request', async () => {
  const body = { code: '$.log($.Strategy.type, typeof $.Request)' }
  const trace = await expect(200, service.api('POST', '/api/v2/strategy/code/test', body))
  assert.equal(trace.log, 'code-strategy undefined\n')
})

test('the service sends only GET, unless the request says all or none', async () => {
  const code = `for (const method of ['get', 'post', 'put', 'delete'])
    $.log((await $.Http[method]('${remote.url}/' + method)).status)`
  const asked = async (fields: Record<string, unknown>) => {
    const from = remote.asked.length
    const trace = await trial(code, fields)
    return [trace.log.trim().split('\n').map(Number), remote.asked.slice(from).map(({ method }) => method)]
  }
  assert.deepEqual(await asked({}), [[200, 403, 403, 403], ['GET']])
  assert.deepEqual(await asked({ http: 'none' }), [[403, 403, 403, 403], []])
  assert.deepEqual(await asked({ http: 'all' }), [
    [200, 200, 200, 200],
    ['GET', 'POST', 'PUT', 'DELETE'],
  ])
})

test('each violation has its rule and numbers, and suspends nothing', async () => {
  const broken = async (code: string, fields: Record<string, unknown> = {}) => {
    const { status, violation } = await trial(code, fields)
    assert.equal(status, 'VIOLATION', code)
    return violation
  }
  const limits = {
    storage_size: await broken(`await $.Storage.set('x'.repeat(25000)).catch(() => 0)`),
    actions_per_run: await broken(
      `await $.Strategy.action('LONG'); await $.Strategy.action('EXIT').catch(() => 0)`,
    ),
    consecutive_exit: await broken(`await $.Strategy.action('EXIT')`, { last_trigger: { action: 'EXIT' } }),
    forbidden_identifier: await broken(`// eval\nconst a = { window: 1 }`),
  }
  for (const [rule, violation] of Object.entries(limits)) assert.equal(violation.rule, rule)
  assert.deepEqual(limits.storage_size, { rule: 'storage_size', limit: 24_576, actual: 25_002 })
})

test('a test run names every forbidden identifier with its place, as saving does', async () => {
  const code = `// eval\nconst a = payload.close\n${'top '.repeat(200)}`
  const { status, error, violation } = await trial(code)
  assert.equal(status, 'VIOLATION')
  assert.deepEqual(violation, { rule: 'forbidden_identifier', limit: 0, actual: 202 })
  assert.deepEqual([error.line, error.column], [1, 4])
  const refused = await expect(400, service.api('POST', '/api/v2/strategy/code', { code }))
  assert.match(refused.error, /^Line 1, column 4: "eval" may not stand in code/)
  assert.deepEqual(
    error.details.map((place: object) => ({ field: 'body.code', ...place })),
    refused.details.slice(0, 100),
  )
  const { message, ...place } = error.details[1]
  assert.deepEqual(place, { identifier: 'close', line: 2, column: 19 })
  assert.match(message, /payload\['clo' \+ 'se'\]/)
})

test('code that does not compile fails with its line and column', async () => {
  const trace = await trial('const a = 1\nconst = 2')
  assert.equal(trace.status, 'FAILED')
  assert.deepEqual([trace.error.name, trace.error.line, trace.error.column], ['SyntaxError', 2, 7])
})

test("another's reaction is not found, and what is not right is refused by name", async () => {
  const { id } = await makeReaction(service, 'return')
  await expect(404, service.as(stranger).api('POST', `${path}/${id}/test`, {}))
  for (const [field, body] of Object.entries({
    code: {},
    storage: { code: '', storage: 'x'.repeat(25_000) },
    price: { code: '', price: -1 },
    http: { code: '', http: 'some' },
    folder_id: { code: '', folder_id: 'x' },
    'body.folder_id': { code: '', folder_id: 1_000_000 },
    seed: { code: '', seed: 2 ** 53 },
    'body.now': { code: '', now: '1969-12-31T23:59:59Z' },
  })) {
    const refused = await expect(400, service.api('POST', `${path}/test`, body))
    assert.ok(JSON.stringify(refused.details).includes(field), `${field}: ${JSON.stringify(refused)}`)
  }
})

test('an account may have two test runs at a time, and a third has to wait', async () => {
  const code = `await $.Http.get('http://192.0.2.1/'); ${lastingFor(700)}`
  const answers = await Promise.all(
    [1, 2, 3].map(() => service.api('POST', `${path}/test`, { code, http: 'none' })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429])
  await trial('return')
})
