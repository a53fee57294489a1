import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachOf } from '../src/index.ts'

type Thing = { id: number }
const things = (first: number, last: number): Thing[] =>
  Array.from({ length: first - last + 1 }, (_, index) => ({ id: first - index }))
const oldestFirst = (count: number): Thing[] => things(count, 1).reverse()

/** Pages of the items that a function returns, the oldest first. Records the requested pages. */
function listOf(current: () => Thing[]) {
  const pages: number[] = []
  const list = async ({ page = 1, limit }: { page?: number; limit: number }) => {
    pages.push(page)
    const items = current().slice((page - 1) * limit, page * limit)
    return { items, total: current().length, page, limit }
  }
  return { list, pages }
}

/** Parts of the events that a function returns, newest first. Records the cursors. */
function eventsOf(current: () => Thing[]) {
  const cursors: (number | undefined)[] = []
  const list = async ({ before, limit }: { before?: number; limit: number }) => {
    cursors.push(before)
    const left = current().filter(({ id }) => before === undefined || id < before)
    const items = left.slice(0, limit)
    return { items, total: current().length, limit }
  }
  return { list, cursors }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

for (const [count, asked] of [
  [0, 1],
  [1, 1],
  [199, 1],
  [200, 2],
  [401, 3],
] as const) {
  test(`${count} items come in order, from ${asked} pages`, async () => {
    const { list, pages } = listOf(() => oldestFirst(count))
    assert.deepEqual(await all(eachOf(list)), oldestFirst(count))
    assert.equal(pages.length, asked)
  })
}

test('items created meanwhile never make another appear twice', async () => {
  let newest = 500
  const { list } = listOf(() => oldestFirst(newest))
  const given: number[] = []
  for await (const { id } of eachOf(list)) {
    given.push(id)
    if (id % 100 === 0 && newest < 1000) newest += 130
  }
  assert.equal(new Set(given).size, given.length)
  assert.deepEqual(
    given.slice(0, 500),
    oldestFirst(500).map(({ id }) => id),
  )
})

test('events come from one cursor to the next, none twice and none skipped, whatever arrives or is deleted', async () => {
  let events = things(500, 1)
  const { list, cursors } = eventsOf(() => events)
  const given: number[] = []
  for await (const { id } of eachOf(list)) {
    given.push(id)
    if (id === 400) events = [...things(900, 501), ...events.filter(({ id }) => id < 350)]
  }
  assert.deepEqual(
    given,
    [...things(500, 301), ...things(300, 1)].map(({ id }) => id),
  )
  assert.deepEqual(cursors, [undefined, 301, 101])
})

test('a search goes on from where each part of it ended, even if that part has found nothing', async () => {
  const parts: Record<string, { items: Thing[]; next?: number | null }> = {
    first: { items: things(900, 898), next: 700 },
    700: { items: [], next: 500 },
    500: { items: things(400, 399), next: null },
  }
  const asked: unknown[] = []
  const list = async ({ page, before, limit }: { page?: number; before?: number; limit: number }) => {
    asked.push([page, before])
    return { ...parts[before ?? 'first']!, total: 5, limit }
  }
  assert.deepEqual(await all(eachOf(list)), [...things(900, 898), ...things(400, 399)])
  assert.deepEqual(asked, [
    [1, undefined],
    [undefined, 700],
    [undefined, 500],
  ])
})

test('a caller that stops early requests no further page', async () => {
  const { list, pages } = listOf(() => oldestFirst(1000))
  for await (const { id } of eachOf(list)) if (id === 250) break
  assert.deepEqual(pages, [1, 2])
})

test('a list without pages is returned whole, including items without an id', async () => {
  assert.deepEqual(await all(eachOf(async () => [{ a: 1 }, { a: 1 }, 'b'] as unknown[])), [
    { a: 1 },
    { a: 1 },
    'b',
  ])
})

test('a refusal ends the iteration', async () => {
  const refusal = new Error('No.')
  const refused = async () => {
    throw refusal
  }
  await assert.rejects(all(eachOf(refused)), refusal)
})
