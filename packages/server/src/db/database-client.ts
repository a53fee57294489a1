import type { Readable, Writable } from 'node:stream'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { keepAlive } from './keep-alive.ts'
import {
  appliedMigrations,
  type MigrationId,
  migrate,
  type TableShape,
  whileNobodyMigrates,
} from './migrations.ts'

/**
 * How values look in COPY, on any server. It has no limits of time either: one statement may copy gigabytes, and a
 * server may have limits for ordinary work.
 */
const settings = {
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  statement_timeout: '0',
  lock_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
}

/** One connection to a database, for work that is a single long transaction. Nothing migrates the database by itself. */
export class DatabaseClient implements AsyncDisposable {
  #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  /**
   * @param signal ends the connection at once, also within a statement
   * @throws {Error} in one sentence, if the server cannot be reached
   */
  static async open(url: string, signal?: AbortSignal): Promise<DatabaseClient> {
    const client = new pg.Client({ connectionString: url, ...keepAlive, application_name: 'tickwright' })
    // The statement under way fails too, and says why.
    client.on('error', () => {})
    const cut = () => {
      client.connection.stream.destroy()
    }
    signal?.throwIfAborted()
    signal?.addEventListener('abort', cut)
    client.once('end', () => signal?.removeEventListener('abort', cut))
    try {
      await client.connect()
      // A server of another version may lack some of them.
      await client.query(
        `select set_config(s.name, wanted.value, false)
         from json_each_text($1) wanted (name, value) join pg_settings s on lower(s.name) = wanted.name`,
        [JSON.stringify(settings)],
      )
    } catch (error) {
      await client.end().catch(() => undefined)
      throw new Error(`The database cannot be used: ${reasonOf(error)}`, { cause: error })
    }
    return new DatabaseClient(client)
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> {
    return (await this.#client.query<Row>(text, values)).rows
  }

  /** Does some work in a transaction. A failure rolls it back. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.#client.query('begin')
    try {
      const result = await work()
      await this.#client.query('commit')
      return result
    } catch (error) {
      // A lost connection has rolled it back, and must not hide why the work failed.
      await this.#client.query('rollback').catch(() => undefined)
      throw error
    }
  }

  /** The rows of a table, as COPY writes them: a line of text for each. */
  copyOut(table: TableShape): Readable & { rowCount: number } {
    return this.#client.query(copyTo(`copy ${tableAndColumns(table)} to stdout`))
  }

  /** Adds the rows that COPY wrote. The same transaction must have truncated the table. */
  copyIn(table: TableShape): Writable & { rowCount: number } {
    // Nobody else can see the table, so its rows need no vacuum later.
    return this.#client.query(copyFrom(`copy ${tableAndColumns(table)} from stdin (freeze)`))
  }

  /** See `whileNobodyMigrates` in `migrations.ts`. */
  whileNobodyMigrates<T>(work: () => Promise<T>): Promise<T> {
    return whileNobodyMigrates(this.#client, work)
  }

  /** See `migrate` in `migrations.ts`. */
  migrate(count?: number): Promise<void> {
    return migrate(this.#client, count)
  }

  appliedMigrations(): Promise<MigrationId[]> {
    return appliedMigrations(this.#client)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

export const quoted = (name: string) => pg.escapeIdentifier(name)

function tableAndColumns({ name, columns }: TableShape): string {
  return `${quoted(name)} (${columns.map(quoted).join(', ')})`
}

/** The error of several failed addresses has no message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message !== '' ? message : (code ?? String(error))
}
