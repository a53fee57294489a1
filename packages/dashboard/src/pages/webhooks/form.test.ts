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
    allow_from: [],
  })
})

test('a form lists the allowed senders, however they are separated, and a format that there is', () => {
  const data = new FormData()
  data.set('allow_from', ' tradingview, 192.0.2.0/24\n::1,')
  data.set('format', '3commas')
  const { allow_from, format } = bodyOf(data)
  assert.deepEqual([allow_from, format], [['tradingview', '192.0.2.0/24', '::1'], '3commas'])
  data.set('format', 'toString')
  assert.equal('format' in bodyOf(data), false)
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
