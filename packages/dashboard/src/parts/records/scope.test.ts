import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInScope, queryOf } from './scope.ts'

const bots = new Map(
  (
    [
      { id: 1, mode: 'paper', demo: false },
      { id: 2, mode: 'live', demo: false },
      { id: 3, mode: 'live', demo: true },
    ] as const
  ).map((bot) => [bot.id, bot]),
)

test('money and paper are never in one mode, nor is a demo account live', () => {
  const shown = (scope: object) =>
    [1, 2, 3, 4].filter((bot_id) => isInScope({ bot_id, symbol: 'BTC/USDT' }, scope, bots))
  assert.deepEqual(shown({}), [1, 2, 3, 4])
  assert.deepEqual(shown({ bot: 4 }), [4])
  assert.deepEqual(shown({ mode: 'live' }), [2])
  assert.deepEqual(shown({ mode: 'demo' }), [3])
  assert.deepEqual(shown({ mode: 'paper' }), [1])
  assert.deepEqual(shown({ mode: 'paper', bot: 2 }), [])
  assert.deepEqual(shown({ symbol: 'btcusdt', bot: 2 }), [2])
  assert.deepEqual(shown({ symbol: 'eth' }), [])
})

test('while the bots are not known, no record is taken for one of a mode', () => {
  assert.equal(isInScope({ bot_id: 1, symbol: 'BTC/USDT' }, { mode: 'paper' }, undefined), false)
  assert.equal(isInScope({ bot_id: 1, symbol: 'BTC/USDT' }, { bot: 1 }, undefined), true)
})

test('the service is asked for the same records', () => {
  assert.deepEqual(queryOf({}), {})
  assert.deepEqual(queryOf({ bot: 3, mode: 'demo', symbol: 'eth' }), {
    bot_id: 3,
    mode: 'live',
    demo: true,
    symbol: 'eth',
  })
  assert.deepEqual(queryOf({ mode: 'live' }), { mode: 'live', demo: false })
  assert.deepEqual(queryOf({ mode: 'paper' }), { mode: 'paper' })
})
