import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

/** The bodies in one list: a thousand bodies of 256 KB would take too much memory for one answer. */
const listByteLimit = 16 * 1024 * 1024

/** The body of a row of a page, the newest rows first; `null` where the bodies so far have filled the list. */
export function fittingBody(body: AnyPgColumn, id: AnyPgColumn): SQL<string | null> {
  const sizeSoFar = sql`sum(octet_length(${body})) over (order by ${id} desc)`
  return sql<string | null>`case when ${sizeSoFar} <= ${listByteLimit} then ${body} end`
}
