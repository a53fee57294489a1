import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonNumber } from '../../server/test/json-numbers.ts'
import { isOrderSize, RunViolation, storageByteLimit } from './index.ts'
import { inputOf, logged, recordingHost, testSandbox } from './test-support.ts'

const { run } = await testSandbox()

// --- actions ---

test('an action reaches the host with its options, and resolves to the answer of the host', async () => {
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
  [`'LONG', 'fast'`, 'options'],
  [`'LONG', () => 1`, 'options'],
  [`'LONG', []`, 'options'],
  [`'LONG', Object.assign([], { size: 5 })`, 'options'],
  [`'LONG', Object.setPrototypeOf([], Object.prototype)`, 'options'],
  [`'LONG', new Map([['size', 5]])`, 'options'],
  [`'LONG', new Set([5])`, 'options'],
  [`'LONG', new Date()`, 'options'],
  [`'LONG', new Uint8Array(1)`, 'options'],
  [`'LONG', Promise.resolve({ size: 5 })`, 'options'],
  [`'LONG', new (class { size = 5 })()`, 'options'],
  [`'LONG', Object.create({ size: 5 })`, 'options'],
  [`'LONG', { size: '5' }`, 'options.size'],
  [`'LONG', { size: 0 }`, 'options.size'],
  [`'LONG', { size: NaN }`, 'options.size'],
  [`'LONG', { size: Infinity }`, 'options.size'],
  [`'LONG', { size: 5e-324 }`, 'options.size'],
  [`'LONG', { size: 9.99e-19 }`, 'options.size'],
  [`'LONG', { size: 1.01e18 }`, 'options.size'],
  [`'LONG', { size: -0 }`, 'options.size'],
  [`'LONG', { size: 5n }`, 'options.size'],
  [`'LONG', { size: [5] }`, 'options.size'],
  [`'LONG', { size: { valueOf: () => 5 } }`, 'options.size'],
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

test('options are a plain object however it was made, and its error names what it got instead', async () => {
  for (const options of [
    'undefined',
    '{}',
    'JSON.parse(\'{"size":5}\')',
    'Object.create(null)',
    '{ __proto__: null }',
  ]) {
    const host = recordingHost()
    assert.equal(
      (await run(`await $.Strategy.action('LONG', ${options})`, { host })).status,
      'completed',
      options,
    )
    assert.equal(host.actions.length, 1, options)
  }
  const outcome = await run(`
    for (const options of [null, [], 'fast', new Map(), Promise.resolve({}), { get size() { throw new Error('mine') } }])
      await $.Strategy.action('LONG', options).catch((error) => $.log(error.message))`)
  assert.deepEqual(outcome.log.trimEnd().split('\n'), [
    'options must be a plain object such as { size: 10 }, got null',
    'options must be a plain object such as { size: 10 }, got an array',
    'options must be a plain object such as { size: 10 }, got a string',
    'options must be a plain object such as { size: 10 }, got an object of a class',
    'options must be a plain object such as { size: 10 }, got a promise: await it first',
    'mine',
  ])
})

test('the error of a size names the bounds and the value; the bounds themselves are sizes', async () => {
  const outcome = await run(`
    for (const size of [5e-324, 1e19, -0, '5'.repeat(99)]) {
      await $.Strategy.action('LONG', { size }).catch((error) => $.log(error.message))
    }`)
  assert.deepEqual(outcome.log.trimEnd().split('\n'), [
    'options.size must be a number from 1e-18 to 1e18, got 5e-324',
    'options.size must be a number from 1e-18 to 1e18, got 10000000000000000000',
    'options.size must be a number from 1e-18 to 1e18, got -0',
    `options.size must be a number from 1e-18 to 1e18, got "${'5'.repeat(40)}…"`,
  ])
  for (const size of [1e-18, 1e18]) {
    const host = recordingHost()
    await run(`await $.Strategy.action('LONG', { size: ${size} })`, { host })
    assert.deepEqual(host.actions[0]!.options, { size })
  }
})

test('for any JSON number, a size is one that an order can have, or the error names the field', async () => {
  const refused = fc.sample(jsonNumber, 300).filter((text) => !isOrderSize(JSON.parse(text)))
  const host = recordingHost()
  const outcome = await run(
    `for (const text of ${JSON.stringify(refused)}) {
      const wrong = await $.Strategy.action('LONG', { size: JSON.parse(text) }).then(() => text, (error) =>
        error instanceof TypeError && error.message.startsWith('options.size must be a number from') ? null : error.message)
      if (wrong !== null) $.log(wrong)
    }
    await $.Strategy.action('EXIT', { size: 0.5 })`,
    { host },
  )
  assert.deepEqual([outcome.status, outcome.log], ['completed', ''])
  assert.deepEqual(
    host.actions.map(({ action, options }) => [action, options]),
    [['EXIT', { size: 0.5 }]],
  )
})

test('an option is read once, so that the checked value is the one that is sent', async () => {
  const host = recordingHost()
  await run(
    `let reads = 0; await $.Strategy.action('LONG', { get size() { reads += 1; return reads === 1 ? 5 : -1 } })`,
    {
      host,
    },
  )
  assert.deepEqual(host.actions[0]!.options, { size: 5 })
})

test('a second action ends the run as a violation, even if the code catches it', async () => {
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

test('an action that is not awaited is sent, and is answered before the run ends', async () => {
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

test('an error of the host reaches the code with its name and message, at the line of the call', async () => {
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

test('a violation thrown by the host ends the run as that violation, even if the code catches it', async () => {
  const violation = { rule: 'consecutive_exit', limit: 1, actual: 2 } as const
  const host = recordingHost({ action: () => Promise.reject(new RunViolation(violation, 'EXIT after EXIT')) })
  const outcome = await run(`await $.Strategy.action('EXIT').catch((error) => $.log(error.message))`, {
    host,
  })
  assert.equal(outcome.status, 'violation')
  assert.deepEqual(outcome.violation, violation)
  assert.equal(outcome.log, 'EXIT after EXIT\n')
})

test('stop calls the host and resolves to its answer; an argument that is not a boolean rejects', async () => {
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

test('a ninth host call at a time and a 201st in total reject', async () => {
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
  assert.deepEqual(logged(many), [200, 'A run may make at most 200 host calls.'])
  assert.equal(host.stops.length, 200)
})

// --- storage ---

test('get returns the stored value of the input, or null', async () => {
  assert.equal(logged(await run('$.log(JSON.stringify(await $.Storage.get()))')), null)
  const stored = await run('$.log(await $.Storage.get())', { input: inputOf({ storage: '{"a":[1]}' }) })
  assert.deepEqual(logged(stored), { a: [1] })
  assert.equal(stored.storage, undefined)
})

test('get returns a fresh copy each time, of the value that was set last', async () => {
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

test('a value that JSON cannot represent rejects with a TypeError and leaves the storage unchanged', async () => {
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
