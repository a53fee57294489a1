/** Lists of events that are as long as history: read in parts by cursor, and changed row by row as events arrive. */

import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'

/** An event: newer ones have larger ids. */
type Event = { id: number }

/** `next`: the part ends before this event, and the next one begins with it or an older one. `null`: this is the last. */
export type EventPart<Item> = { items: Item[]; total: number; isExact: boolean; next: number | null }
export type EventRows<Item> = InfiniteData<EventPart<Item>, number | null>

/** What the service answers. Without `total`, it has counted nothing. */
type AnsweredPart<Item> = { items: Item[]; total?: number; total_is_exact?: false; next?: number | null }

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
  read: (part: { limit: number; before?: number }) => Promise<Item[] | AnsweredPart<Item>>,
) {
  return infiniteQueryOptions<EventPart<Item>, Error, EventRows<Item>, readonly unknown[], number | null>({
    queryKey: [name, filters],
    queryFn: async ({ pageParam: before }) => {
      const answer = await read({ limit: partSize, ...(before === null ? {} : { before }) })
      if (Array.isArray(answer)) throw new TypeError('The service answered without a page.')
      const { items, total = 0, total_is_exact: isExact = true, next } = answer
      return { items, total, isExact, next: nextOf(items, next) }
    },
    initialPageParam: null,
    getNextPageParam: (part) => part.next,
    // Events change the rows only while the list is shown. Later, it is read again from its beginning.
    gcTime: 0,
    // To compare all rows with each part that is read takes longer than a frame, once there are many.
    structuralSharing: false,
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
  const isKnown = data.pages.some((part) => part.items.some(({ id }) => id === event.id))
  if (isKnown && belongs !== false) return changeRow(data, event.id, () => event)
  if (isKnown)
    return withPart(data, partOf(data, event.id), (part) => ({
      ...part,
      items: part.items.filter(({ id }) => id !== event.id),
    }))
  return belongs === true ? withAdded(data, event) : data
}

/** The rows with one of them changed, if it is there. */
export function changeRow<Item extends Event>(
  data: EventRows<Item>,
  id: number,
  change: (item: Item) => Item,
): EventRows<Item> {
  return withPart(data, partOf(data, id), (part) => ({
    ...part,
    items: part.items.map((item) => (item.id === id ? change(item) : item)),
  }))
}

function partOf(data: EventRows<Event>, id: number): number {
  return data.pages.findIndex(({ items }) => items.some((item) => item.id === id))
}

/** Two events that happen at once may arrive in either order, so a new one is not always the newest. */
function withAdded<Item extends Event>(data: EventRows<Item>, event: Item): EventRows<Item> {
  const at = data.pages.findIndex(({ next }) => next === null || event.id >= next)
  // It belongs further down than what has been read.
  if (at === -1) return data
  const added = withPart(data, at, (part) => {
    const before = part.items.findIndex(({ id }) => id < event.id)
    return { ...part, items: part.items.toSpliced(before === -1 ? part.items.length : before, 0, event) }
  })
  const counted = withPart(added, 0, (part) => ({ ...part, total: part.total + 1 }))
  return counted.pages[0]!.items.length > mostAdded(counted) ? cut(counted) : counted
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
  if (at === -1) return data
  return { ...data, pages: data.pages.with(at, change(data.pages[at]!)) }
}
