import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenBots, exportOf, readTradingFilters } from './filters.ts'

const bots = [
  { id: 1, mode: 'paper', demo: false },
  { id: 2, mode: 'live', demo: false },
  { id: 3, mode: 'live', demo: true },
] as const

test('only what is a filter is read from an address', () => {
  const search = { tab: 'orders', bot: '2', symbol: 'BTC/USDT', mode: 'paper' }
  assert.deepEqual(readTradingFilters(search), { ...search, bot: 2 })
  assert.deepEqual(readTradingFilters({ tab: 'x', bot: 'x', symbol: '', mode: 'PAPER' }), {})
})

test('money and paper are never in one choice, nor is a demo account live', () => {
  assert.equal(chosenBots({}, bots), undefined)
  assert.deepEqual(chosenBots({ bot: 7 }, bots), [7])
  assert.deepEqual(chosenBots({ mode: 'live' }, bots), [2])
  assert.deepEqual(chosenBots({ mode: 'demo' }, bots), [3])
  assert.deepEqual(chosenBots({ mode: 'paper', bot: 2 }, bots), [])
})

test('an export has what the view shows, says what it adds, or says why there is none', () => {
  assert.deepEqual(exportOf({ tab: 'orders' }), { href: '/api/v2/order.csv', note: '' })
  assert.deepEqual(exportOf({ tab: 'fills', bot: 3, mode: 'paper', symbol: 'BTC/USDT' }), {
    href: '/api/v2/fill.csv?bot_id=3',
    note: 'The file has all symbols.',
  })
  assert.match((exportOf({ tab: 'orders', mode: 'live' }) as { unavailable: string }).unavailable, /one bot/)
  assert.match((exportOf({ tab: 'trades' }) as { unavailable: string }).unavailable, /one bot/)
  assert.equal(
    (exportOf({ tab: 'trades', bot: 3 }) as { href: string }).href,
    '/api/v2/bot/signal/cex/3/trades.csv',
  )
  assert.ok('unavailable' in exportOf({}))
})
