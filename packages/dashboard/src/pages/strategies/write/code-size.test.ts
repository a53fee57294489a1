import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedSize } from './code-size.ts'

test('a stored value says how much of its room it takes, in bytes of UTF-8', () => {
  assert.equal(storedSize({ a: 'é' }), '10 B of 24 KB')
  assert.equal(storedSize('x'.repeat(24 * 1024 - 2)), '24 KB of 24 KB')
  assert.deepEqual([storedSize(null), storedSize(undefined)], [null, null])
})
