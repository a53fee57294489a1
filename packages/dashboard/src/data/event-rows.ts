/** Lists of events that are as long as history: read in parts by cursor, and changed row by row as events arrive. */

import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import type { List } from '@tickwright/client'

/** An event: newer ones have larger ids. */
type Event = { id: number }

export type EventPart<Item> = { items: Item[]; total: number; isExact: boolean; next: number | null }
export type EventRows<Item> = InfiniteData<EventPart<Item>, number | null>

const partSize = 100

/**
 * A list of events, newest first, in parts that do not shift while events arrive.
 * @param name part of the key. It must not be a name of `refresh.ts`: events patch the rows, and reading all parts again
 * for each event would be far too much
 * @param read asks for one part
 */
export function eventRowsQuery<Item extends Event>(
  name: `${string}-rows`,
  filters: object,
  read: (part: { limit: number; before?: number }) => Promise<List<Item>>,
) {
  return infiniteQueryOptions<EventPart<Item>, Error, EventRows<Item>, readonly unknown[], number | null>({
    queryKey: [name, filters],
    queryFn: async ({ pageParam: before }) => {
      const answer = await read({ limit: partSize, ...(before === null ? {} : { before }) })
      if (Array.isArray(answer)) throw new TypeError('The service answered without a page.')
      const { items, total, total_is_exact: isExact = true, next } = answer
      return { items, total, isExact, next: nextOf(items, next) }
    },
    initialPageParam: null,
    getNextPageParam: (part) => part.next,
    // Events change the rows only while the list is shown. Later, it is read again from its beginning.
    gcTime: 0,
  })
}

/** Lists that search say where to go on. Others do so only in answers to a cursor. */
function nextOf(items: readonly Event[], next: number | null | undefined): number | null {
  if (next !== undefined) return next
  return items.length === partSize ? items.at(-1)!.id : null
}

/**
 * The rows with one event changed, added or, if it `belongs` no more, taken out.
 * @param belongs whether it fits the filters of the list; `null` if only the service knows
 */
export function patchRows<Item extends Event>(
  data: EventRows<Item>,
  event: Item,
  belongs: boolean | null,
): EventRows<Item> {
  const at = data.pages.findIndex((part) => part.items.some(({ id }) => id === event.id))
  if (at !== -1) {
    const change = (items: Item[]) =>
      belongs === false
        ? items.filter(({ id }) => id !== event.id)
        : items.map((item) => (item.id === event.id ? event : item))
    return withPart(data, at, (part) => ({ ...part, items: change(part.items) }))
  }
  const first = data.pages[0]
  if (belongs !== true || first === undefined) return data
  // Older than what the first part begins with: it belongs further down, where it may not have been read yet.
  if (first.items[0] !== undefined && event.id < first.items[0].id) return data
  const added = withPart(data, 0, (part) => ({
    ...part,
    items: [event, ...part.items],
    total: part.total + 1,
  }))
  return added.pages[0]!.items.length > mostAdded(added) ? cut(added) : added
}

/** A page that is open for days must not keep every event. Who has read on to older rows keeps them for longer. */
function mostAdded({ pages }: EventRows<Event>): number {
  return pages.length === 1 ? 1_000 : 10_000
}

/** Only the newest rows. The list reads the others again if somebody scrolls to them. */
function cut<Item extends Event>({ pages: [first], pageParams }: EventRows<Item>): EventRows<Item> {
  const items = first!.items.slice(0, 5 * partSize)
  return { pages: [{ ...first!, items, next: items.at(-1)!.id }], pageParams: pageParams.slice(0, 1) }
}

function withPart<Item>(
  data: EventRows<Item>,
  at: number,
  change: (part: EventPart<Item>) => EventPart<Item>,
): EventRows<Item> {
  return { ...data, pages: data.pages.map((part, index) => (index === at ? change(part) : part)) }
}
