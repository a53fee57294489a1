import type { List } from './api-types.ts'

/** As many as a page can have. */
const pageLimit = 200

/**
 * All things of a list, one after the other, fetched a page at a time: `eachOf(client.signals.list)`, or with more to ask
 * for `eachOf((page) => client.signals.list({ ...page, action: 'LONG' }))`. What is made meanwhile moves others to a
 * later page; those are not given twice. What is deleted meanwhile may make others be missed.
 */
export async function* eachOf<Item>(
  list: (page: { page: number; limit: number }) => Promise<List<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const given = new Set<unknown>()
  for (let page = 1; ; page += 1) {
    const answer = await list({ page, limit: pageLimit })
    const items = Array.isArray(answer) ? answer : answer.items
    for (const item of items) {
      const id = idOf(item)
      if (id !== undefined && given.has(id)) continue
      given.add(id)
      yield item
    }
    if (Array.isArray(answer) || items.length < pageLimit) return
  }
}

function idOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined
}
