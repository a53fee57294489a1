import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStopTooLate } from './margin.ts'

test('a stop behind the price of a liquidation comes too late', () => {
  const of = (side: 'long' | 'short', stop_price: string | null, liquidation_price: string | null) =>
    isStopTooLate({ side, liquidation_price, protection: { stop_price } })
  assert.deepEqual(
    [of('long', '94', '95'), of('long', '95', '95'), of('long', '96', '95')],
    [true, true, false],
  )
  assert.deepEqual([of('short', '106', '105'), of('short', '104', '105')], [true, false])
  assert.deepEqual([of('long', null, '95'), of('long', '94', null)], [false, false])
  assert.equal(isStopTooLate({ side: 'long', liquidation_price: '95', protection: null }), false)
})
