/** Compares the globals of the types with those of an isolate. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenIdentifiers } from '../../sandbox/src/index.ts'
import { logged, testSandbox } from '../../sandbox/src/test-support.ts'
import { typeCheck } from './type-check.ts'

/** Names that the compiler always knows, or that share a library with names that strategies have. */
const known = [
  'ArrayBuffer',
  'AsyncDisposableStack',
  'DataView',
  'DisposableStack',
  'Function',
  'Intl',
  'eval',
  'globalThis',
]

/** All forbidden names and all globals of Node, which include those of V8 and many of browsers. */
const candidates = [...new Set([...Object.getOwnPropertyNames(globalThis), ...forbiddenIdentifiers])].filter(
  // These words are not expressions.
  (name) => !['import', 'export'].includes(name),
)

const { run } = await testSandbox()
const writable = candidates.filter((name) => !forbiddenIdentifiers.includes(name as never))
const asked = await run(
  `$.log([${writable.map((name) => `typeof ${name} === 'undefined' ? '' : '${name}'`)}])`,
)
// The only global whose type is that of an absent one.
const present = [...(logged(asked) as string[]).filter((name) => name !== ''), 'undefined']

const complaints = await typeCheck(candidates.map((name) => `void ${name}`))
const untyped = candidates.filter((_, index) =>
  complaints[index]!.some(({ message }) => message.startsWith('Cannot find name')),
)

test('the types know the globals of an isolate', () => {
  assert.ok(present.length > 40)
  assert.deepEqual(
    untyped.filter((name) => present.includes(name)),
    [],
  )
})

test('the types do not know other globals, as far as the compiler allows', () => {
  assert.ok(untyped.includes('fetch') && untyped.includes('setTimeout') && untyped.includes('Proxy'))
  const typed = candidates.filter((name) => !untyped.includes(name) && !present.includes(name))
  assert.deepEqual(typed.sort(), known)
})
