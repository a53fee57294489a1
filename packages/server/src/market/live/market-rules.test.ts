import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CcxtTradedMarket } from './ccxt-trading.ts'
import { rulesOf } from './market-rules.ts'

test('a maximum of the leverage that is none of futures counts as unknown', () => {
  const future = {
    ...{ id: 'BTC-USDT', symbol: 'BTC/USDT:USDT', base: 'BTC', quote: 'USDT', settle: 'USDT' },
    ...{ contract: true, linear: true, contractSize: '0.001', precision: { amount: '1' } },
  }
  const mostOf = (max: string | number | undefined, more: object = {}) =>
    rulesOf({ ...future, ...more, limits: { leverage: { max } } } as unknown as CcxtTradedMarket).mostLeverage
  assert.deepEqual([mostOf('125'), mostOf(50), mostOf('1.5')], ['125', '50', '1.5'])
  // Of HTX, of Coinbase International, and of exchanges that publish none.
  assert.deepEqual([mostOf('1'), mostOf('0.1'), mostOf(undefined)], [undefined, undefined, undefined])
  assert.equal(mostOf('10', { contract: false }), undefined)
})
