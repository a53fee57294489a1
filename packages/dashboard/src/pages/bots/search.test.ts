import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterBots, readBotFilters, readNewBotSearch } from './search.ts'

test('an address says only what is a filter', () => {
  const filters = { mode: 'paper', status: 'ACTIVE', folder: 'none', q: 'btc' }
  assert.deepEqual(readBotFilters(filters), filters)
  assert.deepEqual(readBotFilters({ mode: 'real', status: 'ON', folder: '-1', q: '', other: 1 }), {})
  assert.deepEqual(readNewBotSearch({ webhook: '7', folder: 3, mode: 'live' }), { webhook: 7, folder: 3 })
  assert.deepEqual(readNewBotSearch({ webhook: 'x', folder: 'none' }), {})
})

test('bots are found by mode, status, text, and folder with those within it', () => {
  const bot = (id: number, more: object = {}) => ({
    ...{ id, name: `Bot ${id}`, mode: 'paper', status: 'ACTIVE', symbol: null, folder_id: null },
    ...more,
  })
  const bots = [
    bot(1, { folder_id: 4, name: 'Swing' }),
    bot(2, { mode: 'live', folder_id: 5, symbol: 'BTC/USDT' }),
    bot(3, { status: 'INACTIVE' }),
  ]
  const folders = [
    { id: 4, name: 'All', parent_id: null },
    { id: 5, name: 'Live', parent_id: 4 },
  ]
  const found = (filters: object) =>
    filterBots(bots, folders, readBotFilters({ ...filters })).map(({ id }) => id)
  assert.deepEqual(found({}), [1, 2, 3])
  assert.deepEqual(found({ folder: 4 }), [1, 2])
  assert.deepEqual(found({ folder: 5 }), [2])
  assert.deepEqual(found({ folder: 'none' }), [3])
  assert.deepEqual(found({ mode: 'live' }), [2])
  assert.deepEqual(found({ status: 'INACTIVE' }), [3])
  assert.deepEqual([found({ q: 'swing' }), found({ q: 'btc' }), found({ q: '3' })], [[1], [2], [3]])
})
