import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Signal } from '@tickwright/client'
import { became, senderText, withResult } from './words.ts'

const entry = {
  bot_id: 4,
  bot_name: 'Follower',
  symbol: 'BTC/USDT',
  status: 'QUEUED',
  reason: null,
  due_at: null,
  finished_at: null,
} as const

const signal: Signal = {
  id: 7,
  strategy_id: null,
  run_id: null,
  webhook_id: 1,
  delivery_id: 7,
  action: 'LONG',
  symbols: ['BTC/USDT'],
  price: null,
  options: {},
  flag: null,
  flags: [],
  sender: 'owner',
  origin: null,
  delivered: true,
  reason: null,
  bots: [],
  bots_total: 0,
  created_at: '2026-03-01T10:00:00.000Z',
}

test('the sender is a strategy, a user, a limit or someone with the URL', () => {
  const nameOf = (id: number) => `Strategy ${id}`
  assert.equal(senderText(signal, nameOf), 'Outside, by your URL')
  assert.equal(senderText({ ...signal, strategy_id: 3 }, nameOf), 'Strategy 3')
  assert.equal(senderText({ ...signal, origin: 'limit' }, nameOf), 'The daily loss limit')
  const sender = { user_id: 5, email: 'eve@example.com' }
  assert.equal(senderText({ ...signal, sender }, nameOf), 'eve@example.com')
  assert.equal(senderText({ ...signal, sender: { ...sender, email: null } }, nameOf), 'User 5, deleted')
})

test('what became of a signal has the reason why something did not happen', () => {
  assert.deepEqual(became(signal), { statuses: [], why: 'No bot took it.', others: 0 })
  assert.match(became({ ...signal, flag: 'TEST' }).why!, /test/)
  assert.equal(became({ ...signal, reason: 'No ACTIVE bot.' }).why, 'No ACTIVE bot.')
  const bots = [
    { ...entry, status: 'DONE' as const },
    { ...entry, status: 'REFUSED' as const, reason: 'Too old.' },
  ]
  assert.deepEqual(became({ ...signal, bots, bots_total: 25 }), {
    statuses: [
      { status: 'DONE', count: 1 },
      { status: 'REFUSED', count: 1 },
    ],
    why: 'Too old.',
    others: 23,
  })
})

test('the result of a bot changes its signal, and no other', () => {
  const result = { ...entry, signal_id: 7, status: 'DONE' as const, finished_at: '2026-03-01T10:00:01.000Z' }
  const first = withResult(signal, result, 'Follower')
  assert.deepEqual([first.bots.length, first.bots_total, first.bots[0]!.status], [1, 1, 'DONE'])
  const second = withResult(first, { ...result, status: 'FAILED' }, 'other name')
  assert.deepEqual([second.bots.length, second.bots[0]!.bot_name], [1, 'Follower'])
  assert.equal(withResult(signal, { ...result, signal_id: 8 }, 'Follower'), signal)
})
