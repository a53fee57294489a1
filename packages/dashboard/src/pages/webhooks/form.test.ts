import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, newPassword, passwordText } from './form.ts'

test('a form without choices says what is strictest', () => {
  const data = new FormData()
  data.set('name', ' Prices ')
  assert.deepEqual(bodyOf(data), {
    name: 'Prices',
    description: '',
    key_from: 'header',
    content_type: 'json',
  })
})

test('a new password has 120 bits', () => {
  let next = 0
  const password = newPassword((length) => Uint8Array.from({ length }, () => next++))
  assert.match(password, /^[a-z2-9]{24}$/)
  assert.equal(new Set(password).size, 24)
})

test('it says where the password goes', () => {
  assert.equal(passwordText({ is_safe: false, key_from: 'header' }), 'None')
  assert.match(passwordText({ is_safe: true, key_from: 'header' }), /x-key$/)
  assert.match(passwordText({ is_safe: true, key_from: 'header_or_body' }), /payload/)
})
