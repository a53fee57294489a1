/** Attacks on the parser and the compiler: programs of the maximum length, which are too long for files. */

import { codeByteLimit } from '../../src/limits.ts'
import type { Attack, Ending } from './attack-file.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `n_${index.toString(36)}`)
const times = (text: string, count: number) => text.repeat(count)
const half = codeByteLimit / 2 - 4_096

const completed: Ending = { status: 'completed' }
const refused: Ending = { status: 'failed', name: 'SyntaxError', message: '' }
const overflown: Ending = {
  status: 'failed',
  name: 'RangeError',
  message: 'Maximum call stack size exceeded',
}
const late: Ending = { status: 'violation', rule: 'execution_time' }
const full: Ending = { status: 'violation', rule: 'memory' }

const programs: [name: string, code: string, ends: Ending[]][] = [
  ['brackets', times('(', half) + times(')', half), [refused, overflown]],
  ['arrays', times('[', half) + times(']', half), [overflown]],
  ['braces', times('{', half) + times('}', half), [overflown, completed]],
  ['arrow functions', `${times('()=>', half / 4)}1`, [overflown, completed]],
  [
    'arrow functions in parameters',
    `${times('(a=', half / 4)}1${times(')=>1', half / 4)}`,
    [refused, overflown],
  ],
  [
    'functions within functions',
    times('function f(){', half / 14) + times('}', half / 14),
    [overflown, completed],
  ],
  [
    'classes within classes',
    times('class A{m(){', half / 14) + times('}}', half / 14),
    [overflown, completed],
  ],
  ['templates', `${times('`${', half / 3)}1${times('}`', half / 3)}`, [overflown]],
  ['operators', `${times('-~', half)}1`, [overflown]],
  ['an endless sum', `${times('1+', half)}1`, [overflown, completed]],
  ['an endless chain', `$${times('?.a', half / 2)}`, [overflown, completed]],
  ['awaits', `${times('await ', half / 4)}1`, [overflown, completed]],
  [
    'many functions',
    names(12_000)
      .map((name) => `function ${name}(){}`)
      .join(''),
    [completed, full],
  ],
  ['many variables', `let ${names(40_000).join()}`, [completed, refused, overflown, full]],
  ['many parameters', `(${names(40_000).join()})=>1`, [refused, completed]],
  [
    'many labels',
    `${names(2_000)
      .map((name) => `${name}:`)
      .join('')};`,
    [overflown, completed],
  ],
  [
    'many private names',
    `class A{${names(20_000)
      .map((name) => `#${name};`)
      .join('')}}`,
    [completed, refused, full],
  ],
  [
    'many literals',
    `[${names(20_000)
      .map((name) => `/${name}/`)
      .join()}]`,
    [completed, full],
  ],
  ['an expression of groups', `/${times('(', half)}${times(')', half)}/`, [refused]],
  [
    'an expression of names',
    `/${names(15_000)
      .map((name) => `(?<${name}>)`)
      .join('')}/`,
    [completed, refused],
  ],
  [
    'an expression of classes',
    `/[${times('\\p{L}--[', 1_000)}${times(']', 1_000)}]/v.test('a')`,
    [completed, refused, overflown],
  ],
  ['a name', `${times('a', half)} = 1`, [{ status: 'failed', name: 'ReferenceError', message: 'aaa' }]],
  ['a text of escapes', `$.log('${times('\\u{0000000041}', half / 14)}'.length > 1)`, [completed]],
  ['a number', `${times('9', half)}n * ${times('9', 4_000)}n`, [completed, late]],
  ['a switch', `switch (1) {${times('case 2:', half / 7)}}`, [completed]],
  ['an else without end', `${times('if (0); else ', half / 13)};`, [overflown, completed]],
  ['destructuring', `const ${times('[', half)}a${times(']', half)} = []`, [overflown, refused]],
  ['comments', `${times('/**/', half / 2)}`, [completed]],
  [
    'line separators',
    `${times('\u2028', 80_000)}x`,
    [{ status: 'failed', name: 'ReferenceError', message: 'x' }],
  ],
]

/** Ends that are allowed for all of them: V8 parses and compiles inside the isolate, under its limits. */
export const giantPrograms: Attack[] = programs.map(([name, code, ends]) => ({
  name: `giant/${name.replaceAll(' ', '-')}`,
  title: `${code.length} characters of it`,
  code,
  ends,
  log: undefined,
  actions: 0,
  kills: false,
  whole: true,
}))
