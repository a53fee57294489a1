/**
 * The part of a list that a request asks for. `before` and `after` are ids of events, which are not in that part
 * themselves. With `after` alone, the part is the one right after that event, otherwise the newest one that is left.
 */
export type Window = { limit: number; offset: number } & Cursors
export type Cursors = { before?: number; after?: number }

/** A total is exact up to this number. Counting on would cost more than the list itself. */
export const mostCounted = 10_000

/**
 * What a search has found. `next` is the cursor to go on with; `null` if nothing is left. `total` may be any number above
 * `mostCounted` if there are more.
 */
export type Found<Item> = { items: Item[]; total: number; isExact: boolean; next: number | null }
