import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newStrategyId, recordingHost, testSandbox, thawedFrom } from './test-support.ts'

const { run, sandbox } = await testSandbox()

// Each snippet logs whether it finds something that an earlier run left, then tries to leave it. It runs twice in one warm
// isolate, and the second run must find nothing. Errors of frozen objects are caught like any error of a user.
const attempts: [what: string, found: string, leave: string][] = [
  ['a global by assignment', 'typeof leftover !== "undefined"', 'leftover = 1'],
  ['a global by this', 'this?.leftover', 'this.leftover = 1'],
  ['a global by sloppy this of a callback', 'false', '[1].forEach(function () { this.leftover = 1 })'],
  ['a property of a constructor', 'Object.leftover', 'Object.leftover = 1'],
  ['a property of Math', 'Math.leftover', 'Math.leftover = 1'],
  ['a prototype member', '({}).leftover', 'Object.prototype.leftover = 1'],
  ['an element of Array.prototype', '[][7]', 'Array.prototype[7] = 1'],
  ['a changed builtin', '[].push.leftover || [].push("a") !== 1', 'Array.prototype.push = () => 5'],
  [
    'a builtin changed through its accessor',
    '({}).toString() === "left"',
    'Object.prototype.toString = () => "left"',
  ],
  [
    'defineProperty on a prototype',
    '({}).leftover',
    'Object.defineProperty(Object.prototype, "leftover", { value: 1 })',
  ],
  [
    'setPrototypeOf a prototype',
    'Object.getPrototypeOf(Array.prototype).leftover',
    'Object.setPrototypeOf(Array.prototype, { leftover: 1 })',
  ],
  ['__proto__ of a prototype', '[].leftover', 'Array.prototype.__proto__ = { leftover: 1 }'],
  ['__defineGetter__', '({}).leftover', 'Object.prototype.__defineGetter__("leftover", () => 1)'],
  [
    'the prototype of generators',
    '(function* () {})().leftover',
    'Object.getPrototypeOf(Object.getPrototypeOf((function* () {})())).leftover = 1',
  ],
  [
    'the prototype of async functions',
    '(async () => {}).leftover',
    'Object.getPrototypeOf(async () => {}).leftover = 1',
  ],
  [
    'the prototype of async generators',
    '(async function* () {})().leftover',
    'Object.getPrototypeOf(Object.getPrototypeOf((async function* () {})())).leftover = 1',
  ],
  [
    'the prototype of array iterators',
    '[].values().leftover',
    'Object.getPrototypeOf([].values()).leftover = 1',
  ],
  [
    'the prototype of map iterators',
    'new Map().keys().leftover',
    'Object.getPrototypeOf(new Map().keys()).leftover = 1',
  ],
  [
    'the prototype of string iterators',
    '""[Symbol.iterator]().leftover',
    'Object.getPrototypeOf(""[Symbol.iterator]()).leftover = 1',
  ],
  [
    'the prototype of match iterators',
    '"".matchAll(/x/g).leftover',
    'Object.getPrototypeOf("".matchAll(/x/g)).leftover = 1',
  ],
  [
    'the prototype of iterator helpers',
    '[].values().map(() => 1).leftover',
    'Object.getPrototypeOf([].values().map(() => 1)).leftover = 1',
  ],
  [
    'the prototype of wrapped iterators',
    'Iterator.from({ next() {} }).leftover',
    'Object.getPrototypeOf(Iterator.from({ next() {} })).leftover = 1',
  ],
  [
    'the prototype of typed arrays',
    'new Uint8Array(1).leftover',
    'Object.getPrototypeOf(Uint8Array.prototype).leftover = 1',
  ],
  [
    'the prototype of buffers',
    'new Uint8Array(1).buffer.leftover',
    'Object.getPrototypeOf(new Uint8Array(1).buffer).leftover = 1',
  ],
  [
    'the last match of RegExp',
    'RegExp.$1 || RegExp.lastMatch || RegExp.input || RegExp["$_"]',
    '/(left)over/.exec("leftover")',
  ],
  ['lastIndex of a literal', 'false', 'const r = /x/g; r.test("xx")'],
  ['an indicator class', '$.Ta.leftover || $.Ta.RSI.leftover', '$.Ta.RSI.leftover = 1'],
  ['the prototype of an indicator', 'new $.Ta.RSI(2).leftover', '$.Ta.RSI.prototype.leftover = 1'],
  [
    'a method of an indicator',
    'new $.Ta.SMA(1).update(5) === "left"',
    '$.Ta.SMA.prototype.update = () => "left"',
  ],
  [
    'the base class of indicators',
    'new $.Ta.EMA(2).leftover',
    'Object.getPrototypeOf($.Ta.EMA.prototype).leftover = 1',
  ],
  ['$ itself', '$.leftover', '$.leftover = 1'],
  [
    'a member of $',
    '$.Storage.leftover || $.Action.leftover',
    '$.Storage.leftover = 1; $.Action.leftover = 1',
  ],
  ['a function of $', '$.log.leftover', '$.log.leftover = 1'],
  ['Error.prepareStackTrace', 'new Error("x").stack === "left"', 'Error.prepareStackTrace = () => "left"'],
  ['Error.stackTraceLimit', 'Error.stackTraceLimit !== 10', 'Error.stackTraceLimit = 0'],
  [
    'a member of a registered symbol',
    'Symbol.for("leftover").leftover',
    'Symbol.for("leftover").leftover = 1',
  ],
  ['a member of Symbol.prototype', 'Symbol().leftover', 'Object.getPrototypeOf(Symbol()).leftover = 1'],
  ['a template object', '((s) => s.leftover || s.raw.leftover)`t`', '((s) => { s.leftover = 1 })`t`'],
  [
    'a private name on a shared object',
    'false',
    'const give = function (o) { return o }; class S extends give { #v = 1; static has(o) { return #v in o } }; new S(Array.prototype)',
  ],
  ['a variable of the code', 'typeof kept !== "undefined" && kept === 1', 'var kept = 1'],
  ['the stored value between get and get', '(await $.Storage.get()) !== null', 'await $.Storage.set(1)'],
  [
    'Date',
    'new Date(0).getTime() !== 0 || Date.leftover',
    'Date.now = () => 0; Date.prototype.getTime = () => 7',
  ],
  ['Math.random', 'Math.random() === Math.random()', 'Math.random = () => 4'],
  ['JSON', 'JSON.stringify(1) !== "1"', 'JSON.stringify = () => "left"'],
  [
    'a promise method',
    'typeof Promise.prototype.then !== "function" || Promise.leftover',
    'Promise.prototype.then = 1; Promise.leftover = 1',
  ],
  [
    'species',
    'Array[Symbol.species] !== Array',
    'Object.defineProperty(Array, Symbol.species, { value: null })',
  ],
  [
    'hasInstance',
    '!([] instanceof Array)',
    'Object.defineProperty(Array, Symbol.hasInstance, { value: () => false })',
  ],
  ['Object.prototype.then', '({}).then', 'Object.prototype.then = 1'],
]

for (const [what, found, leave] of attempts) {
  test(`a run leaves nothing behind: ${what}`, async () => {
    const strategyId = newStrategyId()
    const code = `$.log(Boolean(${found}))\ntry { ${leave} } catch { $.log('refused') }`
    const first = await run(code, { strategyId })
    assert.equal(first.status, 'completed', JSON.stringify(first))
    assert.match(first.log, /^false\n/)
    const second = await run(code, { strategyId })
    assert.equal(second.log, first.log)
  })
}

test('these runs shared one warm isolate: the second one uses the warm isolate', async () => {
  const strategyId = newStrategyId()
  const before = sandbox.stats()
  for (let index = 0; index < 5; index += 1) await run('$.log(1)', { strategyId })
  assert.equal(sandbox.stats().coldStarts, before.coldStarts + 1)
})

test('open work of a run does not continue in the next run', async () => {
  const strategyId = newStrategyId()
  const code = `
    const late = async () => { await $.Strategy.stop(); $.log('late') }
    if ((await $.Storage.get()) === null) { late(); await $.Storage.set(1) }
    $.log('end')`
  const cold = sandbox.stats().coldStarts
  const host = recordingHost({
    stop: () => new Promise((resolve) => setTimeout(() => resolve(true), 100)),
  })
  assert.equal((await run(code, { strategyId, host })).log, 'end\n')
  assert.equal((await run(code, { strategyId, host })).log, 'end\n')
  assert.equal(sandbox.stats().coldStarts, cold + 2)
})

test('an isolate is replaced after a violation, and after its maximum number of runs', async () => {
  const few = await testSandbox({ runsPerIsolate: 3 })
  const strategyId = newStrategyId()
  for (let index = 0; index < 7; index += 1) await few.run('$.log(1)', { strategyId })
  assert.equal(few.sandbox.stats().coldStarts, 3)
  const code = 'await $.Storage.set("x".repeat(30000))'
  const other = newStrategyId()
  const cold = sandbox.stats().coldStarts
  await run(code, { strategyId: other })
  await run(code, { strategyId: other })
  assert.equal(sandbox.stats().coldStarts, cold + 2)
})

test('everything that code can reach is frozen', async () => {
  const outcome = await run(`
    ${thawedFrom}
    const roots = { $, Object, Array, String, Number, Boolean, Symbol, BigInt, Math, JSON, Date, RegExp, Map, Set,
      WeakMap, WeakSet, Promise, Iterator, Error, AggregateError, RangeError, Int8Array, Float64Array, parseInt,
      encodeURI, escape, generator: function* () {}, async: async () => {}, asyncGenerator: async function* () {},
      iterator: [].values(), helper: [].values().map((x) => x), wrapped: Iterator.from({ next() {} }),
      match: ''.matchAll(/x/g), mapIterator: new Map().keys(), setIterator: new Set().keys(),
      stringIterator: ''[Symbol.iterator](), buffer: new Uint8Array(1).buffer, promise: Promise.resolve(),
      error: new Error('x'), captured: (() => { const o = {}; Error.captureStackTrace(o); return o })(),
      caught: (() => { try { null.x } catch (e) { return e } })(), raw: JSON.rawJSON?.('1') ?? null, args: (function () { return arguments })() }
    $.log(thawedFrom(roots))`)
  assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
  const { count, thawed } = JSON.parse(outcome.log) as { count: number; thawed: string[] }
  assert.ok(count > 1_000, `walked ${count} objects`)
  // Objects that the snippet makes are its own. Everything that existed before is frozen.
  const own =
    /^(generator|async|asyncGenerator|iterator|helper|wrapped|match|mapIterator|setIterator|stringIterator|buffer|promise|error|captured|caught|args)(\.prototype)?$/
  assert.deepEqual(
    thawed.filter((path) => !own.test(path) && path !== 'wrapped.__proto__.next'),
    [],
  )
})
