import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesBotSignal, matchesSignal, readSignalFilters } from './filters.ts'

test('each view has its own filters', () => {
  const search = { action: 'LONG', status: 'DONE', strategy: '3', bot: 4, webhook: 'x', q: 'btc' }
  assert.deepEqual(readSignalFilters(search), { action: 'LONG', strategy: 3 })
  assert.deepEqual(readSignalFilters({ ...search, view: 'bots' }), {
    view: 'bots',
    status: 'DONE',
    strategy: 3,
    bot: 4,
    q: 'btc',
  })
  assert.deepEqual(readSignalFilters({ view: 'other', action: 'BUY' }), {})
})

test('a live signal belongs into the list if it fits every filter', () => {
  const signal = { action: 'LONG', strategy_id: 3, webhook_id: null }
  assert.equal(matchesSignal(signal, {}), true)
  assert.equal(matchesSignal(signal, { action: 'LONG', strategy: 3 }), true)
  assert.equal(matchesSignal(signal, { action: 'EXIT' }), false)
  assert.equal(matchesSignal(signal, { webhook: 1 }), false)
})

test('only the service knows whether the text or the strategy of a result fits', () => {
  const result = { bot_id: 4, status: 'DONE' }
  assert.equal(matchesBotSignal(result, { bot: 4, status: 'DONE' }), true)
  assert.equal(matchesBotSignal(result, { bot: 5 }), false)
  assert.equal(matchesBotSignal(result, { q: 'btc' }), null)
  assert.equal(matchesBotSignal(result, { strategy: 3 }), null)
  assert.equal(matchesBotSignal(result, { strategy: 3, status: 'FAILED' }), false)
})
