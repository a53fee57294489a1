import assert from 'node:assert/strict'
import { test } from 'node:test'
import { belongs, readWebhookView, requestOf } from './view.ts'

test('an address says which tab and which deliveries, and nothing else', () => {
  const view = { tab: 'send', status: 'FAILED', range: 'day', q: 'x', delivery: 7 }
  assert.deepEqual(readWebhookView(view), view)
  assert.deepEqual(
    readWebhookView({ tab: 1, status: '<b>', range: 'ever', q: '', delivery: -1, page: 2 }),
    {},
  )
  assert.deepEqual(readWebhookView({ q: 42 }), { q: '42' })
  assert.equal(readWebhookView({ q: 'x'.repeat(1000) }).q!.length, 200)
})

test('a delivery of a live event belongs into the list if it fits every filter', () => {
  const delivery = { webhook_id: 1, body: '{"Last": 1}', runs: [{ status: 'FAILED' }] }
  assert.equal(belongs(delivery, 1, {}), true)
  assert.equal(belongs(delivery, 2, {}), false)
  assert.equal(belongs(delivery, 1, { status: 'FAILED' }), true)
  assert.equal(belongs(delivery, 1, { status: 'SUCCEEDED' }), false)
  assert.equal(belongs(delivery, 1, { q: 'last' }), true)
  assert.equal(belongs(delivery, 1, { q: 'first' }), false)
  assert.equal(belongs({ ...delivery, body: null }, 1, { q: 'last' }), null)
})

test('a range begins at a moment', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z')
  assert.deepEqual(requestOf(3, { range: 'day', q: 'x' }, now), {
    webhook_id: 3,
    q: 'x',
    since: '2026-02-28T12:00:00.000Z',
  })
  assert.deepEqual(requestOf(3, {}, now), { webhook_id: 3 })
})
