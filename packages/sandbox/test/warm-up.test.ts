import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warmUpCode, warmUpInput } from '../src/executor/warm-up.ts'
import { testSandbox } from '../src/test-support.ts'

const { run } = await testSandbox()

test('the warm-up code of the snapshot runs to its end', async () => {
  const outcome = await run(warmUpCode, { input: warmUpInput })
  assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
  const { last } = JSON.parse(outcome.storage!) as { last: unknown[] }
  assert.deepEqual(
    last.filter((result) => result === false),
    [],
  )
})
