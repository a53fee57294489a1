import type { List } from '@tickwright/client'

type Part = { before?: number; after?: number; limit: number }

const pageLimit = 200

/** The records of a list of events after the one with an id, 0 for all of them, in pages, the oldest first. */
export async function* recordsAfter<Item extends { id: number }>(
  list: (part: Part) => Promise<List<Item>>,
  after: number,
): AsyncGenerator<Item[], void, undefined> {
  const page = async (part: Part) => {
    const answer = await list(part)
    return (Array.isArray(answer) ? answer : answer.items).toReversed()
  }
  let last = after
  if (last === 0) {
    // A cursor names a record, and nothing is before the first one.
    const first = await page({ before: 2, limit: 1 })
    if (first.length > 0) yield first
    last = 1
  }
  for (;;) {
    const items = await page({ after: last, limit: pageLimit })
    if (items.length === 0) return
    yield items
    last = items.at(-1)!.id
  }
}
