import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportOf, readTradingFilters } from './filters.ts'

test('only what is a filter is read from an address', () => {
  const search = { tab: 'orders', bot: '2', symbol: 'BTC/USDT', mode: 'paper' }
  assert.deepEqual(readTradingFilters(search), { ...search, bot: 2 })
  assert.deepEqual(readTradingFilters({ tab: 'x', bot: 'x', symbol: '', mode: 'PAPER' }), {})
})

test('a file has what the view shows', () => {
  assert.equal(exportOf({}), '/api/v2/position.csv')
  assert.equal(exportOf({ tab: 'orders' }), '/api/v2/order.csv')
  assert.equal(
    exportOf({ tab: 'fills', bot: 3, mode: 'paper', symbol: 'BTC/USDT' }),
    '/api/v2/fill.csv?bot_id=3&mode=paper&symbol=BTC%2FUSDT',
  )
  assert.equal(exportOf({ tab: 'trades', mode: 'live' }), '/api/v2/trade.csv?mode=live&demo=false')
})
