import { between, count, eq, getTableName, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgDatabase, PgQueryResultHKT, PgTable } from 'drizzle-orm/pg-core'
import { mostCounted } from '../base/window.ts'

/** A value that a query takes as a parameter. A list fits `= any(...)`, so that its length does not change the query. */
type Parameter = number | string | Date | readonly number[]

/**
 * What stands for a value in a query that is built before the value is known. `null`, `true` and `false` stay
 * themselves, because they decide what the query looks like.
 */
export type Slot<Value> = Value extends Parameter ? Placeholder : Value
export type Slots<Values> = { [Key in keyof Values]: Slot<Values[Key]> }

type Values = Record<string, Parameter>
type Build<Given, Filter, Built> = (slots: Slots<Given>, filter: Slots<Filter>) => Built
type Query<Rows> = { prepare(name: string): { execute(values: Record<string, unknown>): Promise<Rows> } }

/**
 * Queries of Drizzle that are built once, because building one costs more than executing it. Each call executes it with
 * its own values.
 *
 * Without a filter, PostgreSQL also keeps one plan for each connection. So that plan must be good for all values: `ofOne`
 * selects the rows of a list. In a table of a million rows, PostgreSQL still plans each page (0.2 ms), because a plan for
 * any number of rows seems to cost more. With a filter, the best index depends on the value (few orders are open, most
 * are filled), so PostgreSQL plans each call.
 */
export type PreparedReads = {
  /** @param name unique within the service */
  read<Rows, Given extends Values, Filter extends object = object>(
    name: string,
    given: Given,
    build: Build<Given, Filter, Query<Rows>>,
    filter?: Filter,
  ): Promise<Rows>
  /** Counts the rows of a table that belong to what is given. The keys of `given` tell its conditions apart. */
  count: Count
  /** The same for a table that grows with traffic: stops at one more than `mostCounted`. */
  countUpToMost: Count
}

type Count = <Given extends Values, Filter extends object = object>(
  table: PgTable,
  given: Given,
  where: Build<Given, Filter, SQL | undefined>,
  filter?: Filter,
) => Promise<number>

/**
 * Selects the rows of one owner, for a list in the order of owner and id. With `owner = $1`, a plan for all owners may
 * read everyone's rows in the order of ids until it has found enough, which suits only owners with many rows. A range of
 * owners leaves it the index on owner and id. With a filter, `=` allows other indexes too.
 */
export function ofOne(owner: AnyPgColumn, slot: Slot<number>, filter: object = {}): SQL {
  return Object.keys(filter).length === 0 ? between(owner, slot, slot) : eq(owner, slot)
}

/** The prepared reads of one database. */
export function preparedReads(db: PgDatabase<PgQueryResultHKT>): PreparedReads {
  const known = new Map<string, ReturnType<Query<unknown>['prepare']>>()

  const read: PreparedReads['read'] = (name, given, build, filter = {} as never) => {
    const shape = shapeOf(filter)
    let prepared = known.get(name + shape)
    if (prepared === undefined) {
      // PostgreSQL does not keep a statement whose name is empty.
      prepared = build(slotsOf(given), slotsOf(filter)).prepare(shape === '' ? name : '')
      known.set(name + shape, prepared)
    }
    return prepared.execute(parametersOf({ ...given, ...filter })) as never
  }

  const counter =
    (name: string, limit: number | undefined): Count =>
    async (table, given, where, filter) => {
      const counted = await read(
        `${name}_${getTableName(table)}_of_${Object.keys(given).join('_')}`,
        given,
        (slots, filter) => {
          const rows = db
            .select({ one: sql`1`.as('one') })
            .from(table)
            .where(where(slots, filter as never))
            .$dynamic()
          const some = limit === undefined ? rows : rows.limit(limit)
          return db.select({ total: count() }).from(some.as('counted'))
        },
        filter,
      )
      return counted[0]!.total
    }

  return { read, count: counter('count', undefined), countUpToMost: counter('count_up', mostCounted + 1) }
}

/** Equal for filters that lead to the same query. */
function shapeOf(filter: object): string {
  return Object.entries(filter)
    .map(([key, value]) => ` ${key}${isParameter(value) ? '' : `=${value}`}`)
    .join('')
}

function slotsOf<Given extends object>(given: Given): Slots<Given> {
  return mapped(given, (value, key) => (isParameter(value) ? sql.placeholder(key) : value)) as Slots<Given>
}

/** The driver would write a `Date` in the local time zone, and lose the seconds of historical offsets. */
function parametersOf(given: object): Record<string, unknown> {
  return mapped(given, (value) => (value instanceof Date ? value.toISOString() : value))
}

function mapped(given: object, map: (value: unknown, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, map(value, key)]))
}

function isParameter(value: unknown): value is Parameter {
  return value !== null && typeof value !== 'boolean'
}
