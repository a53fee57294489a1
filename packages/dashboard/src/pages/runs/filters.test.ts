import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matches, readRunFilters, requestOf } from './filters.ts'

const run = {
  id: 1,
  status: 'SUCCEEDED',
  trigger: 'webhook',
  strategy_id: 1,
  queued_at: '2026-03-01T12:00:00.000Z',
}

test('filters are read from any address, and what is no filter is left out', () => {
  const good = { status: 'FAILED', trigger: 'tick', strategy: 3, since: '2026-03-01T00:00:00Z', q: 'x' }
  assert.deepEqual(readRunFilters(good), good)
  assert.deepEqual(
    readRunFilters({ status: '<b>', trigger: ['tick'], strategy: -1, since: 'soon', q: '', page: 2 }),
    {},
  )
  assert.equal(readRunFilters({ q: 'x'.repeat(1000) }).q!.length, 200)
})

test('a range ends now, and stands for a span of its own', () => {
  assert.deepEqual(readRunFilters({ range: 'day', since: '2026-03-01T00:00:00Z' }), { range: 'day' })
  const now = Date.parse('2026-03-02T12:00:00.000Z')
  assert.deepEqual(requestOf({ range: 'day', strategy: 3, status: 'FAILED' }, now), {
    status: 'FAILED',
    strategy_id: 3,
    since: '2026-03-01T12:00:00.000Z',
  })
})

test('a run of a live event belongs into a list if it fits every filter', () => {
  assert.equal(matches(run, {}), true)
  assert.equal(matches(run, { status: 'FAILED' }), false)
  assert.equal(matches(run, { trigger: 'webhook', strategy: 1 }), true)
  assert.equal(matches(run, { strategy: 2 }), false)
  assert.equal(matches(run, { since: '2026-03-02T00:00:00Z' }), false)
  assert.equal(matches(run, { until: '2026-02-01T00:00:00Z' }), false)
  assert.equal(matches(run, { q: 'x' }), null, 'only the service knows what a text is in')
})
