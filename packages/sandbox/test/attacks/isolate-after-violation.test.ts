// An isolate serves the next run only if its last one ended by itself, broke no rule and left nothing open.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newStrategyId, testSandbox } from '../../src/test-support.ts'

const { run, sandbox } = await testSandbox({ timeoutMs: 300 })

const ends: [what: string, code: string][] = [
  ['the deadline', 'for (;;);'],
  [
    'the deadline, after the code had returned',
    'const later = (turns) => Promise.resolve().then(() => { if (turns > 0) later(turns - 1); else for (;;); }); later(20)',
  ],
  ['too much to store', `await $.Storage.set('x'.repeat(30_000)).catch(() => {})`],
  ['a second action', `await $.Strategy.action('LONG'); await $.Strategy.action('LONG').catch(() => {})`],
  ['a rejection that nobody handles', 'Promise.reject(new Error("x"))'],
  ['a rejection after the code had returned', 'Promise.resolve().then(() => { throw 1 })'],
  ['a promise that will never settle', 'await new Promise(() => {})'],
  ['a syntax error', 'const'],
]

for (const [what, code] of ends) {
  test(`an isolate is thrown away after ${what}`, async () => {
    const strategyId = newStrategyId()
    const before = sandbox.stats().coldStarts
    for (let runs = 1; runs <= 3; runs += 1) {
      await run(code, { strategyId })
      assert.equal(sandbox.stats().coldStarts, before + runs)
    }
  })
}

test('an isolate is kept after an error that the code threw', async () => {
  const strategyId = newStrategyId()
  const before = sandbox.stats().coldStarts
  for (let runs = 1; runs <= 3; runs += 1) await run('throw new Error("x")', { strategyId })
  assert.equal(sandbox.stats().coldStarts, before + 1)
})
