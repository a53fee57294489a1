import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { PgDialect, type PgSession } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { serviceVersion } from '../base/service-version.ts'
import { migrationsFolder } from './migrations-folder.ts'

type Client = pg.Client | pg.PoolClient

/** A migration, as a database and a backup name it. */
export type MigrationId = { name: string; hash: string }

/** A table after a migration. `identity` is the column whose values the database counts up. */
export type TableShape = {
  name: string
  columns: string[]
  identity: string | undefined
  /** The other tables that its foreign keys point to. */
  references: string[]
}

type Journal = { entries: { tag: string }[] }
type Snapshot = {
  tables: Record<
    string,
    {
      name: string
      columns: Record<string, { name: string; identity?: unknown }>
      foreignKeys: Record<string, { tableTo: string }>
    }
  >
}

const notePrefix = 'Tickwright '

/** An arbitrary number, the same on all nodes. If two nodes start at once, they migrate one after the other. */
const migrationLock = 8_401_337

/** Does some work while no other process migrates this database. Others wait. */
export async function whileNobodyMigrates<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('select pg_advisory_lock($1)', [migrationLock])
  try {
    return await work()
  } finally {
    // A lost connection has released the lock, and must not hide why the work failed.
    await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined)
  }
}

/**
 * Applies the migrations that the database lacks, all in one transaction. Only for use in `whileNobodyMigrates`.
 * @param count stops after this many, counted from the first migration of all
 */
export async function migrate(client: Client, count?: number): Promise<void> {
  const files = readMigrationFiles({ migrationsFolder }).slice(0, count)
  const session = drizzle(client)._.session as unknown as PgSession
  await new PgDialect().migrate(files, session, { migrationsFolder })
}

/**
 * Brings a database up to date, and notes in it which version has done so. Only for use in `whileNobodyMigrates`.
 * @throws {Error} if the database is of a newer version: it would work on tables that it does not know
 */
export async function bringUpToDate(client: Client): Promise<void> {
  const applied = await appliedMigrations(client)
  if (applied.length === knownMigrations().length && (await versionOf(client)) !== null) return
  await migrate(client)
  const note = pg.escapeLiteral(`${notePrefix}${serviceVersion}`)
  await client.query(`comment on table drizzle.__drizzle_migrations is ${note}`)
}

/** The version that has migrated a database is in a comment, so that every version can read it; `null`: it says none. */
async function versionOf(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ note: string | null }>(
    `select obj_description('drizzle.__drizzle_migrations'::regclass, 'pg_class') as note`,
  )
  const note = rows[0]?.note ?? ''
  return note.startsWith(notePrefix) ? note.slice(notePrefix.length) : null
}

/** All migrations that this version has, in order. */
export function knownMigrations(): MigrationId[] {
  const { entries } = readJson<Journal>('_journal.json')
  const files = readMigrationFiles({ migrationsFolder })
  return entries.map(({ tag }, index) => ({ name: tag, hash: files[index]!.hash }))
}

/**
 * The migrations that a database has had, in order. It has none if the service never used it.
 * @throws {Error} if this version does not have them all, with both versions
 */
export async function appliedMigrations(client: Client): Promise<MigrationId[]> {
  const { rows: tables } = await client.query(`select to_regclass('drizzle.__drizzle_migrations') as name`)
  if (tables[0].name === null) return []
  const { rows } = await client.query<{ hash: string }>(
    'select hash from drizzle.__drizzle_migrations order by created_at',
  )
  const known = knownMigrations()
  if (!rows.every(({ hash }, index) => hash === known[index]?.hash)) {
    throw new Error(wrongVersion(known.length, rows.length, await versionOf(client)))
  }
  return known.slice(0, rows.length)
}

function wrongVersion(known: number, applied: number, version: string | null): string {
  const its = `Tickwright ${version ?? `of another version`}`
  const ours = `this is Tickwright ${serviceVersion}`
  if (applied <= known) return `The database belongs to ${its}, and ${ours}. Use that version.`
  const whole = version === null ? 'a newer Tickwright' : its
  return `The database belongs to ${whole}, and ${ours}, which is older. Start the newer version, or restore a backup from before the update.`
}

/**
 * The tables after the first `count` migrations. A table follows all tables that its foreign keys point to, so that
 * their rows can be written in this order.
 */
export function tablesAfter(count: number): TableShape[] {
  if (count === 0) return []
  const snapshot = readJson<Snapshot>(`${String(count - 1).padStart(4, '0')}_snapshot.json`)
  const waiting = new Map(
    Object.values(snapshot.tables).map(({ name, columns, foreignKeys }) => [
      name,
      {
        name,
        columns: Object.values(columns).map((column) => column.name),
        identity: Object.values(columns).find((column) => column.identity !== undefined)?.name,
        references: Object.values(foreignKeys).flatMap(({ tableTo }) => (tableTo === name ? [] : [tableTo])),
      },
    ]),
  )
  const ordered: TableShape[] = []
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ references }) => !references.some((to) => waiting.has(to)))
    if (ready.length === 0) {
      throw new Error(`The foreign keys of these tables form a circle: ${[...waiting.keys()].join(', ')}.`)
    }
    for (const table of ready) waiting.delete(table.name)
    ordered.push(...ready)
  }
  return ordered
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(migrationsFolder, 'meta', name), 'utf8'))
}
