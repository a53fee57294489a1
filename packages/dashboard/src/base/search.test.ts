import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choiceOf, idOf, setOnly, textOf } from './search.ts'

test('a filter that an address cannot have is left out', () => {
  assert.equal(choiceOf(['LONG', 'SHORT'], 'LONG'), 'LONG')
  assert.equal(choiceOf(['LONG', 'SHORT'], 'toString'), undefined)
  assert.deepEqual([3, '3', 0, -1, 1.5, '', null, {}, '9'.repeat(30)].map(idOf), [
    3,
    3,
    ...Array.from({ length: 7 }, () => undefined),
  ])
  assert.equal(textOf('BTC/USDT', 3), 'BTC')
  assert.equal(textOf(1, 64), '1')
  assert.equal(textOf('', 64), undefined)
  assert.deepEqual(setOnly({ bot: undefined, mode: 'paper' }), { mode: 'paper' })
})
