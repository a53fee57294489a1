import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inPlainNode, inSandbox } from './both-sides.ts'

const number = fc.oneof(
  fc.integer().map(String),
  fc.double().map((value) => (value < 0 || Object.is(value, -0) ? `(${value})` : String(value))),
  fc.constantFrom('NaN', 'Infinity', '-0', '0.1', '1e21', '2 ** 53', '0xff'),
)
const text = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('12', '1e3', ' 7 ', 'é'))
  .map(literal)
const data = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value))

/** A literal that cannot contain a forbidden identifier. */
function literal(value: string): string {
  return `'${[...value].map((letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`).join('')}'`
}

const { expression } = fc.letrec<{ expression: string; list: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      number,
      text,
      data.map((value) => `(${value})`),
    ),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom(
          '+',
          '-',
          '*',
          '/',
          '%',
          '**',
          '<',
          '>=',
          '==',
          '===',
          '&',
          '|',
          '^',
          '<<',
          '>>>',
          '&&',
          '??',
        ),
        tie('expression'),
      )
      .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
    fc
      .tuple(fc.constantFrom('-', '+', '!', '~', 'typeof ', 'void '), tie('expression'))
      .map(([operator, operand]) => `(${operator}(${operand}))`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    fc
      .tuple(
        fc.constantFrom(
          'String',
          'Number',
          'Boolean',
          'Math.round',
          'Math.abs',
          'JSON.stringify',
          'Object.keys',
          'Object.entries',
        ),
        tie('expression'),
      )
      .map(([call, argument]) => `${call}(${argument})`),
    tie('list'),
    fc
      .tuple(
        tie('list'),
        fc.constantFrom(
          '.length',
          '.at(-1)',
          '.join()',
          '.reduce((a, b) => a + b, 0)',
          '.includes(1)',
          '.indexOf(0)',
        ),
      )
      .map(([list, read]) => `${list}${read}`),
  ),
  list: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.array(number, { maxLength: 5 }).map((items) => `[${items}]`),
    fc.array(tie('expression'), { maxLength: 3 }).map((items) => `[${items}]`),
    fc
      .tuple(
        tie('list'),
        fc.constantFrom(
          '.map((x) => [x])',
          '.filter((x) => x)',
          '.toSorted()',
          '.sort((a, b) => a - b)',
          '.slice(1)',
          '.flat()',
          '.concat([1, 2])',
          '.toReversed()',
          '.fill(7, 1, 2)',
        ),
      )
      .map(([list, call]) => `${list}${call}`),
  ),
}))

test('random programs give the same results as in plain Node', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(expression, { minLength: 20, maxLength: 20 }), async (programs) => {
      assert.deepEqual(await inSandbox(programs), await inPlainNode(programs))
    }),
    { numRuns: 12 },
  )
})

test('random JSON passes through the storage unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
      const programs = [`JSON.parse(${literal(JSON.stringify(value))})`]
      assert.deepEqual(await inSandbox(programs), await inPlainNode(programs))
    }),
    { numRuns: 50 },
  )
})
