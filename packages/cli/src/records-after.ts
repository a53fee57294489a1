import type { List } from '@tickwright/client'

/** Which events of a list are asked for. */
type EventPart = { before?: number; after?: number; limit: number }

const mostInPage = 200
/** So many of the last ids are worth knowing: as many as a page shows. */
export const mostKnown = mostInPage

/** What a list answers, which has a total if it was asked for a page. */
function itemsOf<Item>(answer: List<Item>): Item[] {
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

/**
 * The records of a list that are not among the known ones: first those that appeared late between them, then those after
 * them. Ids are given before records are stored, so one can appear after another with a higher id.
 * @param known ids in ascending order; nothing up to the first one is looked for
 */
export async function* recordsBeyond<Item extends { id: number }>(
  list: (part: EventPart) => Promise<List<Item>>,
  known: readonly number[],
): AsyncGenerator<Item[], void, undefined> {
  const last = known.at(-1) ?? 0
  if (known.length > 1) {
    const ids = new Set(known)
    const latest = itemsOf(await list({ before: last + 1, limit: mostInPage }))
    yield latest.filter(({ id }) => id > known[0]! && !ids.has(id)).toReversed()
  }
  yield* recordsAfter(list, last)
}
