import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slackMs } from '../test/attacks/arena.ts'
import type { ViolationRule } from './index.ts'
import { newStrategyId, recordingHost, testSandbox } from './test-support.ts'

const timeoutMs = 400
const memoryLimitMb = 32
const { run, sandbox } = await testSandbox({ timeoutMs, memoryLimitMb })
/** For what has to reach the limit of memory first, also on a busy machine. */
const patient = await testSandbox({ timeoutMs: 10_000, memoryLimitMb })

/** A harmless strategy continues as if nothing had happened. */
async function assertCanarySings(): Promise<void> {
  const outcome = await run(`$.log(new $.Ta.SMA(2).updates([1, 3]).at(-1))`)
  assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
}

const endless: [what: string, code: string][] = [
  ['a loop', 'for (;;);'],
  ['a loop after an await', 'await null; for (;;);'],
  ['a loop after a host call', 'await $.Strategy.stop(); for (;;);'],
  ['a loop during a host call', '$.Strategy.stop(); for (;;);'],
  ['a loop in a getter read by an action', '$.Strategy.action("LONG", { get size() { for (;;); } })'],
  ['a loop in toJSON', 'await $.Storage.set({ toJSON() { for (;;); } })'],
  ['a loop in a getter read by the log', '$.log({ get a() { for (;;); } })'],
  ['a loop in the message of a thrown error', 'throw { get toJSON() { for (;;); } }'],
  ['a loop in the name of a thrown error', 'throw new (class extends Error { get name() { for (;;); } })()'],
  ['a chain of microtasks', 'const again = () => { Promise.resolve().then(again) }; again()'],
  ['a chain of microtasks awaited', 'const again = async () => { for (;;) await null }; await again()'],
  ['a loop after the end', 'Promise.resolve().then(() => Promise.resolve().then(() => { for (;;); }))'],
  ['backtracking', '/^(a+)+$/.test("a".repeat(40) + "b")'],
  ['a sort that never ends', '[3, 2, 1].sort(() => { for (;;); })'],
  ['catch around everything', 'for (;;) { try { for (;;); } catch {} finally { continue } }'],
  ['recursion in finally', 'const f = () => { try { f() } finally { f() } }; f()'],
  ['a generator', 'function* g() { for (;;) yield 1 } for (const x of g());'],
]

for (const [what, code] of endless) {
  test(`a run that does not end is ended at its deadline: ${what}`, async () => {
    const outcome = await run(code)
    assert.equal(outcome.status, 'violation', JSON.stringify(outcome))
    assert.equal(outcome.violation!.rule, 'execution_time')
    assert.equal(outcome.violation!.limit, timeoutMs)
    assert.ok(outcome.violation!.actual >= timeoutMs && outcome.violation!.actual < timeoutMs + slackMs)
    await assertCanarySings()
  })
}

const stuck: [what: string, code: string][] = [
  ['indexOf over an array-like', 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'],
  ['includes over an array-like', 'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)'],
  ['reverse of a sparse array', 'const a = []; a.length = 2 ** 32 - 1; a.reverse()'],
  ['a power of BigInt', '2n ** 2n ** 27n * 3n ** 20000000n'],
  ['JSON of a graph', 'let a = [1]; for (let i = 0; i < 40; i += 1) a = [a, a]; JSON.stringify(a)'],
]

for (const [what, code] of stuck) {
  test(`a thread that ignores its timeout is ended too: ${what}`, async () => {
    const outcome = await run(code)
    assert.ok(['violation', 'failed'].includes(outcome.status), JSON.stringify(outcome))
    if (outcome.status === 'violation') assert.match(outcome.violation!.rule, /^(execution_time|memory)$/)
    await assertCanarySings()
  })
}

const bombs: [what: string, code: string, rules: ViolationRule[]][] = [
  ['arrays', 'const a = []; for (;;) a.push(new Array(1e5).fill(1))', ['memory']],
  ['a string doubled', 'let s = "x"; for (;;) s += s + 1', ['memory', 'execution_time']],
  ['objects', 'const a = []; for (let i = 0; ; i += 1) a.push({ i })', ['memory', 'execution_time']],
  ['a map', 'const m = new Map(); for (let i = 0; ; i += 1) m.set(i, [i])', ['memory', 'execution_time']],
  ['typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))', ['memory']],
  [
    'promises',
    'const a = []; for (;;) a.push(Promise.resolve().then(() => a))',
    ['memory', 'execution_time'],
  ],
  [
    'microtasks',
    'const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f()',
    ['memory', 'execution_time'],
  ],
  [
    'a huge fill',
    'const a = Array(1e8).fill(1.5); const b = a.map((x) => [x])',
    ['memory', 'execution_time'],
  ],
  ['a join', '"x".repeat(5e8).split("")', ['memory', 'execution_time']],
  ['closures', 'let f = () => 1; for (;;) { const g = f; f = () => g }', ['memory', 'execution_time']],
]

for (const [what, code, rules] of bombs) {
  test(`a memory bomb ends as a violation or an error: ${what}`, async () => {
    const outcome = await (rules.includes('execution_time') ? run : patient.run)(code)
    // A bomb can also end with an ordinary RangeError ("Invalid array length"), which is harmless.
    if (outcome.status === 'failed') assert.equal(outcome.error!.name, 'RangeError')
    else assert.ok(rules.includes(outcome.violation!.rule), JSON.stringify(outcome))
    await assertCanarySings()
  })
}

const escapes: [what: string, code: string][] = [
  ['the constructor of a function', '(() => {})["constr" + "uctor"]("return 1")()'],
  ['the constructor of an async function', '(async () => {})["constr" + "uctor"]("return 1")()'],
  ['the constructor of a generator', '(function* () {})["constr" + "uctor"]("return 1")().next()'],
  [
    'the constructor of an async generator',
    '(async function* () {})["constr" + "uctor"]("return 1")().next()',
  ],
  ['the constructor of a function of $', '$.log["constr" + "uctor"]("return 1")()'],
  ['the constructor of a builtin', '[].map["constr" + "uctor"]("return 1")()'],
  [
    'the constructor through a prototype',
    'Object.getPrototypeOf(Object.getPrototypeOf(async () => {}))["constr" + "uctor"]("return 1")()',
  ],
  [
    'the constructor of a buffer',
    'new (new Uint8Array(8).buffer["constr" + "uctor"])(8, { maxByteLength: 1e9 })',
  ],
  ['resizing a buffer', 'new Uint8Array(8).buffer.resize(1)'],
  ['a timer by name', 'this["setTime" + "out"](() => {}, 1)'],
  ['the realm by this', '(function () { return this })().Object'],
  ['the realm of a callback', '[1].map(function () { return this.Object })'],
  ['callee', '(function () { return arguments.callee })()'],
  ['caller', '(function f() { return f.caller.name })()'],
  ['call sites', 'Error.prepareStackTrace = (e, sites) => sites; new Error().stack[0].getThis()'],
  ['a dynamic module', 'throw await (async () => { const load = "imp" + "ort"; return load("fs") })()'],
  ['Temporal by a date', 'new Date().toTemporalInstant()'],
  ['the library by its global', 'Ta.useIntl({})'],
]

for (const [what, code] of escapes) {
  test(`there is no way out: ${what}`, async () => {
    const outcome = await run(`${code}\n$.log('escaped')`)
    assert.equal(outcome.status, 'failed', JSON.stringify(outcome))
    assert.match(outcome.error!.name, /^(TypeError|ReferenceError)$/)
    assert.equal(outcome.log, '')
  })
}

test('only the globals on the list exist', async () => {
  // Only names that pass the text check; the table above has the others.
  for (const name of [
    'WebAssembly',
    'ArrayBuffer',
    'DataView',
    'Temporal',
    'DisposableStack',
    'AsyncDisposableStack',
    'Ta',
    'ivm',
    'ShadowRealm',
  ]) {
    assert.equal((await run(`$.log(typeof ${name})`)).log, 'undefined\n', name)
  }
})

test('a protection reaches the host as plain data, each value read once, and never that of an EXIT', async () => {
  const protection = {
    stop_loss: '2%',
    take_profit: [
      { at: '1R', part: 0.5 },
      { at: 1e300, part: '0.5' },
    ],
    trailing: { by: '1%', from: null },
    break_even: null,
    exit_after_seconds: 60,
  }
  for (const given of [
    JSON.stringify(protection),
    `Object.assign(Object.create(null), ${JSON.stringify(protection)})`,
    `((read) => ({ ...${JSON.stringify(protection)}, get stop_loss() { return read++ === 0 ? '2%' : {} } }))(0)`,
  ]) {
    const host = recordingHost()
    const outcome = await patient.run(`await $.Strategy.action('LONG', { protection: ${given} })`, { host })
    assert.equal(outcome.status, 'completed', JSON.stringify(outcome.error))
    assert.deepEqual(host.actions[0]!.options, { protection })
  }
  const host = recordingHost()
  await patient.run(
    `await $.Strategy.action('EXIT', { size: 1, get protection() { throw new Error('read') } })`,
    {
      host,
    },
  )
  assert.deepEqual(host.actions[0]!.options, { size: 1 })
})

test('a hostile or misspelt protection rejects with a TypeError that names the field, and sends nothing', async () => {
  const wrong: [given: string, field: string][] = [
    ['null', ''],
    [`'2%'`, ''],
    ['[]', ''],
    ['new Map()', ''],
    ['Object.create({ stop_loss: 1 })', ''],
    ['{ stop: 1 }', '.stop'],
    [`JSON.parse('{"__pro' + 'to__":{"stop_loss":1}}')`, '.__proto__'],
    ['{ valueOf: 1 }', '.valueOf'],
    ['{ stop_loss: NaN }', '.stop_loss'],
    ['{ stop_loss: -Infinity }', '.stop_loss'],
    ['{ stop_loss: 5n }', '.stop_loss'],
    ['{ stop_loss: { valueOf: () => 1, toJSON: () => 1 } }', '.stop_loss'],
    [`{ stop_loss: 'x'.repeat(65) }`, '.stop_loss'],
    ['{ take_profit: Array(1e6).fill({ at: 1 }) }', '.take_profit'],
    [`{ take_profit: Object.assign([], { length: 4e9 }) }`, '.take_profit'],
    [`{ take_profit: Object.defineProperty([], 0, { get: () => 'x' }) }`, '.take_profit[0]'],
    ['{ take_profit: Array(3) }', '.take_profit[0]'],
    ['{ take_profit: [{ at: 1 }, 2] }', '.take_profit[1]'],
    ['{ take_profit: [{ at: 1, part: [1] }] }', '.take_profit[0].part'],
    ['{ take_profit: { at: 1, price: 1 } }', '.take_profit.price'],
    [`{ trailing: '1%' }`, '.trailing'],
    [`{ trailing: { by: true } }`, '.trailing.by'],
    [`{ break_even: { after: 1, ['x'.repeat(1e6)]: 1 } }`, '.break_even.x'],
    ['{ exit_after_seconds: new Date() }', '.exit_after_seconds'],
  ]
  const host = recordingHost()
  const tries = wrong.map(([given]) => `() => $.Strategy.action('LONG', { protection: ${given} })`)
  const outcome = await patient.run(
    `for (const send of [${tries.join(', ')}])
      await send().catch((error) => $.log(error instanceof TypeError, error.message))
    await $.Strategy.action('SHORT')`,
    { host },
  )
  const lines = outcome.log.trimEnd().split('\n')
  assert.equal(lines.length, wrong.length, outcome.log)
  wrong.forEach(([given, field], index) => {
    const line = lines[index]!
    assert.ok(line.startsWith(`true options.protection${field}`), `${given}: ${line}`)
  })
  assert.deepEqual(host.actions, [{ action: 'SHORT', options: {}, storage: undefined }])
})

test('an entry reaches the host as plain data, never that of an EXIT, and a misspelt field of it sends nothing', async () => {
  const entry = { type: 'limit', price: 98.5, timeout_seconds: 60, on_timeout: 'chase' }
  const host = recordingHost({})
  await patient.run(`await $.Strategy.action('LONG', { entry: ${JSON.stringify(entry)} })`, { host })
  assert.deepEqual(host.actions[0]!.options, { entry })
  const exit = recordingHost({})
  await patient.run(`await $.Strategy.action('EXIT', { get entry() { throw new Error('read') } })`, {
    host: exit,
  })
  assert.deepEqual(exit.actions[0]!.options, {})
  const wrong = recordingHost({})
  const outcome = await patient.run(
    `for (const entry of ['limit', { typ: 'limit' }, { price: NaN }, { type: {} }])
      await $.Strategy.action('LONG', { entry }).catch(({ name, message }) => $.log(name, message.slice(0, 20)))`,
    { host: wrong },
  )
  assert.deepEqual(
    outcome.log
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
    Array(4).fill('TypeError'),
  )
  assert.deepEqual(wrong.actions, [])
})

test('a protection that the host refuses does not count as an action', async () => {
  const host = recordingHost({
    checkOptions: ({ protection: { stop_loss } = {} }) => {
      if (stop_loss === 'soon') throw new TypeError('options.protection.stop_loss must be a price')
    },
  })
  const outcome = await patient.run(
    `await $.Strategy.action('LONG', { protection: { stop_loss: 'soon' } }).catch(({ name, message }) => $.log(name, message))
    await $.Strategy.action('LONG', { protection: { stop_loss: 5 } })`,
    { host },
  )
  assert.equal(outcome.log, 'TypeError options.protection.stop_loss must be a price\n')
  assert.deepEqual(
    host.actions.map(({ options }) => options),
    [{ protection: { stop_loss: 5 } }],
  )
})

test('forged ends and endless names do not reach the outcome', async () => {
  const outcome = await run(
    `throw Object.assign(new Error('Script execution timed out.'), { name: 'x'.repeat(1e6) })`,
  )
  assert.equal(outcome.status, 'failed')
  assert.equal(outcome.error!.message, 'Script execution timed out.')
  const disposed = await run(`throw new Error('Isolate was disposed during execution due to memory limit')`)
  assert.equal(disposed.status, 'failed')
  assert.equal(disposed.violation, null)
})

test('a strategy that breaks rules again and again never costs another one a run', async () => {
  const victim = newStrategyId()
  const hostile = run('for (;;);')
  const outcomes = []
  for (let index = 0; index < 50; index += 1) outcomes.push(await run('$.log(1)', { strategyId: victim }))
  assert.ok(outcomes.every((outcome) => outcome.status === 'completed'))
  assert.equal((await hostile).violation!.rule, 'execution_time')
  assert.equal(sandbox.stats().alive, 1)
})
