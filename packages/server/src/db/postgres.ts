import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Database, PreparedStatement, TextRow } from './database.ts'
import { migrationsFolder } from './migrations-folder.ts'
import * as schema from './schema.ts'

const poolSize = 10
const reconnectAfterMs = 500
/** How long connections may take to close. */
const endMs = 1_000

/** An arbitrary number, the same on all nodes. If two nodes start at once, they migrate one after the other. */
const migrationLock = 8_401_337

/**
 * Connects to a PostgreSQL server, and brings its schema up to date.
 * @param onError called for lost connections; the pool and the listener reconnect on their own
 */
export async function openPostgres(url: string, onError: (error: Error) => void): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, application_name: 'tickwright' })
  let closing = false
  pool.on('error', (error) => {
    if (!closing) onError(error)
  })
  const db = drizzle(pool, { schema, casing: 'snake_case' })
  try {
    await migrateAlone(pool)
  } catch (error) {
    await pool.end()
    const { host, pathname } = new URL(url)
    const why = error instanceof Error && error.message !== '' ? error.message : String(error)
    throw new Error(`The database of DATABASE_URL (${host}${pathname}) cannot be used: ${why}`, {
      cause: error,
    })
  }
  const listener = new Listener(url, onError)
  return {
    kind: 'postgres',
    db,
    prepare: (name, text) => prepareOn(pool, name, text),
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
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    try {
      await migrate(drizzle(client, { casing: 'snake_case' }), { migrationsFolder })
    } finally {
      await client.query('select pg_advisory_unlock($1)', [migrationLock])
    }
  } finally {
    client.release()
  }
}

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

function prepareOn(pool: pg.Pool, name: string, text: string): PreparedStatement {
  return async (values) => {
    const { rows } = await pool.query<TextRow>({ name, text, values, rowMode: 'array', types: asText })
    return rows
  }
}

type Handler = { onMessage(payload: string): void; onGap: (() => void) | undefined }

/**
 * A separate connection that listens for NOTIFY. If it is lost, the listener opens another one. It misses what is sent
 * in between, so nothing may depend on a notification alone.
 */
class Listener {
  #url: string
  #onError: (error: Error) => void
  #handlers = new Map<string, Handler[]>()
  #client: Promise<pg.Client> | undefined
  #closed = false

  constructor(url: string, onError: (error: Error) => void) {
    this.#url = url
    this.#onError = onError
  }

  async listen(channel: string, handler: Handler): Promise<void> {
    const known = this.#handlers.get(channel)
    this.#handlers.set(channel, [...(known ?? []), handler])
    this.#client ??= this.#connect()
    const client = await this.#client
    if (known === undefined) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
  }

  async close(): Promise<void> {
    this.#closed = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      application_name: 'tickwright-listener',
    })
    client.on('notification', ({ channel, payload }) => {
      for (const { onMessage } of this.#handlers.get(channel) ?? []) onMessage(payload ?? '')
    })
    client.on('error', this.#onError)
    await client.connect()
    client.on('end', () => {
      if (this.#closed) return
      this.#client = this.#reconnect()
      // Only a later listen or close waits for it, and they see the failure too.
      this.#client.catch(() => undefined)
    })
    return client
  }

  async #reconnect(): Promise<pg.Client> {
    for (;;) {
      await sleep(reconnectAfterMs, undefined, { ref: false })
      if (this.#closed) throw new Error('The listener is closed.')
      try {
        const client = await this.#connect()
        for (const channel of this.#handlers.keys()) {
          await client.query(`listen ${pg.escapeIdentifier(channel)}`)
        }
        for (const { onGap } of [...this.#handlers.values()].flat()) onGap?.()
        return client
      } catch (error) {
        this.#onError(error as Error)
      }
    }
  }
}
