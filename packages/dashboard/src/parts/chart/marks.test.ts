import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markOfBotSignal, markOfFill, markOfOrder, markOfSignal } from './marks.ts'

const at = '2026-03-01T10:00:00.000Z'

test('a mark says what happened, with every digit', () => {
  const fill = {
    side: 'buy',
    size: '0.000000000001',
    price: '65000.5',
    kind: 'order',
    filled_at: at,
  } as const
  assert.deepEqual(markOfFill(fill), {
    at: Date.parse(at),
    kind: 'fill',
    side: 'up',
    text: 'fill, buy 0.000000000001 at 65,000.5',
  })
  assert.match(markOfFill({ ...fill, kind: 'liquidation' }).text, /liquidation$/)
  const order = { side: 'sell', purpose: 'close', size: '2', status: 'FILLED', created_at: at } as const
  assert.equal(markOfOrder(order).text, 'order, sell 2 to close: filled')
})

test('a signal says its action, and why nothing came of it', () => {
  const result = {
    action: 'SHORT',
    status: 'REFUSED',
    reason: 'Too old.',
    queued_at: at,
    signal_id: 7,
  } as const
  assert.deepEqual(
    [markOfBotSignal(result).side, markOfBotSignal(result).text],
    ['down', 'signal 7, SHORT: refused, Too old.'],
  )
  assert.equal(markOfBotSignal({ ...result, action: null }).side, 'out')
  const signal = { id: 8, action: 'EXIT', price: 5.25, created_at: at, reason: null } as const
  assert.equal(markOfSignal(signal).text, 'signal 8, EXIT at 5.25')
})
