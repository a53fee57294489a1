/**
 * Finds events of many owners in the order of their ids: the runs of all strategies of a user, the deliveries of all
 * their webhooks. No index has this order, because the tables grow with traffic and each index costs every payload and
 * run. So a search looks at a limited number of rows, in two ways. It walks through everyone's rows in the order of ids
 * as long as many of them are the owners': nothing is cheaper. Otherwise it merges what the index on owner and id has of
 * each owner.
 */

import { type SQL, sql } from 'drizzle-orm'
import { type Cursors, type Found, mostCounted } from '../base/window.ts'
import type { Db } from './database.ts'
import { boundsOf, type Span } from './time-bounds.ts'

/** A table that has an index on `owner` and `id`. */
export type EventTable = { name: string; owner: string; time: string }

export type EventSearch = {
  table: EventTable
  owners: readonly number[]
  /** A condition on a row `e` for which owner and id have an index of their own. */
  indexed?: SQL | undefined
  /** A condition on a row `e` that no index answers. */
  condition?: SQL | undefined
  /** Whether `condition` reads other tables for each row. */
  isJoined?: boolean | undefined
  /** A condition on texts, which are slow to look through: on a row `e` and the rows that are joined to it. */
  text?: { joins: SQL; bytes: SQL; condition: SQL } | undefined
  span: Span
  cursors: Cursors
}

export type FoundEvents = Omit<Found<never>, 'items'> & { ids: number[] }

/** How many rows of the owners one request looks at, unless an index answers all its conditions. */
const mostLooked = { plain: 5_000, joined: 2_000, text: 800 }
const mostTextBytes = 1024 * 1024
/** How many owners one pass takes rows of, and how many rows altogether. */
const mostOwners = 1_000
const mostTaken = 65_536
const mostPasses = 4
/** With fewer owners, merging finds a page without conditions at once. */
const fewOwners = 100
/** The first walk finds out whether another one is worth it: how large the share of the owners is. */
const firstWalk = 400
const leastShare = 0.25
const maxId = '9223372036854775807'

/**
 * The ids of the events from `offset` on, at most `limit`, the newest first. If the search has conditions that no index
 * answers, it may end early: then `next` says how far it has looked, `total` counts what it has found, and there may be
 * fewer ids than `limit`. A search with a cursor ends as soon as it has its ids.
 */
export async function findEvents(
  db: Db,
  search: EventSearch,
  { limit, offset }: { limit: number; offset: number },
): Promise<FoundEvents> {
  const { owners, cursors } = search
  if (owners.length === 0) return { ids: [], total: 0, isExact: true, next: null }
  const hasCursor = cursors.before !== undefined || cursors.after !== undefined
  const isUpwards = cursors.after !== undefined && cursors.before === undefined
  const { look, most } = await passOf(db, search, isUpwards)
  const needed = offset + limit + 1
  const isIndexed = most === undefined
  const counting = isIndexed ? count(db, search) : undefined
  // It may reject before anything waits for it.
  counting?.catch(() => undefined)

  const ids: number[] = []
  let matching = 0
  let border: number | null = null
  let looked = 0
  let walked = 0
  const take = async (rows: Rows) => {
    const part = { mostLooked: (most ?? needed) - looked, mostIds: Math.max(0, needed - ids.length) }
    const found = await look(rows, border, part)
    ids.push(...found.ids)
    matching += found.matching
    looked += found.looked
    border = found.border
    return found.looked
  }
  const hasEnough = () => ids.length >= needed && (isIndexed || hasCursor)
  const hasLooked = () => !isIndexed && (looked >= most || walked * leastShare * 2 >= most)
  const isDone = () => border === null || hasEnough() || hasLooked()

  // An index on owner, id and a condition finds what is rare, and no walk does.
  const isWalking = search.indexed === undefined && (!isIndexed || owners.length > fewOwners)
  let share = 1
  for (let walk = Math.max(firstWalk, needed); isWalking; ) {
    share = (await take({ walk })) / walk
    walked += walk
    if (isDone() || share < leastShare) break
    const left = (most ?? needed) - looked
    const wanted = Math.ceil((hasCursor ? Math.min(walk * 4, left) : left) / Math.max(share, leastShare * 2))
    walk = Math.max(firstWalk, wanted)
  }
  if (!isWalking || !isDone()) {
    // Each pass costs a look at each owner.
    const passes = isIndexed ? Number.POSITIVE_INFINITY : owners.length > mostOwners ? 1 : mostPasses
    const mostOfEach = Math.max(1, Math.floor(mostTaken / Math.min(owners.length, mostOwners)))
    let perOwner = isIndexed ? needed : Math.max(16, Math.ceil((most - looked) / owners.length))
    for (let pass = 1; pass <= passes; pass += 1) {
      await take({ perOwner: Math.min(perOwner, mostOfEach) })
      if (isDone()) break
      perOwner *= 4
    }
  }

  const shown = ids.slice(offset, offset + limit)
  const next = ids.length >= needed ? shown.at(-1)! : border
  const isWhole = border === null && !hasCursor
  const total = counting === undefined ? matching : await counting
  const isExact = counting === undefined ? isWhole : true
  return { ids: isUpwards ? shown.reverse() : shown, total, isExact, next }
}

/** How a pass finds rows: the next ones of anyone, or so many of each owner. */
type Rows = { walk: number } | { perOwner: number }
type Looked = { ids: number[]; matching: number; looked: number; border: number | null }

/** @returns what looks at the next rows: at those beyond `border`, at most so many of the owners */
async function passOf(db: Db, search: EventSearch, isUpwards: boolean) {
  const { table, span, cursors, text } = search
  const bounds = await boundsOf(db, table, span)
  const low = Math.max(cursors.after ?? 0, bounds.low ?? 0)
  const high = least(cursors.before, bounds.high)
  const isInSpan = [
    span.since === undefined
      ? undefined
      : sql`${columnOf(table.time)} >= ${span.since.toISOString()}::timestamptz`,
    span.until === undefined
      ? undefined
      : sql`${columnOf(table.time)} <= ${span.until.toISOString()}::timestamptz`,
  ]
  const conditions = [...isInSpan, search.condition, text?.condition].filter((one) => one !== undefined)
  const kind = text !== undefined ? 'text' : search.isJoined ? 'joined' : 'plain'
  return {
    most: conditions.length === 0 ? undefined : mostLooked[kind],
    async look(rows: Rows, border: number | null, part: Part): Promise<Looked> {
      const pass = {
        low: isUpwards ? (border ?? low) : low,
        high: isUpwards ? high : (border ?? high),
        ...{ isUpwards, conditions, ...part },
      }
      const taken = 'walk' in rows ? walked(search, pass, rows.walk) : merged(search, pass, rows.perOwner)
      const statement = lookStatement(search, pass, taken)
      const found = (await db.execute(statement)) as unknown as { rows: { found: Looked }[] }
      return found.rows[0]!.found
    },
  }
}

/** How many of the owners' rows a pass looks at, and how many ids it returns; it counts the others. */
type Part = { mostLooked: number; mostIds: number }

type Pass = {
  low: number
  high: number | undefined
  isUpwards: boolean
  conditions: SQL[]
} & Part

/** Words of SQL for the direction in which a pass looks. `last`: the farthest of ids. */
function wordsOf({ isUpwards }: Pass) {
  const [order, nearest, last, upTo] = isUpwards ? ['asc', 'min', 'max', '<='] : ['desc', 'max', 'min', '>=']
  return { order: sql.raw(order!), nearest: sql.raw(nearest!), last: sql.raw(last!), upTo: sql.raw(upTo!) }
}

/** Whether a row `e` meets the conditions. The text has a pass of its own, because it is slow. */
const meets = ({ text }: EventSearch, { conditions }: Pass) =>
  text !== undefined || conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`

/** The owners' rows among the next rows of anyone. */
function walked(search: EventSearch, pass: Pass, rows: number): SQL {
  const { table, owners } = search
  const { order, last } = wordsOf(pass)
  // Not with `and`, whose order is not certain: only conditions on the owners' rows are worth their time.
  return sql`walked as materialized (
  select e.id, case when ${columnOf(table.owner)} = any(${`{${owners.join()}}`}::bigint[]) then ${meets(search, pass)} end as is_met
  from (
    select * from ${sql.raw(table.name)} e where e.id > ${pass.low}::bigint and e.id < ${pass.high ?? maxId}::bigint
    order by e.id ${order} limit ${rows}::integer
  ) e
), taken as materialized (
  select id, is_met from walked where is_met is not null
), edge as (
  select ${last}(id) as id from walked having count(*) >= ${rows}::integer
)`
}

/**
 * `taken` has the rows of each owner, up to a number. Beyond the last row of an owner who may have more, it does not have
 * all rows. So `edge` is the nearest such row, and the rows up to it are complete, in the order of all.
 */
function merged(search: EventSearch, pass: Pass, perOwner: number): SQL {
  const { table, owners, indexed } = search
  const { low, high, conditions } = pass
  const { order, nearest, last } = wordsOf(pass)
  const ownersAtMost = conditions.length === 0 ? Math.min(perOwner, mostOwners) : mostOwners
  // Not with `=`, because then the planner may read everyone's rows in the order of ids.
  const rowsOf = (columns: SQL, owner: SQL, limit: number) => sql`
    select ${columns} from ${sql.raw(table.name)} e
    where (${columnOf(table.owner)}, e.id) > (${owner}, ${low}::bigint)
      and (${columnOf(table.owner)}, e.id) < (${owner}, ${high ?? maxId}::bigint)
      ${indexed === undefined ? sql`` : sql`and ${indexed}`}
    order by ${columnOf(table.owner)} ${order}, e.id ${order} limit ${limit}::integer`
  return sql`heads as materialized (
  select o.id as owner, h.id as head
  from unnest(${`{${owners.join()}}`}::bigint[]) o(id) cross join lateral (${rowsOf(sql`e.id`, sql`o.id`, 1)}) h
  order by h.id ${order} limit ${ownersAtMost + 1}::integer
), taken as materialized (
  select h.owner, t.id, t.is_met
  from heads h cross join lateral (${rowsOf(sql`e.id, ${meets(search, pass)} as is_met`, sql`h.owner`, perOwner)}) t
), edge as (
  select ${nearest}(id) as id from (
    select ${last}(id) as id from taken group by owner having count(*) >= ${perOwner}::integer
    union all
    select ${last}(head) from heads having count(*) > ${ownersAtMost}::integer
  ) ends
)`
}

/** Looks at what was taken, as far as it is complete. */
function lookStatement({ table, text }: EventSearch, pass: Pass, taken: SQL): SQL {
  const { order, last, upTo } = wordsOf(pass)
  const found =
    text === undefined
      ? sql`readable as materialized (select id from looked), found as (select id from looked where is_met)`
      : sql`measured as materialized (
  select e.id, coalesce(sum(${text.bytes}) over (order by e.id ${order}
    rows between unbounded preceding and 1 preceding), 0) as before
  from ${sql.raw(table.name)} e ${text.joins} where e.id = any(array(select id from looked))
), readable as materialized (
  select id from measured where before <= ${mostTextBytes}::integer
), found as (
  select e.id from ${sql.raw(table.name)} e ${text.joins}
  where e.id = any(array(select id from readable)) and ${sql.join(pass.conditions, sql` and `)}
)`
  return sql`
with ${taken}, looked as materialized (
  select t.id, t.is_met from taken t
  where t.id ${upTo} coalesce((select id from edge), ${pass.isUpwards ? maxId : '0'}::bigint)
  order by t.id ${order} limit ${pass.mostLooked}::integer
), ${found}
select json_build_object(
  'ids', coalesce((select json_agg(id order by id ${order}) from (
    select id from found order by id ${order} limit ${pass.mostIds}::integer) nearest), '[]'::json),
  'matching', (select count(*) from found),
  'looked', (select count(*) from readable),
  'border', case
    when (select count(*) from readable) < (select count(*) from taken) then (select ${last}(id) from readable)
    else (select id from edge)
  end) as found`
}

/** Counts all events of the owners for which an index answers, up to one more than `mostCounted`. */
async function count(db: Db, { table, owners, indexed }: EventSearch): Promise<number> {
  const { rows } = (await db.execute(sql`
select count(*)::integer as total from (
  select 1 from unnest(${`{${owners.join()}}`}::bigint[]) o(id) cross join lateral (
    select 1 from ${sql.raw(table.name)} e
    where ${columnOf(table.owner)} between o.id and o.id ${indexed === undefined ? sql`` : sql`and ${indexed}`}
    limit ${mostCounted + 1}::integer
  ) of_owner
  limit ${mostCounted + 1}::integer
) counted`)) as unknown as { rows: { total: number }[] }
  return rows[0]!.total
}

/** Whether an expression contains a text, in any case of any alphabet, whatever the locale of the database is. */
export function contains(expression: string, text: string): SQL {
  const lower = (value: SQL) => sql`lower(${value} collate pg_c_utf8)`
  return sql`strpos(${lower(sql.raw(`(${expression})`))}, ${lower(sql`${text}::text`)}) > 0`
}

/**
 * The end of an `exists (select …)` in a condition: with it, PostgreSQL looks once for each row. Without it, the planner
 * may first collect everything that any row could match.
 */
export const forEach = sql`offset 0`

const columnOf = (name: string) => sql.raw(`e.${name}`)

function least(...values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
