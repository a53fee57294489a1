import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SyntaxChecker } from '@tickwright/sandbox'
import { AppError } from '../base/errors.ts'
import { CheckQueue } from './check-queue.ts'

test('a user with a hundred waiting checks gets 429, others do not, and room comes back', async () => {
  await using stack = new AsyncDisposableStack()
  const checker = new SyntaxChecker()
  stack.defer(() => checker.close())
  const queue = new CheckQueue(checker)
  // None of them can have ended before the last one is asked for.
  const checks = Array.from({ length: 102 }, () => queue.check('return 1', 1))
  const other = queue.check('return (', 2)
  const results = await Promise.allSettled(checks)
  assert.deepEqual(
    results.map(({ status }) => status),
    [...Array(100).fill('fulfilled'), 'rejected', 'rejected'],
  )
  const { reason } = results[100] as PromiseRejectedResult
  assert.ok(reason instanceof AppError)
  assert.equal(reason.code, 'rate_limited')
  assert.notEqual(await other, null)
  assert.equal(await queue.check('return 1', 1), null)
  // A check that fails gives its room back too.
  const tooLong = 'x'.repeat(10_000_000)
  for (let n = 0; n < 101; n++) await assert.rejects(queue.check(tooLong, 1), RangeError)
})
