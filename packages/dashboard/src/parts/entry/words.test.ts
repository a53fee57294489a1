import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, entryOf, isSameEntry } from './texts.ts'
import { entryExample, entryInShort, signalEntryInShort } from './words.ts'

const entry: Entry = {
  ...{ type: 'limit', offset: '0.5%', timeout_seconds: 300, on_timeout: 'chase' },
  ...{ chases: 3, max_slippage: '1%' },
}

function form(fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(`entry.${name}`, value)
  return data
}

test('what a form has is what the service gets, and a hidden field says nothing', () => {
  assert.equal(entryOf(form({ type: 'market', offset: '1%' })), null)
  const fields = { type: 'limit', offset: '0.5%', timeout_seconds: '', max_slippage: '1%', chases: '' }
  assert.deepEqual(entryOf(form({ ...fields, on_timeout: 'chase' })), entry)
  const cancelled = entryOf(form({ ...fields, on_timeout: 'cancel', chases: '9' }))
  assert.deepEqual([cancelled?.chases, cancelled?.max_slippage], [null, null])
  assert.throws(
    () => entryOf(form({ type: 'limit', timeout_seconds: '1.5' })),
    /timeout_seconds must be a whole/,
  )
  assert.ok(isSameEntry(entry, { ...entry }) && !isSameEntry(entry, null))
})

test('the example is worked out for a price of 100', () => {
  assert.equal(
    entryExample(entry),
    'At a price of 100, a long rests at 99.5 for 5 min. Then it moves to the price of that time, up to 3 times, if that is at most 100.495.',
  )
  assert.equal(
    entryExample({ ...entry, offset: null, on_timeout: 'cancel' }),
    'At a price of 100, a long rests at 100 for 5 min. Then it is cancelled.',
  )
  assert.match(entryExample({ ...entry, offset: 'x' }), /such as 0\.5%/)
  assert.match(
    entryExample({ ...entry, type: 'post_only', offset: null }),
    /^At a best bid of 100, a long rests at 100 for/,
  )
  assert.match(entryExample({ ...entry, type: 'post_only' }), /^At a price of 100, a long rests at 99.5 for/)
  assert.equal(entryInShort(null), 'at market')
  assert.match(entryInShort({ ...entry, type: 'post_only', offset: null }), /order at the best bid or offer,/)
  assert.equal(
    entryInShort(entry),
    'with a limit order 0.5 % better than the current price, for 5 min, then at the price of that time',
  )
})

test('the entry of an action says only what the action says', () => {
  assert.equal(signalEntryInShort({ type: 'market' }), 'at market')
  assert.equal(signalEntryInShort({ type: 'limit', price: '98.5' }), 'with a limit order at 98.5')
  assert.equal(
    signalEntryInShort({ type: 'post_only', offset: '0.5%', timeout_seconds: 60, on_timeout: 'market' }),
    'with a post-only order 0.5 % better than the current price, for 1 min, then at market',
  )
})
