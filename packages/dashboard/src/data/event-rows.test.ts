import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventRows, patchRows } from './event-rows.ts'

type Item = { id: number; status: string }

const event = (id: number, status = 'SUCCEEDED'): Item => ({ id, status })

const rows = (...pages: number[][]): EventRows<Item> => ({
  pages: pages.map((ids) => ({ items: ids.map((id) => event(id)), total: 9, isExact: true, next: null })),
  pageParams: pages.map(() => null),
})

const idsOf = ({ pages }: EventRows<Item>) => pages.map(({ items }) => items.map(({ id }) => id))

test('a new event comes first, and a changed one stays where it is', () => {
  const begun = rows([9, 7], [5, 4])
  assert.deepEqual(idsOf(patchRows(begun, event(10), true)), [
    [10, 9, 7],
    [5, 4],
  ])
  const changed = patchRows(begun, event(5, 'FAILED'), true)
  assert.deepEqual(idsOf(changed), [
    [9, 7],
    [5, 4],
  ])
  assert.equal(changed.pages[1]!.items[0]!.status, 'FAILED')
  assert.deepEqual(idsOf(patchRows(patchRows(begun, event(10), true), event(10), true)), [
    [10, 9, 7],
    [5, 4],
  ])
})

test('an event that does not belong into the list is not added, and taken out if it is there', () => {
  assert.deepEqual(idsOf(patchRows(rows([9, 7]), event(10), false)), [[9, 7]])
  assert.deepEqual(idsOf(patchRows(rows([9, 7]), event(10), null)), [[9, 7]])
  assert.deepEqual(idsOf(patchRows(rows([9, 7]), event(7), false)), [[9]])
  assert.deepEqual(
    idsOf(patchRows(rows([9, 7]), event(8), true)),
    [[9, 7]],
    'older than the newest: not at the top',
  )
  assert.deepEqual(idsOf(patchRows(rows([]), event(1), true)), [[1]])
})

test('a list that grows by itself forgets its oldest rows, and reads them again from where it was cut', () => {
  let list = rows([3, 2, 1])
  for (let id = 4; id <= 5_000; id++) list = patchRows(list, event(id), true)
  const [part, ...others] = list.pages
  assert.ok(part!.items.length <= 1_000)
  assert.equal(part!.items[0]!.id, 5_000)
  assert.deepEqual([part!.next, others], [part!.items.at(-1)!.id, []])
  assert.equal(part!.total, 9 + 4_997)

  let read = rows([3], [2], [1])
  for (let id = 4; id <= 5_000; id++) read = patchRows(read, event(id), true)
  assert.equal(read.pages.length, 3, 'the older rows that somebody has read stay')
})
