import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterStrategies, readStrategyFilters, type StrategyFilters } from './filters.ts'
import type { FolderOf } from './strategies.ts'

test('an address gives only filters that exist', () => {
  const all = { kind: 'reaction', status: 'ACTIVE', folder: 3, q: 'trend' }
  assert.deepEqual(readStrategyFilters(all), all)
  assert.deepEqual(readStrategyFilters({ folder: 'none', q: 12 }), { folder: 'none', q: '12' })
  assert.deepEqual(readStrategyFilters({ kind: 'x', status: {}, folder: -1, q: ['a'], other: 1 }), {})
  assert.equal(readStrategyFilters({ q: 'x'.repeat(300) }).q?.length, 200)
})

const folders: FolderOf[] = [
  { id: 1, name: 'Trend', parent_id: null, kind: 'code' },
  { id: 2, name: 'Old', parent_id: 1, kind: 'code' },
]
const items = [
  { id: 10, type: 'code-strategy', name: 'B', status: 'ACTIVE', symbol: 'BTCUSDT', folder_id: 2 },
  { id: 11, type: 'code-strategy', name: 'A', status: 'INACTIVE', symbol: null, folder_id: 1 },
  { id: 12, type: 'llm-reaction', name: 'C', status: 'ACTIVE', symbol: 'ETHUSDT', folder_id: null },
] as const

test('filters combine, and a folder contains those within it', () => {
  const ids = (filters: StrategyFilters) => filterStrategies(items, folders, filters).map(({ id }) => id)
  assert.deepEqual(ids({}), [11, 10, 12])
  assert.deepEqual(ids({ folder: 1 }), [11, 10])
  assert.deepEqual(ids({ folder: 2 }), [10])
  assert.deepEqual(ids({ folder: 'none' }), [12])
  assert.deepEqual(ids({ kind: 'ai' }), [12])
  assert.deepEqual(ids({ status: 'ACTIVE', q: 'usdt' }), [10, 12])
  assert.deepEqual(ids({ q: '11' }), [11])
})
