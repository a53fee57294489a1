import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotPosition, codeByteLimit } from './index.ts'
import { inputOf, logged, newStrategyId, recordingHost, testSandbox } from './test-support.ts'

const { run, sandbox } = await testSandbox()

const noSignal = inputOf({ strategy: { id: 1, type: 'code-strategy', signal: null } })
const afterLong = inputOf({
  strategy: {
    id: 42,
    type: 'code-reaction',
    signal: {
      symbols: ['BTCUSDT', 'ETHUSDT'],
      lastTrigger: { action: 'LONG', price: 100, at: 1_700_000_000_000 },
    },
  },
})

// --- the code ---

test('the code is the body of an async function: top-level await and return work', async () => {
  const outcome = await run(
    `const value = await Promise.resolve(2); $.log(value); return; $.log('not reached')`,
  )
  assert.equal(outcome.status, 'completed')
  assert.equal(outcome.log, '2\n')
  assert.equal(outcome.error, null)
})

test('code that closes the function around it does not compile', async () => {
  for (const code of [
    '}); $.log(1); (async () => {',
    '}\n$.log(1)\n{',
    'return 1 }, $.log(1), async () => {',
  ]) {
    const outcome = await run(code)
    assert.equal(outcome.status, 'failed', code)
    assert.equal(outcome.error!.name, 'SyntaxError')
    assert.equal(outcome.log, '')
  }
})

test('a comment in the last line hides nothing', async () => {
  assert.equal((await run('$.log(1) // done')).log, '1\n')
})

test('a forbidden identifier ends the run as a violation before its first line', async () => {
  const outcome = await run('$.log(1)\nconst x = candle.close; top')
  assert.equal(outcome.status, 'violation')
  assert.deepEqual(outcome.violation, { rule: 'forbidden_identifier', limit: 0, actual: 2 })
  assert.deepEqual([outcome.error!.line, outcome.error!.column], [2, 18])
  assert.match(outcome.error!.message, /"close"/)
  assert.equal(outcome.log, '')
})

test('code over the limit fails without running', async () => {
  const outcome = await run(`//${'x'.repeat(codeByteLimit)}`)
  assert.equal(outcome.status, 'failed')
  assert.equal(outcome.error!.name, 'CodeTooLarge')
  assert.equal((await run(`//${'x'.repeat(codeByteLimit - 2)}`)).status, 'completed')
})

// --- $ ---

test('$ and everything under it is frozen', async () => {
  const outcome = await run(
    `const thawed = []
    const seen = new Set()
    const walk = (value, path) => {
      if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return
      if (seen.has(value)) return
      seen.add(value)
      if (!Object.isFrozen(value)) thawed.push(path)
      for (const key of Object.getOwnPropertyNames(value)) {
        const property = Object.getOwnPropertyDescriptor(value, key)
        for (const member of [property.value, property.get, property.set]) walk(member, path + '.' + key)
      }
    }
    walk($, '$')
    $.log({ thawed, count: seen.size })`,
    { input: { ...afterLong, request: { data: '{}', headers: { 'x-a': '1' }, ip: '::1' } } },
  )
  const { thawed, count } = logged(outcome) as { thawed: string[]; count: number }
  assert.deepEqual(thawed, [])
  assert.ok(count > 300, `walked ${count} objects`)
})

test('$ has the members of the specification, and no others', async () => {
  const names = async (request: Parameters<typeof run>[1]) =>
    logged(await run('$.log([Object.keys($).sort(), Object.keys($.Strategy).sort()])', request))
  const values = ['Action', 'Candles', 'Env', 'Exchange', 'Http', 'Storage', 'Strategy', 'Ta']
  const always = [...values, 'candles', 'getExchangeRate', 'log']
  assert.deepEqual(await names({ input: noSignal }), [always, ['id', 'roi', 'stop', 'type']])
  const input = {
    ...afterLong,
    request: { data: '', headers: {}, ip: '' },
    price: { symbol: 'BTCUSDT', price: 1, exchange: 'binance', service: 'spot' },
  }
  assert.deepEqual(await names({ input }), [
    [...always, 'Price', 'Request'].sort(),
    ['action', 'id', 'lastTrigger', 'positions', 'roi', 'signalSymbols', 'stop', 'type'],
  ])
})

test('$.Price is the current price, and the default of roi', async () => {
  const price = { symbol: 'BTCUSDT', price: 103.5, exchange: 'binance', service: 'spot' }
  const outcome = await run('$.log([$.Price, Object.isFrozen($.Price), $.Strategy.roi(true)])', {
    input: { ...afterLong, price },
  })
  const [seen, isFrozen, roi] = logged(outcome) as [unknown, boolean, number]
  assert.deepEqual([seen, isFrozen], [price, true])
  assert.equal(roi.toFixed(6), '3.500000')
})

test('$.Env holds the variables and cannot be written to', async () => {
  const env = { API_KEY: 'k', __proto__x: 'x', toString: 'mine' }
  const code = `let refusal; try { $.Env.API_KEY = 'other' } catch (error) { refusal = error.name }
    $.log([$.Env, $.Env.MISSING === undefined, refusal])`
  assert.deepEqual(logged(await run(code, { input: inputOf({ env }) })), [env, true, 'TypeError'])
})

test('$.getExchangeRate asks for a rate, which may be null, and takes only a member of $.Exchange', async () => {
  const asked: unknown[] = []
  const host = recordingHost({
    rate: async (exchange, symbol) => {
      asked.push([exchange, symbol])
      return symbol === 'btcusdt' ? 64_000.5 : null
    },
  })
  const code = `const refuse = (...args) => $.getExchangeRate(...args).catch((error) => error.name + ': ' + error.message)
    $.log([
      await $.getExchangeRate($.Exchange.KRAKEN, 'btcusdt'), await $.getExchangeRate($.Exchange.GATEIO, 'nothing'),
      await refuse('binance', 'btcusdt'), await refuse($.Exchange.BITGET), await refuse($.Exchange.BITGET, 'x'.repeat(101))])`
  assert.deepEqual(logged(await run(code, { host })), [
    64_000.5,
    null,
    'TypeError: exchange must be a member of $.Exchange',
    'TypeError: symbol must be a string that is not empty',
    'RangeError: symbol may have at most 100 characters',
  ])
  assert.deepEqual(asked, [
    ['KRAKEN', 'btcusdt'],
    ['GATEIO', 'nothing'],
  ])
})

test('$.Strategy.positions resolves to what the host answers, frozen, and takes no arguments', async () => {
  const position: BotPosition = {
    bot: { id: 3, name: 'Trial', mode: 'paper' },
    symbol: 'BTC/USDT',
    side: 'long',
    size: 0.5,
    entryPrice: 100,
    unrealised: null,
    signal: { action: 'LONG', status: 'CLOSING', reason: 'r', at: 1 },
  }
  const host = recordingHost({ positions: async () => [position] })
  const code = `const found = await $.Strategy.positions()
    const parts = [found, found[0], found[0].bot, found[0].signal]
    const refusal = await $.Strategy.positions('BTCUSDT').catch((error) => error.name + ': ' + error.message)
    $.log([found, parts.every(Object.isFrozen), refusal])`
  assert.deepEqual(logged(await run(code, { host })), [
    [position],
    true,
    'TypeError: positions takes no arguments',
  ])
})

test('a run may ask for positions ten times', async () => {
  let asked = 0
  const host = recordingHost({
    positions: async () => {
      asked += 1
      return []
    },
  })
  const code = `for (let count = 0; count < 30; count += 1) {
      await $.Strategy.positions().catch((error) => $.log(count, error.message))
      if (count > 10) break
    }`
  const message = 'A run may call $.Strategy.positions at most 10 times.'
  assert.equal((await run(code, { host })).log, `10 ${message}\n11 ${message}\n`)
  assert.equal(asked, 10)
})

test('the members of the enumerations are their own names', async () => {
  assert.deepEqual(logged(await run('$.log([$.Action, $.Exchange])')), [
    { LONG: 'LONG', SHORT: 'SHORT', EXIT: 'EXIT' },
    {
      BINANCE: 'BINANCE',
      GATEIO: 'GATEIO',
      BITGET: 'BITGET',
      HYPERLIQUID: 'HYPERLIQUID',
      KRAKEN: 'KRAKEN',
    },
  ])
})

test('$.Strategy describes the strategy and its last trigger', async () => {
  const outcome = await run(
    'const { id, type, signalSymbols, lastTrigger } = $.Strategy; $.log([id, type, signalSymbols, lastTrigger])',
    {
      input: afterLong,
    },
  )
  assert.deepEqual(logged(outcome), [
    42,
    'code-reaction',
    ['BTCUSDT', 'ETHUSDT'],
    { action: 'LONG', price: 100, at: 1_700_000_000_000 },
  ])
})

test('$.Request holds the payload byte for byte', async () => {
  const request = {
    data: '{"a": "\u2028 é \\u0000 𝒳"}\n',
    headers: { 'content-type': 'application/json' },
    ip: '::1',
  }
  assert.deepEqual(logged(await run('$.log($.Request)', { input: inputOf({ request }) })), request)
})

test('after an action, lastTrigger and roi use that action in the same run', async () => {
  const outcome = await run(
    `const { lastTrigger: before } = $.Strategy
    const acting = $.Strategy.action($.Action.SHORT)
    $.log([before, $.Strategy.lastTrigger, $.Strategy.roi(false, undefined, 203)])
    await acting
    const { lastTrigger } = $.Strategy
    $.log([before, lastTrigger, Object.isFrozen(lastTrigger), $.Strategy.roi(false, undefined, 203)])
    try { $.Strategy.lastTrigger = before } catch (error) { $.log([error.name, $.Strategy.lastTrigger.action]) }`,
    { input: afterLong },
  )
  const long = { action: 'LONG', price: 100, at: 1_700_000_000_000 }
  const short = { action: 'SHORT', price: 101.5, at: 1_700_000_000_000 }
  assert.equal(outcome.error, null)
  assert.deepEqual(
    outcome.log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      [long, long, 1.03],
      [long, short, true, 1],
      ['TypeError', 'SHORT'],
    ],
  )
})

test('an action that fails leaves the last trigger as it was', async () => {
  const host = recordingHost({ action: () => Promise.reject(new Error('not accepted')) })
  const outcome = await run(
    `await $.Strategy.action($.Action.SHORT).catch(() => undefined)
    $.log($.Strategy.lastTrigger.action)`,
    { input: afterLong, host },
  )
  assert.equal(outcome.log, 'LONG\n')
})

// --- roi ---

test('roi is a ratio, or a percentage; its sign is not reversed for shorts', async () => {
  const outcome = await run(
    `const { roi } = $.Strategy
    $.log([roi(false, 100, 110), roi(true, 100, 110), roi(true, 100, 90), roi(false, undefined, 150)])`,
    { input: afterLong },
  )
  assert.deepEqual(logged(outcome), [0.1, 10, -10, 0.5])
})

test('roi is null without valid prices', async () => {
  const outcome = await run(
    `const { roi } = $.Strategy
    $.log([roi(), roi(true), roi(true, 100), roi(true, 0, 1), roi(true, -1, 1), roi(true, '100', 110), roi(true, NaN, 1),
      roi(true, 100, Infinity), roi(true, null, 5)])`,
  )
  assert.deepEqual(logged(outcome), Array(9).fill(null))
})

// --- log ---

test('log renders every kind of value readably and never throws', async () => {
  const outcome = await run(
    `$.log('text', 1, null, undefined, true, 10n, Symbol('s'), { a: [1] }, new RangeError('bad'), function named() {})
    $.log()
    const cycle = {}; cycle.cycle = cycle
    $.log(cycle, { toJSON() { throw 1 } }, { toJSON: () => undefined, toString() { throw 1 } }, Object.create(null))
    $.log({ get a() { throw new Error('x') } })
    class Odd extends Error { get message() { throw 1 } }
    $.log(new Odd())`,
  )
  assert.equal(outcome.status, 'completed')
  const lines = outcome.log.split('\n')
  assert.equal(
    lines[0],
    'text 1 null undefined true 10n Symbol(s) {"a":[1]} RangeError: bad [function named]',
  )
  assert.equal(lines[1], '')
  assert.equal(lines.length, 6)
})

test('the log keeps 8 KB and shows where it was cut', async () => {
  const outcome = await run(`for (let i = 0; i < 1e5; i += 1) $.log('€'.repeat(100))`)
  assert.equal(outcome.status, 'completed')
  assert.match(outcome.log, /€… \(log cut at 8 KB\)\n$/)
  const kept = Buffer.byteLength(outcome.log)
  assert.ok(kept > 8_150 && kept <= 8_192 + 30, `${kept} bytes`)
  const exact = await run(`$.log('x'.repeat(8191)); $.log('more')`)
  assert.equal(exact.log, `${'x'.repeat(8_191)}\n… (log cut at 8 KB)\n`)
})

test('a run that is cut off keeps its log', async () => {
  const quick = await testSandbox({ timeoutMs: 300 })
  const outcome = await quick.run(`$.log('before'); for (;;);`)
  assert.equal(outcome.violation!.rule, 'execution_time')
  assert.equal(outcome.log, 'before\n')
})

// --- isolates ---

test('a strategy whose code changes runs its new code at once', async () => {
  const strategyId = newStrategyId()
  assert.equal((await run('$.log(1)', { strategyId })).log, '1\n')
  assert.equal((await run('$.log(2)', { strategyId })).log, '2\n')
  assert.equal((await run('$.log(1)', { strategyId })).log, '1\n')
})

test('a forgotten strategy loses its isolate and still runs', async () => {
  const strategyId = newStrategyId()
  const before = sandbox.stats().warmIsolates
  await run('$.log(1)', { strategyId })
  assert.equal(sandbox.stats().warmIsolates, before + 1)
  sandbox.forget(strategyId)
  assert.equal(sandbox.stats().warmIsolates, before)
  assert.equal((await run('$.log(1)', { strategyId })).log, '1\n')
})

test('two runs of one strategy at once do not see each other', async () => {
  const strategyId = newStrategyId()
  const code = 'await $.Strategy.stop(); $.log($.Request.data)'
  const outcomes = await Promise.all(
    ['a', 'b', 'c'].map((data) =>
      run(code, { strategyId, input: inputOf({ request: { data, headers: {}, ip: '' } }) }),
    ),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome.log),
    ['a\n', 'b\n', 'c\n'],
  )
})
