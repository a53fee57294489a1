import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../base/errors.ts'
import type { Window } from '../base/window.ts'
import { answerEvents, answerPage, type EventRequest } from './paging.ts'

/** Seven events, of which the newest is listed first, as a service reads them. */
const events = {
  list: async ({ limit, offset, before, after }: Window) => {
    const left = [7, 6, 5, 4, 3, 2, 1].filter((id) => id < (before ?? 8) && id > (after ?? 0))
    const isUpwards = after !== undefined && before === undefined
    return (isUpwards ? left.slice(-limit) : left.slice(offset, offset + limit)).map((id) => ({ id }))
  },
  count: async () => 7,
}

async function read(request: EventRequest) {
  const answer = await answerEvents(request, events)
  assert.ok(!Array.isArray(answer))
  const { items, ...rest } = answer
  return { ids: items.map(({ id }) => id).join(''), ...rest }
}

const total = { total: 7 }

test('a list of events has all of them, pages of them, and the parts before and after an event', async () => {
  assert.equal((await answerEvents({}, events)).toString(), '[object Object],'.repeat(7).slice(0, -1))
  assert.deepEqual(await read({ limit: 3 }), { ids: '765', ...total, page: 1, limit: 3 })
  assert.deepEqual(await read({ page: 3, limit: 3 }), { ids: '1', ...total, page: 3, limit: 3 })
  assert.deepEqual(await read({ before: 5, limit: 3 }), { ids: '432', ...total, limit: 3, next: 2 })
  assert.deepEqual(await read({ before: 2, limit: 3 }), { ids: '1', ...total, limit: 3, next: null })
  assert.deepEqual(await read({ after: 2, limit: 3 }), { ids: '543', ...total, limit: 3, next: 5 })
  assert.deepEqual(await read({ after: 5, limit: 3 }), { ids: '76', ...total, limit: 3, next: null })
  assert.deepEqual(await read({ after: 2, before: 7, limit: 3 }), { ids: '654', ...total, limit: 3, next: 4 })
  assert.deepEqual(await read({ after: 6, before: 7 }), { ids: '', ...total, limit: 50, next: null })
})

for (const [wrong, field] of [
  [{ page: 1, before: 3 }, 'page'],
  [{ page: 1, after: 3 }, 'page'],
  [{ before: 3, after: 3 }, 'before'],
  [{ before: 3, after: 9 }, 'before'],
] as const) {
  test(`a list of events refuses ${JSON.stringify(wrong)}`, async () => {
    const isRefusal = (error: unknown) =>
      error instanceof AppError &&
      error.status === 400 &&
      error.details?.[0]?.field === `querystring.${field}`
    await assert.rejects(answerEvents(wrong, events), isRefusal)
  })
}

test('a total above 10,000 is not counted on', async () => {
  const totalOf = async (count: number) => {
    const page = await answerPage({ limit: 1 }, { list: async () => [], count: async () => count })
    assert.ok(!Array.isArray(page))
    return [page.total, page.total_is_exact]
  }
  assert.deepEqual(await totalOf(9_999), [9_999, undefined])
  assert.deepEqual(await totalOf(10_000), [10_000, undefined])
  assert.deepEqual(await totalOf(10_001), [10_000, false])
  assert.deepEqual(await totalOf(3_000_000), [10_000, false])
})
