import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportOf, readTradingFilters } from './filters.ts'

test('only what is a filter is read from an address', () => {
  const search = { tab: 'orders', bot: '2', symbol: 'BTC/USDT', mode: 'paper' }
  assert.deepEqual(readTradingFilters(search), { ...search, bot: 2 })
  assert.deepEqual(readTradingFilters({ tab: 'x', bot: 'x', symbol: '', mode: 'PAPER' }), {})
})

test('a file has what the view shows, or there is a reason why there is none', () => {
  assert.deepEqual(exportOf({ tab: 'orders' }), { href: '/api/v2/order.csv' })
  assert.deepEqual(exportOf({ tab: 'fills', bot: 3, mode: 'paper', symbol: 'BTC/USDT' }), {
    href: '/api/v2/fill.csv?bot_id=3&mode=paper&symbol=BTC%2FUSDT',
  })
  assert.deepEqual(exportOf({ tab: 'trades', mode: 'live' }), {
    href: '/api/v2/trade.csv?mode=live&demo=false',
  })
  assert.ok('unavailable' in exportOf({}))
})
