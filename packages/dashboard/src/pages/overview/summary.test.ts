import assert from 'node:assert/strict'
import { test } from 'node:test'
import { equities, nextRuns, startOfDay } from './summary.ts'

const bot = (mode: 'paper' | 'live', equity: string | null, amount_currency = 'USDT', demo = false) => ({
  mode,
  equity,
  amount_currency,
  demo,
})

test('equity is never added up over currencies, or over paper and money', () => {
  const groups = equities([
    bot('paper', '100.1'),
    bot('live', '5', 'EUR'),
    bot('paper', '0.2'),
    bot('live', '7', 'USDT', true),
    bot('live', '1'),
    bot('live', null),
  ])
  assert.deepEqual(
    groups.map(({ mode, demo, currency, equity, bots, unknown }) => [
      mode,
      demo,
      currency,
      equity,
      bots,
      unknown,
    ]),
    [
      ['live', false, 'EUR', '5', 1, 0],
      ['live', false, 'USDT', '1', 2, 1],
      ['live', true, 'USDT', '7', 1, 0],
      ['paper', false, 'USDT', '100.3', 2, 0],
    ],
  )
  assert.deepEqual(equities([]), [])
})

test('the day begins at midnight UTC', () => {
  assert.equal(startOfDay(Date.parse('2026-03-01T23:59:59.999Z')), '2026-03-01T00:00:00.000Z')
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
