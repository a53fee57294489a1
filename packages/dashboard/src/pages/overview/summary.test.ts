import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byStrategy, keyOf, liveFirst, nextRuns } from './summary.ts'

test('real money comes first, paper last, and each by its currency', () => {
  const money = (mode: 'paper' | 'live', currency: string, demo = false) => ({ mode, currency, demo })
  const groups = liveFirst([
    money('paper', 'USDT'),
    money('live', 'USDT', true),
    money('live', 'USDT'),
    money('live', 'EUR'),
  ])
  assert.deepEqual(groups.map(keyOf), [
    'live false EUR',
    'live false USDT',
    'live true USDT',
    'paper false USDT',
  ])
})

test('failures are counted by strategy, the most first', () => {
  const runs = [7, 8, 8, 9, 8, 9].map((strategy_id) => ({ strategy_id }))
  assert.deepEqual(byStrategy(runs), [
    { strategyId: 8, count: 3 },
    { strategyId: 9, count: 2 },
    { strategyId: 7, count: 1 },
  ])
})

test('the next runs come in order of time, without strategies that have none', () => {
  const strategy = (name: string, next_run_at?: string | null) => ({
    name,
    status: 'ACTIVE',
    ...(next_run_at === undefined ? {} : { next_run_at }),
  })
  const all = [
    strategy('late', '2026-03-01T12:00:01.000Z'),
    strategy('none', null),
    strategy('reaction'),
    strategy('soon', '2026-03-01T12:00:00.500Z'),
  ]
  assert.deepEqual(
    nextRuns(all, 5).map(({ name }) => name),
    ['soon', 'late'],
  )
  assert.equal(nextRuns(all, 1).length, 1)
})
