import { sql } from 'drizzle-orm'
import { DatabaseAway } from '../base/failures.ts'
import type { Db } from './database.ts'
import { type Patience, untilReachable } from './until-reachable.ts'

/**
 * Commits a transaction once, although the database may go away meanwhile. If the answer to a commit is lost, PostgreSQL
 * says whether it has taken place.
 * @param work is called again for each attempt, and has no effect outside the transaction
 * @returns what `work` returned in the transaction that was committed
 * @throws what `work` does; or, if the database is away for too long, its error: then the transaction may be committed
 */
export async function commitOnce<T>(db: Db, work: (tx: Db) => Promise<T>, patience: Patience): Promise<T> {
  let last: { transactionId: string; result: T } | undefined
  return untilReachable(async () => {
    if (last !== undefined && (await isCommitted(db, last.transactionId))) return last.result
    last = undefined
    return db.transaction(async (tx) => {
      const result = await work(tx)
      const transactionId = await idOf(tx)
      if (transactionId !== null) last = { transactionId, result }
      return result
    })
  }, patience)
}

/** `null`: it has written nothing so far. */
async function idOf(tx: Db): Promise<string | null> {
  return (await first<{ id: string | null }>(tx, sql`select pg_current_xact_id_if_assigned()::text as id`)).id
}

/** @throws {DatabaseAway} while the connection that was lost is still at work */
async function isCommitted(db: Db, transactionId: string): Promise<boolean> {
  const asked = sql`select pg_xact_status(${transactionId}::text::xid8) as status`
  const { status } = await first<{ status: string | null }>(db, asked)
  if (status === 'in progress') throw new DatabaseAway('The database has not ended a lost transaction yet.')
  return status === 'committed'
}

async function first<Row>(db: Db, statement: ReturnType<typeof sql>): Promise<Row> {
  return ((await db.execute(statement)) as unknown as { rows: Row[] }).rows[0]!
}
