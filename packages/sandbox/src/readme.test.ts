import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openSandbox, type RunOutcome } from './index.ts'

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (open: unknown) => Promise<RunOutcome>

test('the example of the README runs unchanged', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const example = /```ts\nimport .*\n([\s\S]*?)```/.exec(readme)![1]!
  const outcome = await new AsyncFunction('openSandbox', `${example}\nreturn outcome`)(openSandbox)
  assert.deepEqual(
    { ...outcome, clock: null, durationMs: 0, cpuMs: 0 },
    {
      status: 'completed',
      error: null,
      violation: null,
      storage: undefined,
      log: '',
      steps: null,
      clock: null,
      calls: 0,
      durationMs: 0,
      cpuMs: 0,
    },
  )
})
