import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSandbox, thawedFrom } from '../../src/test-support.ts'
import { holders } from './holders.ts'

const { run } = await testSandbox()

test('every member of every global is frozen, and so is everything that they lead to', async () => {
  const outcome = await run(`
    ${thawedFrom}
    await $.Storage.set(thawedFrom([$, ${holders}]))`)
  assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
  const { count, thawed } = JSON.parse(outcome.storage!) as { count: number; thawed: string[] }
  assert.deepEqual(thawed, [])
  assert.ok(count > 1_000, `walked ${count} objects`)
})
