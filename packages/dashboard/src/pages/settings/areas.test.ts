import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaOf, readSettingsSearch } from './areas.ts'

test('an address names an area, or none', () => {
  assert.equal(areaOf('keys')?.name, 'API keys')
  for (const wrong of ['', 'Keys', 'toString']) assert.equal(areaOf(wrong), undefined)
})

test('the rest of the address keeps only what it can mean', () => {
  assert.deepEqual(readSettingsSearch({ tab: 'history', kind: 'run.failed', id: 3, other: 1 }), {
    tab: 'history',
    kind: 'run.failed',
    id: 3,
  })
  assert.deepEqual(readSettingsSearch({ tab: 1, kind: null, id: '3' }), {})
  assert.deepEqual(readSettingsSearch({ q: 7, model: '' }), { q: '7' })
  for (const id of [0, -1, 1.5, 2 ** 60]) assert.deepEqual(readSettingsSearch({ id }), {})
})
