import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type * as schema from './schema.ts'

/** One type for PGlite and PostgreSQL alike; a transaction is one too. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>

/** What a hot statement takes and gives: text, as PostgreSQL writes it. A row is an array in column order. */
export type TextRow = (string | null)[]

/**
 * A statement that the server has parsed and planned once. Planning is most of the cost of a small statement
 * on PGlite (0.48 ms against 0.14 ms), so what runs for every payload or run goes through one of these.
 */
export type PreparedStatement = (values: (string | number | null)[]) => Promise<TextRow[]>

export type Database = {
  kind: 'pglite' | 'postgres'
  db: Db
  /** A single statement, and so a transaction of its own. The name is unique within the process. */
  prepare(name: string, sql: string): PreparedStatement
  /**
   * Hears what any node on this database says on a channel. Resolves once it listens.
   * @param onGap told when it listens again after a while in which it may have missed something
   */
  listen(channel: string, onMessage: (payload: string) => void, onGap?: () => void): Promise<void>
  /** Tells every node on this database, this one included. */
  notify(channel: string, payload: string): Promise<void>
  close(): Promise<void>
}
