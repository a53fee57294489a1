import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readApprovalFilters } from './filters.ts'

test('the filter is read from any address, and an unknown one is left out', () => {
  assert.deepEqual(readApprovalFilters({ status: 'EXPIRED' }), { status: 'EXPIRED' })
  assert.deepEqual(readApprovalFilters({ status: 'PENDING' }), {})
  assert.deepEqual(readApprovalFilters({ status: ['EXPIRED'], page: 2 }), {})
})
