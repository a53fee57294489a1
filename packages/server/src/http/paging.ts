/** A list without `page` and `limit` is at most this long. */
export const plainListLimit = 1000
const defaultPageLimit = 50

export type PageRequest = { page?: number; limit?: number }
export type Page<T> = T[] | { items: T[]; total: number; page: number; limit: number }

type Sources<T> = {
  list(window: { limit: number; offset: number }): Promise<T[]>
  count(): Promise<number>
}

/** Answers the plain array, or a page with the total if the request asks for one. */
export async function answerPage<T>(request: PageRequest, sources: Sources<T>): Promise<Page<T>> {
  if (request.page === undefined && request.limit === undefined) {
    return sources.list({ limit: plainListLimit, offset: 0 })
  }
  const page = request.page ?? 1
  const limit = request.limit ?? defaultPageLimit
  const [items, total] = await Promise.all([
    sources.list({ limit, offset: (page - 1) * limit }),
    sources.count(),
  ])
  return { items, total, page, limit }
}
