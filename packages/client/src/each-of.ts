import type { List } from './api-types.ts'

/** The most items of a page. */
const pageLimit = 200

/** What the list is asked for: a page, or, if it is a list of events, what comes after the last part. */
type Part = { page?: number; before?: number; limit: number }

/**
 * All items of a list, fetched page by page: `eachOf(client.signals.list)`, or with a filter
 * `eachOf((page) => client.signals.list({ ...page, action: 'LONG' }))`. Items created meanwhile never make another item
 * appear twice. If items of a list that is not one of events are deleted meanwhile, some may be skipped.
 */
export async function* eachOf<Item>(
  list: (part: Part) => Promise<List<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const given = new Set<unknown>()
  let part: Part = { page: 1, limit: pageLimit }
  for (let page = 2; ; page += 1) {
    const answer = await list(part)
    const items = Array.isArray(answer) ? answer : answer.items
    for (const item of items) {
      const id = idOf(item)
      if (id !== undefined && given.has(id)) continue
      given.add(id)
      yield item
    }
    if (Array.isArray(answer) || answer.next === null) return
    // A search says where it ended, even if it has found few items or none so far.
    if (answer.next === undefined && items.length < pageLimit) return
    const before = answer.next ?? cursorAfter(items)
    part = { limit: pageLimit, ...(before === undefined ? { page } : { before }) }
  }
}

/** The cursor of what comes after these items, if they are events: only those have the newest first. */
function cursorAfter(items: readonly unknown[]): number | undefined {
  const [first, last] = [idOf(items[0]), idOf(items.at(-1))]
  return typeof first === 'number' && typeof last === 'number' && first > last ? last : undefined
}

function idOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined
}
