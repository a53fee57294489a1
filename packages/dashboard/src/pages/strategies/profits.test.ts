import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginningOfProfits, type Profit, profitsOf, profitsText } from './profits.ts'

const group = (mode: Profit['mode'], realised: string, closed = 1, currency = 'USDT', demo = false) =>
  ({ mode, demo, currency, realised, trades: { closed, open: 0 } }) as Profit

test('profits of a strategy stay apart, real money comes first, and groups without anything are left out', () => {
  const profits = profitsOf({
    strategies: [
      { strategy_id: null, groups: [group('live', '1')] },
      {
        strategy_id: 7,
        groups: [
          group(null, '4'),
          group('paper', '3'),
          group('live', '2', 1, 'USDT', true),
          group('live', '1', 1, 'USDT'),
          group('live', '-5', 1, 'EUR'),
          group('paper', '0', 0, 'BTC'),
        ],
      },
      { strategy_id: 8, groups: [group('paper', '0', 0)] },
    ],
  })
  assert.deepEqual([...profits.keys()], [7])
  assert.deepEqual(
    profits.get(7)!.map(({ realised }) => realised),
    ['-5', '1', '2', '3', '4'],
  )
  assert.equal(
    profitsText(profits.get(7)!.slice(2), (value) => `+${value}`),
    'Demo: +2 USDT with 1 closed trades and 0 open\nPaper: +3 USDT with 1 closed trades and 0 open\nDeleted bots: +4 USDT with 1 closed trades and 0 open',
  )
})

test('the profits begin at a midnight', () => {
  assert.equal(beginningOfProfits(Date.parse('2026-03-31T23:59:59Z')), '2026-03-01T00:00:00.000Z')
})
