import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VenueUnreachable } from '../market/price-source.ts'
import { RepeatedErrors } from './repeated-errors.ts'

/** How many of these errors are enough to give up. */
function enough(errorOf: (n: number) => unknown): number {
  const errors = new RepeatedErrors([1])
  let count = 0
  while (!errors.areEnough) errors.add(errorOf(count++))
  return count
}

test('five errors that differ only in digits are enough, and ten errors of any kind', () => {
  assert.equal(
    enough(() => new Error('The same.')),
    5,
  )
  assert.equal(
    enough((n) => new Error(`Row ${n} at 2026-01-0${n}, 3f${n}a-${n}c.`)),
    5,
  )
  assert.equal(
    enough((n) => `thrown ${n}`),
    5,
  )
  assert.equal(
    enough(() => undefined),
    5,
  )
  assert.equal(
    enough((n) => new Error('one', { cause: new Error(['a', 'b'][n % 2]) })),
    10,
  )
  assert.equal(
    enough((n) => Object.assign(new Error('one'), { code: ['40P01', 'XX000'][n % 2] })),
    5 * 2,
  )
  assert.equal(
    enough((n) => new Error(n < 4 ? 'first' : 'second')),
    9,
  )
})

test('the last pause repeats, and a reason contains no secrets', () => {
  const errors = new RepeatedErrors([1, 2, 5])
  const pauses = Array.from({ length: 5 }, () => {
    errors.add(new Error('insert into orders values (secret)'))
    return errors.pauseMs
  })
  assert.deepEqual(pauses, [1, 2, 5, 5, 5])
  assert.doesNotMatch(errors.reason, /secret/)
  errors.add(new VenueUnreachable('The exchange is away.'))
  assert.equal(
    errors.reason,
    'Following the signal failed 6 times with different errors. The last one: The exchange is away.',
  )
})
