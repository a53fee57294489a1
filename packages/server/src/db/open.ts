import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import type { Database, PreparedStatement, TextRow } from './database.ts'
import { keepAlive } from './keep-alive.ts'
import { Listener } from './listener.ts'
import { bringUpToDate, whileNobodyMigrates } from './migrations.ts'
import { connectionOf, PoolSession } from './pool-session.ts'
import { preparedReads } from './reads.ts'

/** More would not make a node of a few processors faster. */
const usualConnections = 10
/**
 * Connections that stay open while the service is idle. Opening one, and planning its statements, takes longer than a
 * run on a busy machine: the first payloads after a pause would wait for it.
 */
const idleConnections = 3
/**
 * What a page costs that is not the next one. PostgreSQL's default, 4, is for turning disks. There, it would rather read
 * whole tables of a few hundred rows than an index, for each payload and each run. Each new connection says so in a
 * statement: a pooler such as PgBouncer refuses the same as a startup option.
 */
const planning = 'set random_page_cost = 1.1'
/** How long connections may take to close. */
const endMs = 1_000

/**
 * Connects to a PostgreSQL server, and brings its schema up to date.
 * @param onError called for lost connections; the pool and the listener reconnect on their own
 * @param connections the most that are open at the same time, besides the one that listens
 */
export async function openDatabase(
  url: string,
  onError: (error: Error) => void,
  connections = usualConnections,
): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    min: idleConnections,
    ...keepAlive,
    application_name: 'tickwright',
    verify: (client, done) => client.query(planning).then(() => done(), done),
  })
  let closing = false
  pool.on('error', (error) => {
    if (!closing) onError(error)
  })
  // The pool itself listens only while a connection is idle. A loss between two statements of a transaction would end
  // the process. The next statement fails instead, and says why.
  pool.on('connect', (client) => client.on('error', () => {}))
  const dialect = new PgDialect({ casing: 'snake_case' })
  const db = new NodePgDatabase(dialect, new PoolSession(pool, dialect), undefined)
  try {
    await migrateAlone(pool)
  } catch (error) {
    await pool.end()
    const { host, pathname } = new URL(url)
    const why = error instanceof Error && error.message !== '' ? error.message : String(error)
    throw new Error(`The database ${decodeURIComponent(host)}${pathname} cannot be used: ${why}`, {
      cause: error,
    })
  }
  const listener = new Listener(url, onError)
  return {
    db,
    prepare: (name, text) => prepareOn(pool, name, text),
    ...preparedReads(db),
    listen: (channel, onMessage, onGap) => listener.listen(channel, { onMessage, onGap }),
    notify: async (channel, payload) => {
      await db.execute(sql`select pg_notify(${channel}, ${payload})`)
    },
    close: async () => {
      closing = true
      await listener.close()
      await endPool(pool)
    },
  }
}

/** `end` alone resolves while connections are still closing, and until then nobody can drop the database. */
async function endPool(pool: pg.Pool): Promise<void> {
  let open = pool.totalCount
  const ended = new Promise<void>((resolve) => {
    if (open === 0) resolve()
    pool.on('remove', () => {
      open -= 1
      if (open === 0) resolve()
    })
  })
  await pool.end()
  await Promise.race([ended, sleep(endMs, undefined, { ref: false })])
}

async function migrateAlone(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await whileNobodyMigrates(client, () => bringUpToDate(client))
  } finally {
    client.release()
  }
}

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

function prepareOn(pool: pg.Pool, name: string, text: string): PreparedStatement {
  return async (values, tx, timeoutMs) => {
    const on = tx === undefined ? pool : connectionOf(tx)
    // After this time, the pool closes the connection.
    const limit = { query_timeout: timeoutMs }
    const { rows } = await on.query<TextRow>({
      name,
      text,
      values,
      rowMode: 'array',
      types: asText,
      ...limit,
    })
    return rows
  }
}
