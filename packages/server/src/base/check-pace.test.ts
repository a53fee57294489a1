import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CheckPace } from './check-pace.ts'

/** Checks that end when the test says so. */
function heldChecks() {
  const started: string[] = []
  const ends: (() => void)[] = []
  return {
    started,
    check: (name: string) => () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    },
    endOne: () => ends.shift()!(),
  }
}

/** Resolves after all pending promises have continued. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('an account has one check at a time, and delays nobody else', async () => {
  const pace = new CheckPace()
  const held = heldChecks()
  const runs = ['a1', 'a2', 'a3', 'b1', 'c1', 'd1'].map((name) =>
    pace.run(name.charCodeAt(0), held.check(name)),
  )
  await settle()
  assert.deepEqual(held.started, ['a1', 'b1', 'c1'])
  for (let ended = 1; ended <= runs.length; ended++) {
    held.endOne()
    await settle()
  }
  await Promise.all(runs)
  assert.deepEqual(held.started, ['a1', 'b1', 'c1', 'd1', 'a2', 'a3'])
})

test('a failed check gives its place back', async () => {
  const pace = new CheckPace()
  for (let n = 0; n < 10; n++) {
    await assert.rejects(
      pace.run(1, async () => {
        throw new Error('refused')
      }),
      /refused/,
    )
  }
  assert.equal(await pace.run(1, async () => 'done'), 'done')
})

test('an account that has asked too often is refused, but no other', async () => {
  const pace = new CheckPace()
  const answers = await Promise.allSettled(Array.from({ length: 60 }, () => pace.run(1, async () => 'done')))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  assert.ok(refused.length >= 9 && refused.length <= 10, `${refused.length} were refused`)
  assert.equal(refused[0]!.reason.code, 'rate_limited')
  assert.ok(refused[0]!.reason.retryAfterSeconds >= 1)
  assert.equal(await pace.run(2, async () => 'done'), 'done')
})
