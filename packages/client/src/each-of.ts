import type { List } from './api-types.ts'

/** The most items of a page. */
const pageLimit = 200

/**
 * All items of a list, fetched page by page: `eachOf(client.signals.list)`, or with a filter
 * `eachOf((page) => client.signals.list({ ...page, action: 'LONG' }))`. Items created meanwhile never make another item
 * appear twice. If items are deleted meanwhile, some may be skipped.
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
