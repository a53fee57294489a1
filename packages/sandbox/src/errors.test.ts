import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingHost, testSandbox } from './test-support.ts'

const { run } = await testSandbox()

/** Code, and the name, message and place of the error that ends it. */
const cases: [
  what: string,
  code: string,
  name: string,
  message: string | RegExp,
  line: number | null,
  column: number | null,
][] = [
  ['on the first line', 'null.x', 'TypeError', /Cannot read properties of null/, 1, 6],
  ['on a later line', '\n\n  undefinedName', 'ReferenceError', 'undefinedName is not defined', 3, 3],
  ['after CRLF line ends', 'const a = 1\r\nthrow new Error("x")', 'Error', 'x', 2, 7],
  [
    'in a nested function',
    'function outer() {\n  inner()\n}\nfunction inner() {\n  throw new RangeError("deep")\n}\nouter()',
    'RangeError',
    'deep',
    5,
    9,
  ],
  [
    'in an async function',
    'async function f() {\n  await null\n  throw new Error("later")\n}\nawait f()',
    'Error',
    'later',
    3,
    9,
  ],
  ['after a host call', 'await $.Strategy.stop()\nnull.x', 'TypeError', /null/, 2, 6],
  ['in a callback of a builtin', '[1].map(() => {\n  throw new Error("cb")\n})', 'Error', 'cb', 2, 9],
  ['inside a builtin', 'const a = 1\nJSON.parse("{")', 'SyntaxError', /JSON/, 2, 6],
  [
    'in a class of its own',
    'class Bad extends Error {\n  name = "Bad"\n}\nthrow new Bad("own")',
    'Bad',
    'own',
    4,
    7,
  ],
  [
    'inside an indicator',
    'const rsi = new $.Ta.RSI(2)\nrsi.update(1)\nrsi.getResultOrThrow()',
    'NotEnoughDataError',
    /./,
    3,
    5,
  ],
  ['of an action', 'let x\n  await $.Strategy.action("UP")', 'TypeError', /^type must be/, 2, 20],
  [
    'a syntax error in the middle',
    'const a = 1\nconst b = ;\n',
    'SyntaxError',
    "Unexpected token ';'",
    2,
    11,
  ],
  ['a syntax error on the first line', 'const 1x', 'SyntaxError', /Invalid or unexpected token/, 1, 7],
  ['a syntax error at the end', 'if (true) {\n  $.log(1)', 'SyntaxError', /./, 2, 11],
  ['a syntax error of strict code', 'const a = 1\nconst o = 010', 'SyntaxError', /Octal literals/, 2, 11],
  ['a brace that closes the function', '}\n$.log(1)\n{', 'SyntaxError', /./, 2, 1],
  ['a string', 'throw "just a string"', 'Error', 'just a string', null, null],
  ['null', 'throw null', 'Error', 'null was thrown', null, null],
  ['undefined', 'throw undefined', 'Error', 'undefined was thrown', null, null],
  ['a number', 'throw 42', 'Error', '42 was thrown', null, null],
  ['an object', 'throw { code: 5 }', 'Error', '{"code":5} was thrown', null, null],
  ['a symbol', 'throw Symbol("s")', 'Error', 'Symbol(s) was thrown', null, null],
  [
    'an object that fights back',
    'throw { toJSON() { throw 1 }, toString() { throw 2 } }',
    'Error',
    '[object] was thrown',
    null,
    null,
  ],
  [
    'a rejected promise that nobody awaits',
    'const a = 1\nPromise.reject(new TypeError("loose"))',
    'TypeError',
    'loose',
    2,
    16,
  ],
  [
    'an unawaited action with bad options',
    '$.Strategy.action("LONG", { size: "5" })',
    'TypeError',
    /^options.size/,
    1,
    12,
  ],
]

for (const [what, code, name, message, line, column] of cases) {
  test(`an error has its name, message and place: ${what}`, async () => {
    const outcome = await run(code)
    assert.equal(outcome.status, 'failed')
    const { error } = outcome
    assert.equal(error!.name, name)
    if (typeof message === 'string') assert.equal(error!.message, message)
    else assert.match(error!.message, message)
    assert.deepEqual([error!.line, error!.column], [line, column])
  })
}

test('a name or message that is too long is cut, one that throws is replaced', async () => {
  const { error } = await run('const e = new Error("m".repeat(5e6)); e.name = "n".repeat(5e6); throw e')
  assert.equal(error!.name.length, 100)
  assert.equal(error!.message.length, 1_000)
  const hostile = await run('throw Object.defineProperty(new Error("x"), "message", { get() { throw 1 } })')
  assert.equal(hostile.status, 'failed')
  assert.equal(typeof hostile.error!.message, 'string')
})

test('a stack names places in the code and nothing of the host', async () => {
  const outcome = await run(
    `function f() { return new Error('x').stack }
    $.log(f())
    const at = []
    await Promise.all([$.Strategy.action('NO').catch((e) => at.push(e.stack)), $.Strategy.stop().catch((e) => at.push(e.stack))])
    try { $.Ta.getAverage(null) } catch (e) { at.push(e.stack) }
    $.log(at.join('\\n'))`,
    { host: recordingHost({ stop: () => Promise.reject(new Error('refused')) }) },
  )
  assert.equal(outcome.status, 'completed')
  assert.match(outcome.log, /^Error: x\n {4}at f \(strategy:1:23\)\n {4}at strategy:2:11\n/)
  assert.doesNotMatch(outcome.log, /tickwright|node|\.ts|\.js|file:|\/|isolated/)
})

test('a run that waits for a promise that will never settle ends at once, not at its deadline', async () => {
  for (const code of ['await new Promise(() => {})', 'await Promise.race([])', 'await { then() {} }']) {
    const outcome = await run(code)
    assert.equal(outcome.status, 'failed')
    assert.match(outcome.error!.message, /will never settle/)
  }
})

test('a rejection that is handled later in the same turn is not an error', async () => {
  const outcome = await run(
    'const p = Promise.reject(new Error("x")); await null; await p.catch(() => $.log("ok"))',
  )
  assert.equal(outcome.status, 'completed')
  assert.equal(outcome.log, 'ok\n')
})
