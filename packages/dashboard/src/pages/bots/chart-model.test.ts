import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inKeptOrder, levelsOf, protectiveLevels, restingLevels, symbolsOf } from './chart-model.ts'

test('a symbol is named once, however it is spelled', () => {
  const bot = { symbol: 'btcusdt, ETH/USDT', positions: [{ symbol: 'SOL/USDT' }] }
  assert.deepEqual(symbolsOf(bot, ['BTC/USDT', 'SOL/USDT', 'BTC/USDT']), ['SOL/USDT', 'BTC/USDT', 'ETH/USDT'])
  assert.deepEqual(symbolsOf({ symbol: null, positions: [] }, []), [])
})

test('a new position comes after the symbols that are shown already', () => {
  assert.deepEqual(inKeptOrder([], ['BTC/USDT', 'ETH/USDT']), ['BTC/USDT', 'ETH/USDT'])
  assert.deepEqual(inKeptOrder(['BTC/USDT', 'XRP/USDT'], ['ETH/USDT', 'BTC/USDT']), ['BTC/USDT', 'ETH/USDT'])
})

test('a position has one line, or two after the bot has added to it', () => {
  assert.deepEqual(levelsOf({ side: null, average: null, first: null }), [])
  assert.deepEqual(levelsOf({ side: 'long', average: '5.0', first: '5' }), [
    { price: 5, text: 'Entry, long', tone: 'profit' },
  ])
  assert.deepEqual(
    levelsOf({ side: 'short', average: '5.5', first: '5' }).map(({ text }) => text),
    ['Average, short', 'First entry'],
  )
})

test('a stop and targets have lines for as long as they protect', () => {
  const settings = {
    stop_loss: '2%',
    take_profit: [],
    trailing: null,
    break_even: null,
    exit_after_seconds: null,
  }
  const protection = {
    ...{
      state: 'WATCHED' as const,
      kept_at: 'service' as const,
      exchange_stop: null,
      unprotected_seconds: null,
      note: '',
      stop_price: '98',
      stop_reason: 'stop_loss' as const,
      settings,
    },
    targets: [
      { price: '102', size: '1', kept_at: 'service' as const },
      { price: '104', size: '1', kept_at: 'service' as const },
    ],
    ...{ best_price: null, exit_at: null },
  }
  assert.deepEqual(
    protectiveLevels(protection).map(({ price, text }) => [price, text]),
    [
      [98, 'Stop'],
      [102, 'Target 1'],
      [104, 'Target 2'],
    ],
  )
  assert.deepEqual(protectiveLevels({ ...protection, state: 'CALLED_OFF' }), [])
  assert.deepEqual(protectiveLevels(null), [])
})

test('an opening that rests has a line at its limit', () => {
  assert.deepEqual(restingLevels([{ side: 'buy', limit_price: '61200.0' }]), [
    { price: 61_200, text: 'Waits to buy', tone: 'soft' },
  ])
})
