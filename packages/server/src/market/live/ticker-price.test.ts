import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CcxtTicker } from './ccxt-types.ts'
import { readTicker } from './ticker-price.ts'

const ticker = (fields: Partial<CcxtTicker>): CcxtTicker => ({ symbol: 'BTC/USDT', info: {}, ...fields })
const priceOf = (fields: Partial<CcxtTicker>) => readTicker(ticker(fields))?.price

test('without a last trade, the price is the midpoint of bid and ask, without float noise', () => {
  assert.equal((0.1 + 0.2) / 2, 0.15000000000000002)
  assert.equal(priceOf({ bid: 0.1, ask: 0.2 }), 0.15)
  assert.equal(priceOf({ bid: 64_000.1, ask: 64_000.2 }), 64_000.15)
  assert.equal(priceOf({ bid: 1.1e-8, ask: 1.3e-8 }), 1.2e-8)
  assert.equal(priceOf({ last: 7.1, bid: 0.1, ask: 0.2 }), 7.1)
})

test('a ticker without a usable number has no price', () => {
  for (const wrong of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '7' as never]) {
    assert.equal(priceOf({ last: wrong }), undefined, String(wrong))
    assert.equal(priceOf({ bid: wrong, ask: 1 }), undefined, String(wrong))
    assert.equal(priceOf({ bid: 1, ask: wrong }), undefined, String(wrong))
  }
  assert.equal(priceOf({}), undefined)
})
