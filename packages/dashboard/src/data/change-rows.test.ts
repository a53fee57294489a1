import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { changeRows } from './change-rows.ts'
import { type EventRows, eventRowsQuery, patchRows } from './event-rows.ts'

type Item = { id: number }

/** A list that is shown. Each part is answered when the test says so. */
function shownList() {
  const queries = new QueryClient()
  const answers: ((ids: number[], next?: number) => void)[] = []
  const query = eventRowsQuery<Item>('item-rows', {}, ({ limit }) => {
    const { promise, resolve } = Promise.withResolvers<Item[]>()
    answers.push((ids) => resolve(ids.map((id) => ({ id }))))
    return promise.then((items) => ({ items, total: items.length, limit, next: items.at(-1)!.id }))
  })
  const observer = new InfiniteQueryObserver(queries, query)
  const end = observer.subscribe(() => {})
  const add = (id: number) =>
    changeRows<EventRows<Item>>(queries, query.queryKey, (rows) => patchRows(rows, { id }, true))
  const ids = () =>
    queries.getQueryData(query.queryKey)?.pages.flatMap(({ items }) => items.map(({ id }) => id))
  const idle = async () => {
    while (queries.isFetching() > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  const answer = async (ids: number[]) => {
    while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve))
    answers.shift()!(ids)
  }
  return { queries, observer, answer, add, ids, idle, [Symbol.dispose]: end }
}

test('an event that arrives while the first answer is under way is in the list', async () => {
  using list = shownList()
  list.add(4)
  assert.equal(list.ids(), undefined)
  await list.answer([3, 2])
  await list.idle()
  assert.deepEqual(list.ids(), [4, 3, 2])
})

test('events that arrive while an older part is read stay in the list', async () => {
  using list = shownList()
  await list.answer([3, 2])
  await list.idle()
  const reading = list.observer.fetchNextPage()
  list.add(4)
  list.add(5)
  assert.deepEqual(list.ids(), [5, 4, 3, 2], 'they are shown at once')
  await list.answer([1])
  await reading
  assert.deepEqual(list.ids(), [5, 4, 3, 2, 1])
})

test('an event that arrives while the list is read again is in the list', async () => {
  using list = shownList()
  await list.answer([3, 2])
  await list.idle()
  const reading = list.observer.refetch()
  list.add(4)
  await list.answer([3, 2])
  await reading
  assert.deepEqual(list.ids(), [4, 3, 2])
  list.add(5)
  assert.deepEqual(list.ids(), [5, 4, 3, 2])
})
