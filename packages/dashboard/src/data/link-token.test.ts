import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToken } from './link-token.ts'

test('only a whole token is taken from a link', () => {
  const token = `${'aZ09_-'.repeat(7)}x`
  assert.equal(readToken(`#${token}`), token)
  for (const hash of ['', '#', `#${token.slice(1)}`, `#${token}x`, `#${token.slice(1)}<`, '#%E0%'])
    assert.equal(readToken(hash), null, hash)
})
