import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totalsOf } from './totals.ts'

const bots = new Map([
  [1, { mode: 'paper', demo: false } as const],
  [2, { mode: 'live', demo: false } as const],
  [3, { mode: 'live', demo: true } as const],
])
const position = { symbol: 'BTC/USDT', size: '0.1', price: '100', unrealised: '0.2' }

test('each mode and currency has its own exact total, live first', () => {
  const totals = totalsOf(
    [
      { ...position, bot_id: 1 },
      { ...position, bot_id: 1, symbol: 'ETH/USDT:USDT', unrealised: '0.1' },
      { ...position, bot_id: 2 },
      { ...position, bot_id: 3 },
      { ...position, bot_id: 1, symbol: 'BTC/EUR' },
      { ...position, bot_id: 9 },
    ],
    bots,
  )
  assert.deepEqual(
    totals.map(({ key, value, unrealised }) => [key, value, unrealised]),
    [
      ['live USDT', '10', '0.2'],
      ['demo USDT', '10', '0.2'],
      ['paper EUR', '10', '0.2'],
      ['paper USDT', '20', '0.3'],
    ],
  )
})

test('a position without a price is counted, and in no sum', () => {
  const [total] = totalsOf(
    [
      { ...position, bot_id: 1 },
      { ...position, bot_id: 1, price: null, unrealised: null },
    ],
    bots,
  )
  assert.deepEqual([total!.positions, total!.unknown, total!.value], [2, 1, '10'])
})

test('without a known currency nothing is added up', () => {
  const [total] = totalsOf([{ ...position, bot_id: 1, symbol: 'odd' }], bots)
  assert.deepEqual([total!.currency, total!.value, total!.unrealised], [null, null, null])
})
