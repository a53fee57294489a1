import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { PreparedReads } from './reads.ts'

/** The same type for the database and its transactions. */
export type Db = PgDatabase<PgQueryResultHKT>

/** A row of a prepared statement: texts as PostgreSQL writes them, in the order of the columns. */
export type TextRow = (string | null)[]

/**
 * A statement that each connection parses once and plans a few times. Planning costs more than executing a small
 * statement, so every statement that runs for each payload or run is prepared.
 */
export type PreparedStatement = (
  values: (string | number | null)[],
  /** The transaction that it belongs to. Default: it is its own. */
  tx?: Db,
  /**
   * After this time without an answer, in milliseconds, it rejects (see `isUnanswered` in `base/failures.ts`), and its
   * connection is closed. The server may still execute it. Default: it waits as long as its connection lasts.
   */
  timeoutMs?: number,
) => Promise<TextRow[]>

export type Database = PreparedReads & {
  db: Db
  /** Prepares a single statement. The name must be unique within the process. */
  prepare(name: string, sql: string): PreparedStatement
  /**
   * Listens for the notifications of all nodes on a channel. Resolves once it listens.
   * @param onGap called when it listens again after a gap, in which it may have missed notifications
   */
  listen(channel: string, onMessage: (payload: string) => void, onGap?: () => void): Promise<void>
  /** Notifies every node on this database, including this one. */
  notify(channel: string, payload: string): Promise<void>
  close(): Promise<void>
}
