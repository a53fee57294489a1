/** Parts of the statements that read a part of a list of events. Ids of events increase with time. */

import { and, asc, desc, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { given } from '../base/given.ts'
import { type Cursors, mostCounted, type Window } from '../base/window.ts'
import type { Db } from './database.ts'
import { ofOne, type Slot, type Slots } from './reads.ts'

/** The cursors of a window as a filter for `Database.read`, which may have no undefined fields. */
export function cursorsOf({ before, after }: Window): Cursors {
  return given({ before, after })
}

/** The events between the cursors. */
export function betweenCursors(
  id: AnyPgColumn,
  { before, after }: Cursors | Slots<Cursors>,
): SQL | undefined {
  return and(
    before === undefined ? undefined : lt(id, before),
    after === undefined ? undefined : gt(id, after),
  )
}

/**
 * Like `ofOne`, for the rows of one owner between the cursors. In a range of owners, the index would find all newer rows
 * too, so the ends of the range have ids.
 */
export function ofOneBetween(
  owner: AnyPgColumn,
  id: AnyPgColumn,
  slot: Slot<number>,
  { before, after, ...filter }: Slots<Cursors>,
): SQL | undefined {
  if (before === undefined && after === undefined) return ofOne(owner, slot, filter)
  if (Object.keys(filter).length > 0)
    return and(eq(owner, slot), betweenCursors(id, given({ before, after })))
  return and(
    after === undefined ? gte(owner, slot) : sql`(${owner}, ${id}) > (${slot}, ${after})`,
    before === undefined ? lte(owner, slot) : sql`(${owner}, ${id}) < (${slot}, ${before})`,
  )
}

/** From the newest to the oldest; or the other way, so that `limit` selects the events next to `after`. */
export function inOrder(cursors: Cursors | Slots<Cursors>, ...columns: AnyPgColumn[]): SQL[] {
  return columns.map(directionOf(cursors))
}

/** The direction of {@link inOrder}. */
export function directionOf(cursors: Cursors | Slots<Cursors>): typeof asc {
  return isUpwards(cursors) ? asc : desc
}

/** Puts rows that were selected in the order of {@link inOrder} into the order of the list. */
export function newestFirst<Row>(rows: Row[], cursors: Cursors): Row[] {
  return isUpwards(cursors) ? rows.reverse() : rows
}

function isUpwards({ before, after }: Cursors | Slots<Cursors>): boolean {
  return after !== undefined && before === undefined
}

/** Counts rows, at most one more than `mostCounted`, so that the count costs little however many there are. */
export function countUpToMost(db: Db, table: PgTable, where: SQL | undefined): Promise<number> {
  const counted = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(mostCounted + 1)
  return db.$count(counted.as('counted'))
}
