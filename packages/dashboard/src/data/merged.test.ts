import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMerged } from './merged.ts'

/** A list of the service, newest first, with a cursor. */
const listOf =
  (...ids: number[]) =>
  async ({ limit, before = Number.POSITIVE_INFINITY }: { limit: number; before?: number }) =>
    ids
      .filter((id) => id < before)
      .slice(0, limit)
      .map((id) => ({ id }))

test('a merged list has every event of its sources once, newest first', async () => {
  const sources = [listOf(9, 8, 2), listOf(7, 6, 5, 4), listOf(), listOf(3, 1)]
  const seen: number[] = []
  let before: number | null | undefined
  do {
    const { items, next } = await readMerged(sources, { limit: 3, ...(before ? { before } : {}) })
    seen.push(...items.map(({ id }) => id))
    before = next
  } while (before !== null)
  assert.deepEqual(seen, [9, 8, 7, 6, 5, 4, 3, 2, 1])
  assert.deepEqual((await readMerged([], { limit: 3 })).items, [])
})
