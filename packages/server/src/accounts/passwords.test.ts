import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, Passwords, verifyPassword } from './passwords.ts'

test('a hash fits its password and no other, and reveals neither', async () => {
  const [stored, again] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  assert.notEqual(stored, again)
  assert.match(stored, /^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  assert.ok(!stored.includes('correct'))
  assert.equal(await verifyPassword('correct horse', stored), true)
  assert.equal(await verifyPassword('correct horse ', stored), false)
  assert.equal(await verifyPassword('', stored), false)
})

test('a password fits in any Unicode composition', async () => {
  const stored = await hashPassword('Zo\u00eb')
  assert.equal(await verifyPassword('Zoe\u0308', stored), true)
})

test('an invalid hash fits no password', async () => {
  for (const stored of ['', 'scrypt', 'plain$1$1$1$AA$AA', '$$$$$']) {
    assert.equal(await verifyPassword('', stored), false, stored)
  }
})

test('a hash with a lower or higher cost still fits', async () => {
  for (const cost of [4, 6, 8]) {
    const stored = await new Passwords(cost).hash('correct horse')
    assert.equal(await new Passwords(6).verify('correct horse', stored), true)
    assert.equal(await new Passwords(6).verify('wrong horse', stored), false)
  }
  for (const stored of ['', 'scrypt', '$$$$$', 'scrypt$0$8$1$AA$AA'])
    assert.equal(await new Passwords(6).verify('', stored).catch(() => false), false)
})
