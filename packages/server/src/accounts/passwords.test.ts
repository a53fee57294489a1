import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, verifyPassword } from './passwords.ts'

test('a hash fits its password and no other, and tells nothing of either', async () => {
  const [stored, again] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  assert.notEqual(stored, again)
  assert.match(stored, /^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  assert.ok(!stored.includes('correct'))
  assert.equal(await verifyPassword('correct horse', stored), true)
  assert.equal(await verifyPassword('correct horse ', stored), false)
  assert.equal(await verifyPassword('', stored), false)
})

test('a password fits however its letters were composed', async () => {
  const stored = await hashPassword('Zo\u00eb')
  assert.equal(await verifyPassword('Zoe\u0308', stored), true)
})

test('what is no hash fits nothing', async () => {
  for (const stored of ['', 'scrypt', 'plain$1$1$1$AA$AA', '$$$$$']) {
    assert.equal(await verifyPassword('', stored), false, stored)
  }
})
