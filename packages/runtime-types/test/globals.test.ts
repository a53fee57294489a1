/** Holds the globals that the types know against those that an isolate has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenIdentifiers } from '../../sandbox/src/index.ts'
import { logged, testSandbox } from '../../sandbox/src/test-support.ts'
import { typeCheck } from './type-check.ts'

/** What the compiler knows whatever it is told, or what comes in one library with what strategies have. */
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

/** Every global of Node, which has all that V8 brings along and much that browsers have, and every forbidden name. */
const candidates = [...new Set([...Object.getOwnPropertyNames(globalThis), ...forbiddenIdentifiers])].filter(
  // Words that are no expression by themselves.
  (name) => !['import', 'export'].includes(name),
)

const { run } = await testSandbox()
const writable = candidates.filter((name) => !forbiddenIdentifiers.includes(name as never))
const asked = await run(
  `$.log([${writable.map((name) => `typeof ${name} === 'undefined' ? '' : '${name}'`)}])`,
)
// The one global whose type is that of an absent one.
const present = [...(logged(asked) as string[]).filter((name) => name !== ''), 'undefined']

const complaints = await typeCheck(candidates.map((name) => `void ${name}`))
const untyped = candidates.filter((_, index) =>
  complaints[index]!.some(({ message }) => message.startsWith('Cannot find name')),
)

test('what an isolate has is known to the types', () => {
  assert.ok(present.length > 40)
  assert.deepEqual(
    untyped.filter((name) => present.includes(name)),
    [],
  )
})

test('what an isolate has not is unknown to them, as far as the compiler allows', () => {
  assert.ok(untyped.includes('fetch') && untyped.includes('setTimeout') && untyped.includes('Proxy'))
  const typed = candidates.filter((name) => !untyped.includes(name) && !present.includes(name))
  assert.deepEqual(typed.sort(), known)
})
