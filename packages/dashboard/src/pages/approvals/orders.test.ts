import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Follower } from '../../data/targets.ts'
import { chosenSize, sizeFor } from './orders.ts'

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

test('the size is that of the action, unless the bot is strict', () => {
  const asked = { action: 'LONG' as const, symbols: ['BTC/USDT'], options: { size: 250 } }
  assert.deepEqual(sizeFor(asked, bot(1)), { value: '250', unit: 'USDT' })
  assert.deepEqual(sizeFor(asked, bot(1, { strict_amount: true })), { value: '100.10', unit: 'USDT' })
  const forced = { ...asked, options: { size: 250, forceSize: true } }
  assert.deepEqual(sizeFor(forced, bot(1, { strict_amount: true })), { value: '250', unit: 'USDT' })
  assert.deepEqual(sizeFor({ ...asked, options: {} }, bot(1)), { value: '100.10', unit: 'USDT' })
  assert.deepEqual(chosenSize(asked), { value: '250', unit: 'of the quote currency' })
  assert.equal(chosenSize({ ...asked, options: {} }), null)
})

test('a size is in the currency that the bot says, and nobody guesses it', () => {
  const asked = { action: 'LONG' as const, symbols: ['BTC/USDT'], options: {} }
  const base = { amount_unit: 'base' as const, amount: '0.5', amount_in: 'BTC' }
  assert.deepEqual(sizeFor(asked, bot(1, base)), { value: '0.5', unit: 'BTC' })
  assert.deepEqual(sizeFor(asked, bot(1, { ...base, amount_in: null })), { value: '0.5', unit: 'BTC' })
  const sized = { ...asked, options: { size: 2 } }
  assert.deepEqual(sizeFor(sized, bot(1, base)), { words: 'nothing: the size could mean either currency' })
  assert.deepEqual(sizeFor(sized, bot(1, { ...base, size_unit: 'quote' })), { value: '2', unit: 'USDT' })
  assert.deepEqual(sizeFor(sized, bot(1, { size_unit: 'base' })), { value: '2', unit: 'BTC' })
})

test('a close is of the whole position, or of a size in base currency', () => {
  const exit = { action: 'EXIT' as const, symbols: ['BTC/USDT'], options: {} }
  assert.deepEqual(sizeFor(exit, bot(1)), { words: 'the whole position' })
  const part = { ...exit, options: { size: 1e-18 } }
  assert.deepEqual(sizeFor(part, bot(1)), { value: '0.000000000000000001', unit: 'BTC' })
  assert.deepEqual(sizeFor(part, bot(1, { strict_amount: true })), { words: 'the whole position' })
  assert.deepEqual(chosenSize({ ...part, symbols: ['BTCUSDT'] })!, {
    value: '0.000000000000000001',
    unit: 'of the base currency',
  })
})
