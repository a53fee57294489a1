import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Follower, isAboutMoney, type Routes, targetOf } from './targets.ts'

const bot = (id: number, more: Partial<Follower> = {}): Follower => ({
  id,
  name: `Bot ${id}`,
  mode: 'paper',
  demo: false,
  status: 'ACTIVE',
  webhook_id: 8,
  symbol: null,
  amount: '100.10',
  amount_unit: 'quote',
  amount_in: 'USDT',
  size_unit: null,
  amount_currency: 'USDT',
  strict_amount: false,
  ...more,
})

const routes = (bots: Follower[], shared: number[] = []): Routes => ({
  webhooks: new Map([
    [1, 8],
    [2, null],
  ]),
  bots,
  shared: new Set(shared),
})

test('an action goes to the active bots of its reaction, and those with money come first', () => {
  const live = bot(4, { mode: 'live' })
  const bots = [bot(1), bot(2, { status: 'INACTIVE' }), bot(3, { webhook_id: 9 }), live]
  const target = targetOf(1, routes(bots))!
  assert.deepEqual(
    target.bots.map(({ id }) => id),
    [4, 1],
  )
  assert.equal(isAboutMoney(target), true)
  assert.deepEqual(targetOf(2, routes(bots))!.bots, [])
  assert.equal(targetOf(3, routes(bots)), undefined)
})

test('paper and demo accounts are no money, and a webhook of someone else may be', () => {
  const harmless = [bot(1), bot(2, { mode: 'live', demo: true })]
  assert.equal(isAboutMoney(targetOf(1, routes(harmless))!), false)
  assert.equal(isAboutMoney(targetOf(1, routes(harmless, [8]))!), true)
})
