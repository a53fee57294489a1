import assert from 'node:assert/strict'
import { Script } from 'node:vm'
import { checkSyntax } from '../../packages/sandbox/src/syntax-check.ts'
import { SyntaxChecker } from '../../packages/sandbox/src/syntax-checker.ts'
import { textTarget } from '../target.ts'

const checker = new SyntaxChecker()

/** The thread gives the same result as the check, with a place within the text; V8 compiles what it accepts. */
export default textTarget({
  seeds: [
    'const { data } = $.Data\nif (data.price > 1) await $.Strategy.action("long", { size: 1 })',
    'for await (const [a, ...b] of c ?? []) { label: while (1) break label }',
    'class A extends B { static #x = 1; get y() { return this.#x } async *z() { yield* [] } }',
    'return `a$\x7b1 + `b`}` /re[/]g(?<n>x)\\k<n>/u.test(1_000n) ?? new.target',
    'try { throw 0x1f } catch { } finally { switch (1) { case 0: default: } }',
    '}); (function () {',
  ],
  words: [
    '=>',
    '...',
    '?.',
    '??=',
    '`${',
    '</',
    '/*',
    '*/',
    '<!--',
    'await',
    'yield',
    'async',
    'let',
    'of',
    'import(',
    '\\u{61}',
    '#a',
    '/[',
    ']/v',
    '})(',
  ],
  libraries: ['acorn'],
  byteLimit: 400,
  check: async (code) => {
    const problem = checkSyntax(code)
    const said = await checker.check(code, 1)
    // The thread has one second of clock time, which a busy machine may use up. The fuzzer counts CPU time.
    if (said?.message !== 'The code takes too long to read.') assert.deepEqual(said, problem)
    if (problem === null) {
      // V8 takes minutes for some patterns, so the check does not compile them.
      if (!code.includes('/')) new Script(`(async function ($) {"use strict";\n${code}\n})`)
      return
    }
    const line = code.split(/\r\n|[\n\r\u2028\u2029]/)[problem.line - 1]
    assert.ok(
      line !== undefined && problem.column >= 1 && problem.column <= line.length + 2,
      JSON.stringify(problem),
    )
    assert.ok(problem.message.length <= 1_100)
  },
})
