import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signalOptions } from './action-options.ts'

test('the entry of an action is that of a payload, except that a price alone is refused', () => {
  assert.deepEqual(signalOptions({ size: 1, entry: { type: 'limit', price: 98.5, on_timeout: null } }), {
    ...{ size: 1, entry: { type: 'limit', price: '98.5' } },
  })
  assert.deepEqual(signalOptions({ entry: { type: 'market' } }), { entry: { type: 'market' } })
  assert.deepEqual(signalOptions({ entry: {}, protection: { stop_loss: null } }), {})
  for (const [entry, field] of [
    [{ price: 98.5 }, 'price'],
    [{ type: 'market', price: 98.5 }, 'price'],
    [{ type: 'market', on_timeout: 'chase' }, 'on_timeout'],
    [{ offset: '1%' }, 'type'],
  ] as const) {
    assert.throws(() => signalOptions({ entry }), new RegExp(`^TypeError: options\\.entry\\.${field} `))
  }
})
