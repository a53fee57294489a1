import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotSignal, Delivery, Fill, Order, Signal } from '@tickwright/client'
import {
  deliveryItem,
  type FeedItem,
  feedOf,
  fillItem,
  mostItems,
  orderItem,
  put,
  putResult,
  runItem,
  signalItem,
} from './feed.ts'

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000).toISOString()

const delivery = (id: number, seconds: number) =>
  deliveryItem({ id, webhook_id: 1, reactions: 1, received_at: at(seconds), body: 'x' } as Delivery)
const signal = (id: number, seconds: number) =>
  signalItem({ id, bots: [], bots_total: 0, created_at: at(seconds) } as unknown as Signal)
const order = (id: number, seconds: number, status: Order['status']) =>
  orderItem({ id, status, created_at: at(seconds) } as Order)
const fill = (id: number, seconds: number) => fillItem({ id, filled_at: at(seconds) } as Fill)
const run = (id: number, status: string, message = 'wrong') =>
  runItem({ id, status, error: { message }, violation: null, finished_at: at(id) } as never)

const keys = (items: readonly FeedItem[]) => items.map(({ key }) => key)

test('what happened last comes first, and of one instant what came of the others', () => {
  const items = feedOf([fill(1, 5), order(1, 5, 'OPEN'), delivery(1, 5), signal(1, 5), delivery(2, 6)])
  assert.deepEqual(keys(items), ['delivery 2', 'fill 1', 'order 1', 'signal 1', 'delivery 1'])
})

test('only runs that failed or broke a rule are there, with the beginning of a long message', () => {
  for (const status of ['QUEUED', 'RUNNING', 'SUCCEEDED', 'SKIPPED']) assert.equal(run(1, status), null)
  const failed = run(1, 'FAILED', 'x'.repeat(10_000))
  assert.ok(failed?.kind === 'run' && failed.record.message.length === 300)
  assert.equal(run(2, 'VIOLATION')?.key, 'run 2')
})

test('an order changes in its place, and leaves when its fills say more', () => {
  const before = feedOf([order(1, 1, 'PLANNED'), delivery(1, 0)])
  const rejected = put(order(1, 1, 'REJECTED'))(before)
  assert.deepEqual(keys(rejected), ['order 1', 'delivery 1'])
  assert.ok(rejected[0]!.kind === 'order' && rejected[0]!.record.status === 'REJECTED')
  assert.deepEqual(keys(put(order(1, 1, 'FILLED'))(before)), ['delivery 1'])
  assert.deepEqual(keys(feedOf([order(2, 1, 'FILLED')])), [])
})

test('a signal says what became of it, also if it is not there', () => {
  const result = { signal_id: 1, bot_id: 7, symbol: 'BTC/USDT', status: 'DONE', reason: null } as BotSignal
  const [changed] = putResult(result, 'Follower')(feedOf([signal(1, 1)]))
  assert.ok(changed?.kind === 'signal')
  assert.deepEqual(
    changed.record.bots.map(({ bot_name, status }) => [bot_name, status]),
    [['Follower', 'DONE']],
  )
  assert.deepEqual(putResult({ ...result, signal_id: 2 }, 'Follower')([changed]), [changed])
})

test('after a hundred thousand events, it has its few rows and no payloads', () => {
  let items = feedOf([])
  for (let id = 1; id <= 100_000; id++) items = put(delivery(id, id))(items)
  assert.equal(items.length, mostItems)
  assert.equal(items[0]!.key, 'delivery 100000')
  assert.doesNotMatch(JSON.stringify(items), /"body"/)
  // A late event of long ago pushes nothing out.
  assert.deepEqual(keys(put(delivery(1, 1))(items)), keys(items))
})
