import { sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/** Both ends belong to it. */
export type Span = { since?: Date; until?: Date }

/**
 * By how much the times of rows may disagree with the order of their ids: nodes have clocks of their own, and a row waits
 * for its batch.
 */
const disorderMs = 60_000

/**
 * Ids between which all rows of a span of time are, by bisection, because the time has no index. `low` and `high` are not
 * between them. Some rows between them may be outside the span.
 */
export async function boundsOf(
  db: Db,
  table: { name: string; time: string },
  { since, until }: Span,
): Promise<{ low?: number; high?: number }> {
  const [first, last] = await Promise.all([
    since === undefined ? undefined : firstFrom(db, table, since.getTime() - disorderMs),
    until === undefined ? undefined : firstFrom(db, table, until.getTime() + disorderMs + 1),
  ])
  return {
    ...(first === undefined ? {} : { low: first - 1 }),
    ...(last === undefined ? {} : { high: last }),
  }
}

/** The id of the first row from a time on, or the one after the last row. */
async function firstFrom(
  db: Db,
  { name, time }: { name: string; time: string },
  atMs: number,
): Promise<number> {
  const { rows } = (await db.execute(sql`
with recursive step(low, high) as (
  select min(id), max(id) + 1 from ${sql.raw(name)}
  union all
  select case when is_early then row.id + 1 else low end, case when is_early then high else middle end
  from (select low, high, (low + high) / 2 as middle from step where low < high) halved
  cross join lateral (
    select e.id, e.${sql.raw(time)} < ${new Date(atMs).toISOString()}::timestamptz as is_early
    from ${sql.raw(name)} e where e.id >= middle order by e.id limit 1
  ) row
)
select coalesce(min(high), 1)::text as id from step`)) as unknown as { rows: { id: string }[] }
  return Number(rows[0]!.id)
}
