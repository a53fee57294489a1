import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSyntax } from './syntax-check.ts'

/** Whether V8 compiles a text as the runtime does. */
function compiles(code: string): boolean {
  const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => unknown
  try {
    new AsyncFunction('$', `"use strict";\n${code}\n`)
    return true
  } catch {
    return false
  }
}

const texts = [
  '',
  'return 1',
  'const price = await $.Http.get("x")',
  'new.target',
  'arguments.length',
  'using file = null',
  'await using file = null',
  'for await (const x of []) ;',
  '/(?<y>a)|(?<y>b)/v.test("a")',
  '/(?i:a)[\\p{L}--[a-z]]/v',
  'a = /x/gimsuy.test(/[/]\\//) / 2',
  'a = /x/uv',
  'a = /x/gg',
  'a = /[b-a]/',
  'a = /\\k<x>/u',
  'class A { #x = 1; static { } get y() { return #x in this } }',
  'a?.b ?? c; a ||= 1_000n',
  'let of = 1; for (of of []) ;',
  '<!-- a comment\nreturn 1',
  "const s = 'a\u2028b'",
  'label: for (;;) break label',
  'const a = ;',
  'let a; let a',
  'let $ = 1; { let $ = 2 }',
  'let x = `${',
  "const s = 'abc",
  '/* open',
  'with ({}) {}',
  '010',
  'delete x',
  'var yield = 1',
  'var await = 1',
  'eval = 1',
  'super.x',
  'import("x"); import x from "y"',
  'export const a = 1',
  '#!shebang',
  '@dec class A {}',
  'x = <div/>',
  'a = /(/',
  'break',
  'function f(a, a) {}',
  '({ __proto__: null, __proto__: 1 })',
  '0b12',
  '-1 ** 2',
  'a ?? b || c',
  'try {}',
  '}); (async () => {',
  '}\n{',
  '} + function () {',
  'return 1 }, 1, async function () {',
  '})',
]

test('the parser and V8 agree on what compiles', () => {
  for (const text of texts) {
    assert.equal(checkSyntax(text) === null, compiles(text), `${text}: ${JSON.stringify(checkSyntax(text))}`)
  }
})

test('a problem has its line and column, counted from 1', () => {
  assert.deepEqual(checkSyntax('const a = ;'), { message: 'Unexpected token', line: 1, column: 11 })
  assert.deepEqual(checkSyntax('let ok\r\n  let ok'), {
    message: "Identifier 'ok' has already been declared",
    line: 2,
    column: 7,
  })
  assert.deepEqual(checkSyntax('if (true) {\n  $.log(1)'), {
    message: 'Unexpected token: the code ends too early',
    line: 2,
    column: 11,
  })
})

test('the error of code that closes the function around it says so', () => {
  for (const code of ['}); (async function () {', '}, 1, async function () {', '}() + async function () {']) {
    assert.match(checkSyntax(code)!.message, /Unexpected token|closes a brace/, code)
  }
  assert.equal(
    checkSyntax('}, async function () {')!.message,
    'The code closes a brace that it has not opened.',
  )
})

test('a problem that quotes the text does not quote all of it', () => {
  const name = 'a'.repeat(100_000)
  assert.ok(checkSyntax(`let ${name}; let ${name}`)!.message.length <= 1_000)
})

test('code that is nested too deeply is a problem, not an exception', () => {
  for (const deep of [
    '('.repeat(100_000),
    '['.repeat(100_000),
    '{'.repeat(100_000),
    'a(() => '.repeat(20_000),
  ]) {
    assert.ok(checkSyntax(deep))
  }
})
