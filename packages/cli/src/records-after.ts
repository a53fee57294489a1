import type { List } from '@tickwright/client'

/** Which events of a list are asked for. */
export type EventPart = { before?: number; after?: number; limit: number }

export const mostInPage = 200

/** What a list answers, which has a total if it was asked for a page. */
export function itemsOf<Item>(answer: List<Item>): Item[] {
  return Array.isArray(answer) ? answer : answer.items
}

/** The records of a list of events after the one with an id, 0 for all of them, in pages, the oldest first. */
export async function* recordsAfter<Item extends { id: number }>(
  list: (part: EventPart) => Promise<List<Item>>,
  after: number,
): AsyncGenerator<Item[], void, undefined> {
  const page = async (part: EventPart) => itemsOf(await list(part)).toReversed()
  let last = after
  if (last === 0) {
    // A cursor names a record, and nothing is before the first one.
    const first = await page({ before: 2, limit: 1 })
    if (first.length > 0) yield first
    last = 1
  }
  for (;;) {
    const items = await page({ after: last, limit: mostInPage })
    if (items.length === 0) return
    yield items
    last = items.at(-1)!.id
  }
}
