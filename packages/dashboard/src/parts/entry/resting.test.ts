import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Resting, restingWords } from './resting.ts'

const now = Date.parse('2026-01-02T03:04:05.000Z')
const order: Resting = {
  ...{ symbol: 'BTC/USDT:USDT', side: 'buy', type: 'limit', limit_price: '61200' },
  ...{ size: '0.5', filled_size: '0.1' },
  rests: { until: '2026-01-02T03:04:47.900Z', on_timeout: 'market', chases_left: 0 },
}
const rests = (changes: Partial<Resting['rests']>) => ({ ...order, rests: { ...order.rests, ...changes } })

test('an opening that rests says what waits where, what is filled, for how long, and what follows', () => {
  assert.equal(
    restingWords(order, 'at Binance futures', now),
    'A limit order to buy 0.5 BTC at 61,200 rests at Binance futures. 0.1 is filled. It ends in 42 s, then the rest is bought at market.',
  )
  assert.equal(
    restingWords({ ...order, side: 'sell', type: 'post_only', filled_size: '0' }, 'on paper', now),
    'A post-only order to sell 0.5 BTC at 61,200 rests on paper. Nothing is filled. It ends in 42 s, then the rest is sold at market.',
  )
  for (const [changes, end] of [
    [{ on_timeout: 'cancel' }, 'It ends in 42 s, and nothing follows.'],
    [{ on_timeout: 'cancel', until: '2026-01-02T03:04:05.500Z' }, 'Its time is over, and nothing follows.'],
    [
      { on_timeout: 'chase', chases_left: 2 },
      'It ends in 42 s, then the rest moves to the price of that time, 2 more times at most.',
    ],
    [
      { on_timeout: 'chase', chases_left: 1 },
      'It ends in 42 s, then the rest moves to the price of that time, the last time.',
    ],
  ] as const)
    assert.ok(restingWords(rests(changes), 'on paper', now).endsWith(` 0.1 is filled. ${end}`), end)
})
