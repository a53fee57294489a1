import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNamed, moneyDigits, quoteOf, serviceOf } from './symbols.ts'

test('the quote currency is the one before the settlement currency', () => {
  assert.equal(quoteOf('BTC/USDT'), 'USDT')
  assert.equal(quoteOf('BTC/USD:BTC-261225'), 'USD')
  assert.equal(quoteOf('BTC'), null)
  assert.equal(serviceOf('BTC/USDT:USDT'), 'futures')
  assert.equal(serviceOf('BTC/USDT'), undefined)
})

test('a symbol is found in each spelling', () => {
  for (const name of ['btcusdt', 'BTC-USDT', 'BTC/USDT']) {
    assert.ok(isNamed('BTC/USDT', name))
    assert.ok(isNamed('BTC/USDT:USDT', name))
  }
  assert.ok(isNamed('BTC/USDT:USDT', 'BTC/USDT:USDT'))
  assert.ok(!isNamed('BTC/USDT', 'BTC'))
  assert.ok(!isNamed('BTC/USDT', '/'))
})

test('sums of money have cents, and those of coins more', () => {
  assert.deepEqual(['USDT', 'EUR', 'BTC', 'ETH', null].map(moneyDigits), [2, 2, 6, 6, 2])
})
