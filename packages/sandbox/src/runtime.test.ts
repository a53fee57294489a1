import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeByteLimit, RunViolation, storageByteLimit } from './index.ts'
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

test('code that could only run by closing the function around it does not compile', async () => {
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

test('a last line that is a comment does not swallow anything', async () => {
  assert.equal((await run('$.log(1) // done')).log, '1\n')
})

test('forbidden text ends the run as a violation before its first line', async () => {
  const outcome = await run('$.log(1)\nconst x = candle.close; top')
  assert.equal(outcome.status, 'violation')
  assert.deepEqual(outcome.violation, { rule: 'forbidden_identifier', limit: 0, actual: 2 })
  assert.deepEqual([outcome.error!.line, outcome.error!.column], [2, 18])
  assert.match(outcome.error!.message, /"close"/)
  assert.equal(outcome.log, '')
})

test('code over the limit fails without being run', async () => {
  const outcome = await run(`//${'x'.repeat(codeByteLimit)}`)
  assert.equal(outcome.status, 'failed')
  assert.equal(outcome.error!.name, 'CodeTooLarge')
  assert.equal((await run(`//${'x'.repeat(codeByteLimit - 2)}`)).status, 'completed')
})

// --- $ ---

test('$ and all under it are frozen', async () => {
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

test('$ has the members of the specification, and none that are not there yet', async () => {
  const names = async (request: Parameters<typeof run>[1]) =>
    logged(await run('$.log([Object.keys($).sort(), Object.keys($.Strategy).sort()])', request))
  const members = ['Action', 'Exchange', 'Storage', 'Strategy', 'Ta', 'log']
  assert.deepEqual(await names({ input: noSignal }), [members, ['id', 'roi', 'stop', 'type']])
  assert.deepEqual(await names({ input: { ...afterLong, request: { data: '', headers: {}, ip: '' } } }), [
    [...members.slice(0, 2), 'Request', ...members.slice(2)],
    ['action', 'id', 'lastTrigger', 'roi', 'signalSymbols', 'stop', 'type'],
  ])
})

test('the enumerations hold what their names say', async () => {
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

test('$.Strategy tells the strategy and its last trigger', async () => {
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

test('$.Request carries the delivery byte for byte', async () => {
  const request = {
    data: '{"a": "\u2028 é \\u0000 𝒳"}\n',
    headers: { 'content-type': 'application/json' },
    ip: '::1',
  }
  assert.deepEqual(logged(await run('$.log($.Request)', { input: inputOf({ request }) })), request)
})

// --- actions ---

test('an action reaches the host with its options, and resolves to what the host answers', async () => {
  const host = recordingHost()
  const outcome = await run(
    `await $.Storage.set({ n: 1 })
    const result = await $.Strategy.action($.Action.SHORT, { id: 'a', dilution: true, size: 12.5, forceSize: false })
    $.log({ result, frozen: Object.isFrozen(result) && Object.isFrozen(result.symbols) })`,
    { host },
  )
  assert.deepEqual(host.actions, [
    {
      action: 'SHORT',
      options: { id: 'a', dilution: true, size: 12.5, forceSize: false },
      storage: '{"n":1}',
    },
  ])
  const result = {
    id: 1,
    action: 'SHORT',
    symbols: ['BTCUSDT'],
    price: 101.5,
    at: 1_700_000_000_000,
    delivered: true,
  }
  assert.deepEqual(logged(outcome), { result, frozen: true })
})

for (const [given, field] of [
  [`'BUY'`, 'type'],
  ['undefined', 'type'],
  ['{ toString: () => "LONG" }', 'type'],
  [`'LONG', null`, 'options'],
  [`'LONG', 5`, 'options'],
  [`'LONG', { size: '5' }`, 'options.size'],
  [`'LONG', { size: 0 }`, 'options.size'],
  [`'LONG', { size: NaN }`, 'options.size'],
  [`'LONG', { size: Infinity }`, 'options.size'],
  [`'LONG', { dilution: 1 }`, 'options.dilution'],
  [`'LONG', { forceSize: 'no' }`, 'options.forceSize'],
  [`'LONG', { id: 7 }`, 'options.id'],
  [`'LONG', { id: 'x'.repeat(256) }`, 'options.id'],
  [`'LONG', { price: 7 }`, 'options.price'],
] as const) {
  test(`action(${given}) rejects with a TypeError naming ${field}, and does not count as an action`, async () => {
    const host = recordingHost()
    const outcome = await run(
      `let error
      await $.Strategy.action(${given}).catch((caught) => { error = caught })
      $.log([error.name, error instanceof TypeError, error.message])
      await $.Strategy.action('EXIT')`,
      { host },
    )
    const [name, isTypeError, message] = JSON.parse(outcome.log) as [string, boolean, string]
    assert.deepEqual([name, isTypeError], ['TypeError', true])
    assert.ok(message.startsWith(`${field} `), message)
    assert.equal(outcome.status, 'completed')
    assert.deepEqual(host.actions, [{ action: 'EXIT', options: {}, storage: undefined }])
  })
}

test('an option is read once: what was checked is what is sent', async () => {
  const host = recordingHost()
  await run(
    `let reads = 0; await $.Strategy.action('LONG', { get size() { reads += 1; return reads === 1 ? 5 : -1 } })`,
    {
      host,
    },
  )
  assert.deepEqual(host.actions[0]!.options, { size: 5 })
})

test('a second action ends the run as a violation even when the code catches it', async () => {
  const host = recordingHost()
  const outcome = await run(
    `await $.Strategy.action('LONG')
    try { await $.Strategy.action('EXIT') } catch (error) { $.log('caught', error.message) }`,
    { host },
  )
  assert.equal(outcome.status, 'violation')
  assert.deepEqual(outcome.violation, { rule: 'actions_per_run', limit: 1, actual: 2 })
  assert.match(outcome.log, /^caught A run may send one action/)
  assert.equal(host.actions.length, 1)
})

test('two actions at once are one action and a violation', async () => {
  const host = recordingHost()
  const outcome = await run(
    `await Promise.allSettled([$.Strategy.action('LONG'), $.Strategy.action('SHORT')])`,
    { host },
  )
  assert.deepEqual(outcome.violation, { rule: 'actions_per_run', limit: 1, actual: 2 })
  assert.deepEqual(
    host.actions.map((a) => a.action),
    ['LONG'],
  )
})

test('an action that is not awaited is sent, and has been answered before the outcome is told', async () => {
  let answered = false
  const host = recordingHost({
    action: async (action) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      answered = true
      return { id: 1, action, symbols: [], price: null, at: 1, delivered: true }
    },
  })
  const outcome = await run(`$.Strategy.action('LONG')`, { host })
  assert.equal(outcome.status, 'completed')
  assert.equal(answered, true)
})

test('an error of the host reaches the code with its name and message, at the line that called', async () => {
  const host = recordingHost({
    action: () => Promise.reject(Object.assign(new Error('the webhook is gone'), { name: 'SignalError' })),
  })
  const outcome = await run(`const a = 1\n  await $.Strategy.action('LONG')`, { host })
  assert.equal(outcome.status, 'failed')
  assert.deepEqual(outcome.error, {
    name: 'SignalError',
    message: 'the webhook is gone',
    line: 2,
    column: 20,
  })
})

test('a violation thrown by the host ends the run as that violation even when the code catches it', async () => {
  const violation = { rule: 'consecutive_exit', limit: 1, actual: 2 } as const
  const host = recordingHost({ action: () => Promise.reject(new RunViolation(violation, 'EXIT after EXIT')) })
  const outcome = await run(`await $.Strategy.action('EXIT').catch((error) => $.log(error.message))`, {
    host,
  })
  assert.equal(outcome.status, 'violation')
  assert.deepEqual(outcome.violation, violation)
  assert.equal(outcome.log, 'EXIT after EXIT\n')
})

test('stop asks the host and resolves to its answer; anything but a boolean rejects', async () => {
  const host = recordingHost()
  const outcome = await run(
    `const answers = [await $.Strategy.stop(), await $.Strategy.stop(true)]
    await $.Strategy.stop('yes').catch((error) => answers.push(error.name + ': ' + error.message))
    $.log(answers)`,
    { host },
  )
  assert.deepEqual(logged(outcome), [true, true, 'TypeError: notify must be a boolean'])
  assert.deepEqual(host.stops, [false, true])
})

test('a ninth host call at a time and a 201st in all reject', async () => {
  const nine = await run(
    `const results = await Promise.allSettled(Array.from({ length: 9 }, () => $.Strategy.stop()))
    $.log(results.map((result) => result.status === 'fulfilled'))`,
  )
  assert.deepEqual(logged(nine), [...Array(8).fill(true), false])
  const host = recordingHost()
  const many = await run(
    `let n = 0
    try { for (;;) { await $.Strategy.stop(); n += 1 } } catch (error) { $.log([n, error.message]) }`,
    { host },
  )
  assert.deepEqual(logged(many), [200, 'At most 200 host calls in a run.'])
  assert.equal(host.stops.length, 200)
})

// --- storage ---

test('storage survives by the host only: get returns what the input holds, null when it is empty', async () => {
  assert.equal(logged(await run('$.log(JSON.stringify(await $.Storage.get()))')), null)
  const stored = await run('$.log(await $.Storage.get())', { input: inputOf({ storage: '{"a":[1]}' }) })
  assert.deepEqual(logged(stored), { a: [1] })
  assert.equal(stored.storage, undefined)
})

test('get returns a fresh copy each time, and what was set last', async () => {
  const outcome = await run(
    `const first = await $.Storage.get()
    first.a.push(2)
    const second = await $.Storage.get()
    const value = { b: 1 }
    await $.Storage.set(value)
    value.b = 2
    $.log([second, await $.Storage.get()])`,
    { input: inputOf({ storage: '{"a":[1]}' }) },
  )
  assert.deepEqual(logged(outcome), [{ a: [1] }, { b: 1 }])
  assert.equal(outcome.storage, '{"b":1}')
})

test('set takes any JSON value', async () => {
  for (const [value, text] of [
    ['null', 'null'],
    ['0', '0'],
    ['"x"', '"x"'],
    ['[1, [2]]', '[1,[2]]'],
    ['{ at: new Date(0), skipped: undefined }', '{"at":"1970-01-01T00:00:00.000Z"}'],
  ]) {
    assert.equal((await run(`await $.Storage.set(${value})`)).storage, text)
  }
})

test('what JSON cannot carry rejects with a TypeError and leaves the storage alone', async () => {
  for (const value of [
    'undefined',
    '() => 1',
    'Symbol()',
    '1n',
    '(() => { const a = {}; a.a = a; return a })()',
  ]) {
    const outcome = await run(
      `await $.Storage.set(1); await $.Storage.set(${value}).catch((error) => $.log(error.name))`,
    )
    assert.equal(outcome.log, 'TypeError\n', value)
    assert.equal(outcome.status, 'completed')
    assert.equal(outcome.storage, '1')
  }
})

test('24,576 bytes of UTF-8 fit; one more is a violation with the figure, even when caught', async () => {
  for (const [character, bytes] of [
    ['a', 1],
    ['é', 2],
    ['€', 3],
    ['𝒳', 4],
  ] as const) {
    const fitting = Math.floor((storageByteLimit - 2) / bytes)
    const fits = await run(`await $.Storage.set('${character}'.repeat(${fitting}))`)
    assert.equal(fits.status, 'completed', character)
    assert.equal(Buffer.byteLength(fits.storage!), fitting * bytes + 2)
    const over = await run(
      `await $.Storage.set('${character}'.repeat(${fitting + 1})).catch((error) => $.log('caught', error.name))`,
    )
    assert.equal(over.status, 'violation')
    assert.deepEqual(over.violation, {
      rule: 'storage_size',
      limit: storageByteLimit,
      actual: (fitting + 1) * bytes + 2,
    })
    assert.equal(over.log, 'caught RangeError\n')
  }
})

test('byteLimit is 24576', async () => {
  assert.equal(logged(await run('$.log($.Storage.byteLimit)')), 24_576)
})

// --- roi ---

test('roi is a ratio, or a percentage; its sign does not turn for shorts', async () => {
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

test('a run that is cut off keeps what it had logged', async () => {
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

test('a forgotten strategy gives its isolate back and still runs', async () => {
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
