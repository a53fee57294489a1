import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../db/schema.ts'
import { entryOf, readEntry, readSignalEntry } from './settings.ts'

const whole: Entry = {
  ...{ type: 'limit', offset: null, timeout_seconds: 300, on_timeout: 'cancel' },
  ...{ chases: null, max_slippage: null },
}

test('the entry of a bot gets defaults, and reads back as it is shown', () => {
  for (const [given, entry] of [
    [{ type: 'market' }, null],
    [{ type: 'limit' }, whole],
    [
      { type: 'post-only', offset: 0 },
      { ...whole, type: 'post_only' },
    ],
    [
      { type: 'LIMIT', offset: '0.50%', timeout_seconds: '60' },
      { ...whole, offset: '0.5%', timeout_seconds: 60 },
    ],
    [
      { type: 'limit', on_timeout: 'chase', max_slippage: '1%' },
      { ...whole, on_timeout: 'chase', chases: 3, max_slippage: '1%' },
    ],
  ] as const) {
    assert.deepEqual(readEntry(given, 'body.entry.'), { entry, problems: [] })
    assert.deepEqual(entry === null ? null : readEntry(entry, '').entry, entry)
  }
})

test('what does not go together is refused, and each field is named', () => {
  for (const [given, ...fields] of [
    [{ type: 'market', on_timeout: 'chase' }, 'on_timeout'],
    [{ type: 'market', offset: '1%', timeout_seconds: 60 }, 'offset', 'timeout_seconds'],
    [{ type: 'limit', price: 100, offset: '1%' }, 'offset'],
    [{ type: 'limit', on_timeout: 'cancel', chases: 2 }, 'chases'],
    [{ type: 'limit', on_timeout: 'cancel', max_slippage: '1%' }, 'max_slippage'],
    [{ type: 'stop' }, 'type'],
    [{ type: 'limit', price: '2%', timeout_seconds: 0 }, 'price', 'timeout_seconds'],
    [{ type: 'limit', offset: '100%', chases: 1.5 }, 'offset', 'chases'],
    [{ type: 'limit', timeout_seconds: 86_401, max_slippage: 'x' }, 'timeout_seconds', 'max_slippage'],
    [{ offset: '1%' }, 'type'],
  ] as const) {
    const { problems } = readSignalEntry(given, 'body.')
    assert.deepEqual(
      problems.map(({ field }) => field),
      fields.map((field) => `body.${field}`),
    )
  }
  const { problems } = readEntry({ type: 'limit', price: 100, chases: 2 }, 'body.entry.')
  assert.deepEqual(
    problems.map(({ field }) => field),
    ['body.entry.chases', 'body.entry.price'],
  )
  assert.deepEqual(readEntry({}, '').problems, [
    { field: 'type', message: 'is required: market, limit or post_only' },
  ])
})

test('a price without a type, or with a market order, says nothing about the entry', () => {
  assert.deepEqual(readSignalEntry({ price: 64_000 }, ''), { entry: undefined, problems: [] })
  assert.deepEqual(readSignalEntry({ type: 'market', price: '{{close}}' }, ''), {
    ...{ entry: { type: 'market' }, problems: [] },
  })
})

test('a signal decides what it says, and the bot the rest', () => {
  const bot: Entry = { ...whole, offset: '1%', timeout_seconds: 60 }
  assert.deepEqual(entryOf(bot, undefined), { ...bot, price: null })
  assert.equal(entryOf(bot, { type: 'market' }), null)
  assert.equal(entryOf(null, undefined), null)
  assert.deepEqual(entryOf(bot, { type: 'post_only', price: '98' }), {
    ...bot,
    type: 'post_only',
    price: '98',
  })
  const chasing = { type: 'limit', on_timeout: 'chase' } as const
  assert.deepEqual(entryOf(null, chasing), { ...whole, on_timeout: 'chase', chases: 3, price: null })
})
