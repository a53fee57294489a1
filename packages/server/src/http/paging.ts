import { invalidQuery } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { type Found, mostCounted, type Window } from '../base/window.ts'

/** A list without `page` and `limit` is at most this long. */
export const plainListLimit = 1000
const defaultPageLimit = 50
/** How far the pages of a search reach. */
const mostInPages = 10_000

export type PageRequest = { page?: number; limit?: number }
export type Page<T> = T[] | (PartOf<T> & { page: number })

/** `before` and `after` are ids of events. */
export type EventRequest = PageRequest & { before?: number; after?: number }
/**
 * The answer to a cursor has no `page`, but `next`: the cursor to go on with, or `null` if nothing is left. Pages of a
 * search have both.
 */
export type EventPage<T> = T[] | EventsPart<T>
export type EventsPart<T> = PartOf<T> & { page?: number; next?: number | null }

type Total = { total: number; total_is_exact?: false }
type PartOf<T> = Total & { items: T[]; limit: number }

type Sources<T> = {
  list(window: Window): Promise<T[]>
  /** May stop at any number above `mostCounted`. */
  count(): Promise<number>
}

/** Answers the plain array, or a page with the total if the request asks for one. */
export async function answerPage<T>(request: PageRequest, sources: Sources<T>): Promise<Page<T>> {
  if (request.page === undefined && request.limit === undefined) {
    return sources.list({ limit: plainListLimit, offset: 0 })
  }
  const { page = 1, limit = defaultPageLimit } = request
  const [items, total] = await Promise.all([
    sources.list({ limit, offset: (page - 1) * limit }),
    sources.count(),
  ])
  return { items, ...shownTotal(total), page, limit }
}

/**
 * The same for a list of events, the newest first, which also takes cursors: pages shift while events arrive, but the
 * events before and after a given one stay the same.
 * @throws {AppError} 400 if the cursors contradict each other or the page
 */
export async function answerEvents<T extends { id: number }>(
  request: EventRequest,
  sources: Sources<T>,
): Promise<EventPage<T>> {
  const isWhole = windowOf(request) === undefined
  return isWhole ? sources.list({ limit: plainListLimit, offset: 0 }) : answerEventsPart(request, sources)
}

/**
 * The same for a part of the list, also if the request asks for none: then the first page.
 * @throws {AppError} 400 if the cursors contradict each other or the page
 */
export async function answerEventsPart<T extends { id: number }>(
  request: EventRequest,
  sources: Sources<T>,
): Promise<EventsPart<T>> {
  const { limit, ...rest } = windowOf({ limit: defaultPageLimit, ...request })!
  // One more than it shows says whether there are more.
  const [found, total] = await Promise.all([sources.list({ limit: limit + 1, ...rest }), sources.count()])
  const hasMore = found.length > limit
  const isUpwards = rest.after !== undefined && rest.before === undefined
  const items = hasMore ? (isUpwards ? found.slice(1) : found.slice(0, limit)) : found
  const next = hasMore ? items.at(isUpwards ? 0 : -1)!.id : null
  return {
    items,
    ...shownTotal(total),
    limit,
    ...(hasCursor(request) ? { next } : { page: request.page ?? 1 }),
  }
}

/**
 * The same for a list that searches many events, and may end its search early. A page has `next` if it did. Pages reach only
 * the first events, because each page finds all of those before it again.
 * @throws {AppError} 400 if the cursors contradict each other or the page, or if the page is too far away
 */
export async function answerSearch<T>(
  request: EventRequest,
  find: (window: Window) => Promise<Found<T>>,
): Promise<EventPage<T>> {
  const window = windowOf(request)
  if (window === undefined) return (await find({ limit: plainListLimit, offset: 0 })).items
  const { limit, offset } = window
  if (offset + limit > mostInPages) {
    const reach = mostInPages.toLocaleString('en')
    throw invalidQuery('page', `reaches only the first ${reach} events; go on with before`)
  }
  const { items, total, isExact, next } = await find(window)
  return {
    ...{ items, ...shownTotal(total), ...(isExact ? {} : { total_is_exact: false }), limit },
    ...(hasCursor(request) ? { next } : { page: request.page ?? 1, ...(isExact ? {} : { next }) }),
  }
}

/**
 * The part of a list of events that a request asks for; `undefined`: the plain array.
 * @throws {AppError} 400 if the cursors contradict each other or the page
 */
function windowOf(request: EventRequest): Window | undefined {
  const { page, limit, before, after } = request
  if (!hasCursor(request) && page === undefined && limit === undefined) return undefined
  if (hasCursor(request) && page !== undefined)
    throw invalidQuery('page', 'cannot be combined with before or after')
  if (before !== undefined && after !== undefined && before <= after) {
    throw invalidQuery('before', 'must be larger than after')
  }
  const most = limit ?? defaultPageLimit
  return { limit: most, offset: ((page ?? 1) - 1) * most, ...given({ before, after }) }
}

function hasCursor({ before, after }: EventRequest): boolean {
  return before !== undefined || after !== undefined
}

/** @param total may be any number above `mostCounted` if there are more */
function shownTotal(total: number): Total {
  return total <= mostCounted ? { total } : { total: mostCounted, total_is_exact: false }
}
