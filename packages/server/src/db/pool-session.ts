import { sql, type TablesRelationalConfig } from 'drizzle-orm'
import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres'
import type { PgDialect, PgTransactionConfig } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import type { Db } from './database.ts'

type NoSchema = Record<string, never>
type Transaction = NodePgTransaction<NoSchema, TablesRelationalConfig>

/** The connection of each transaction that is in progress. */
const connections = new WeakMap<object, pg.PoolClient>()

/** The connection on which a transaction is in progress, for statements that Drizzle does not build. */
export function connectionOf(tx: Db): pg.PoolClient {
  const client = connections.get(tx)
  if (client === undefined) throw new Error('This is not a transaction that is in progress.')
  return client
}

/**
 * Executes queries and transactions on the connections of a pool. Drizzle's own session loses a connection of the pool
 * for ever when BEGIN fails on it, gives one back that broke within a transaction, and hides why the transaction failed
 * behind the failure of ROLLBACK (issues 6023 and 6114 of drizzle-orm, in 0.45.4 too). After ten such moments, which a
 * restart of PostgreSQL under load can bring at once, every transaction would wait without end.
 */
export class PoolSession extends NodePgSession<NoSchema, TablesRelationalConfig> {
  #pool: pg.Pool
  #dialect: PgDialect

  constructor(pool: pg.Pool, dialect: PgDialect) {
    super(pool, dialect, undefined)
    this.#pool = pool
    this.#dialect = dialect
  }

  override async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    config?: PgTransactionConfig,
  ): Promise<T> {
    const client = await this.#pool.connect()
    const session = new NodePgSession<NoSchema, TablesRelationalConfig>(client, this.#dialect, undefined)
    const transaction = new NodePgTransaction<NoSchema, TablesRelationalConfig>(
      this.#dialect,
      session,
      undefined,
    )
    connections.set(transaction, client)
    /** The pool closes the connection, if it is given a reason. */
    let broken: Error | undefined
    try {
      await transaction.execute(sql`begin`)
      if (config !== undefined) await transaction.setTransaction(config)
      const result = await work(transaction)
      await transaction.execute(sql`commit`)
      return result
    } catch (error) {
      await transaction.execute(sql`rollback`).catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      connections.delete(transaction)
      client.release(broken)
    }
  }
}
