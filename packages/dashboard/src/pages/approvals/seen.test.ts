import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withWaiting } from './seen.ts'

test('new cards come last, and those that wait no more stay in their places', () => {
  const [one, two, three] = [{ id: 1 }, { id: 2 }, { id: 3 }]
  const first = withWaiting([], [two, one])
  assert.deepEqual(first, [one, two])
  assert.deepEqual(withWaiting(first, [three, two]), [one, two, three])
  assert.equal(withWaiting(first, [two]), first, 'nothing is new')
})

test('a card takes over what has changed', () => {
  const seen = [{ id: 1, response: null as string | null }]
  assert.deepEqual(withWaiting(seen, [{ id: 1, response: 'Because.' }]), [{ id: 1, response: 'Because.' }])
})
