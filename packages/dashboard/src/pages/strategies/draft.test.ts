import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, changesOf, draftOf, emptyDraft } from './draft.ts'

const stored = { name: 'Trend', symbol: null, delay: 5, cron_interval: '1H', timezone: 'UTC', id: 7 }

test('a form begins with the stored settings, and `null` is an empty field', () => {
  const draft = draftOf(stored)
  assert.deepEqual([draft.name, draft.symbol, draft.delay], ['Trend', '', '5'])
  assert.equal('id' in draft, false)
})

test('only changed fields of the own kind are sent', () => {
  const base = draftOf(stored)
  const draft = { ...base, symbol: ' BTCUSDT ', timezone: 'Europe/Berlin', delay: '' }
  assert.deepEqual(changesOf('code', base, base), {})
  assert.deepEqual(changesOf('code', draft, base), { symbol: 'BTCUSDT', timezone: 'Europe/Berlin' })
  assert.deepEqual(changesOf('reaction', draft, base), { symbol: 'BTCUSDT', delay: null })
})

test('what is no number is left to the service', () => {
  assert.equal(bodyOf('reaction', { ...emptyDraft, delay: 'two' }).delay, 'two')
  assert.equal(bodyOf('reaction', { ...emptyDraft, delay: '2' }).delay, 2)
  assert.equal('cron_interval' in bodyOf('reaction', emptyDraft), false)
})
