import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNames, kinds, placeOf } from './kinds.ts'

const entered = (texts: Record<string, string>) => (name: string) => texts[name] ?? ''

test('a new endpoint sends all that is required, and optional fields only if they are there', () => {
  assert.deepEqual(placeOf('telegram', entered({ token: ' t ', chat_id: '1' }), false), {
    token: 't',
    chat_id: '1',
  })
  assert.deepEqual(placeOf('webhook', entered({}), false), { url: '' })
  assert.deepEqual(placeOf('email', entered({ url: 'x' }), false), {})
})

test('a change keeps a secret that is left empty, and removes an optional field that is', () => {
  assert.deepEqual(placeOf('telegram', entered({ chat_id: '2' }), true), { chat_id: '2', thread_id: null })
  assert.deepEqual(placeOf('ntfy', entered({}), true), {})
  assert.deepEqual(placeOf('ntfy', entered({ token: 'tk_new' }), true), { token: 'tk_new' })
})

test('each kind says where to find its values', () => {
  for (const kind of kindNames) {
    const { fields, steps } = kinds[kind]
    assert.ok(kind === 'webhook' || steps.length > 0)
    assert.equal(new Set(fields.map(({ name }) => name)).size, fields.length)
  }
})
