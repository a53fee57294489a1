import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventRows, patchRows } from './event-rows.ts'

type Item = { id: number; status: string }

const event = (id: number, status = 'SUCCEEDED'): Item => ({ id, status })

/** Parts of which each but the last goes on, as the service answers. */
const rows = (...pages: number[][]): EventRows<Item> => ({
  pages: pages.map((ids, index) => ({
    items: ids.map((id) => event(id)),
    total: 9,
    isExact: true,
    next: index === pages.length - 1 ? null : ids.at(-1)!,
  })),
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
  assert.deepEqual(idsOf(patchRows(rows([]), event(1), true)), [[1]])
})

test('of two events that arrive in the wrong order, both are shown where they belong', () => {
  const begun = rows([9, 7], [5, 2])
  const added = (id: number) => idsOf(patchRows(begun, event(id), true))
  assert.deepEqual(idsOf(patchRows(patchRows(begun, event(12), true), event(11), true)), [
    [12, 11, 9, 7],
    [5, 2],
  ])
  assert.deepEqual(added(8), [
    [9, 8, 7],
    [5, 2],
  ])
  assert.deepEqual(added(6), [
    [9, 7],
    [6, 5, 2],
  ])
  assert.deepEqual(added(1), [
    [9, 7],
    [5, 2, 1],
  ])
  const unread = { ...begun, pages: begun.pages.map((part) => ({ ...part, next: part.items.at(-1)!.id })) }
  assert.equal(patchRows(unread, event(1), true), unread, 'it is below what has been read')
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
