import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { knownMigrations, tablesAfter } from '../src/db/migrations.ts'
import { fileResources } from './databases.ts'
import { type PostgresTemplate, postgresTemplate } from './postgres-template.ts'
import { until } from './until.ts'

export const never = new AbortController().signal

/** A connection to a database. */
export type Connection = AsyncDisposable & {
  rows(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

/** A database and a connection to it. Disposing ends the connection and drops the database. */
export type ConnectedDatabase = Connection & { url: string }

/** @param contents `tables`: an up-to-date database without rows; `nothing`: one without tables */
export async function createDatabase(contents: 'tables' | 'nothing'): Promise<ConnectedDatabase> {
  shared ??= postgresTemplate().then((template) => fileResources.use(template))
  const { server, template } = await shared
  await using acquired = new AsyncDisposableStack()
  const url = await server.createDatabase(contents === 'tables' ? template : undefined)
  acquired.defer(() => server.dropDatabase(url))
  const { rows } = acquired.use(await connect(url))
  const kept = acquired.move()
  return { url, rows, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

export async function connect(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return {
    rows: async (text, values) => (await client.query(text, values)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

let shared: Promise<PostgresTemplate> | undefined

/** A private folder for the backups of a test. */
export async function backupFolder(): Promise<AsyncDisposable & { file(name?: string): string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  return {
    file: (name = 'tickwright.backup') => join(folder.path, name),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** All rows of each table as text, in any order. Two databases have the same rows if these are equal. */
export async function allRows({ rows }: Connection): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const { name } of tablesAfter(knownMigrations().length)) {
    // A restore forgets the processes that worked on the database.
    if (name === 'nodes') continue
    found[name] = (await rows(`select t::text as row from "${name}" t order by 1`)).map(({ row }) => row)
  }
  return found
}

/** Waits until another connection waits for a lock in this database, and returns the number of its process. */
export async function untilWaiting({ rows }: Connection): Promise<unknown> {
  let waiting: Record<string, unknown>[] = []
  await until('a statement to wait for a lock', async () => {
    waiting = await rows(
      `select pid from pg_locks l join pg_database d on d.oid = l.database and datname = current_database() where not granted`,
    )
    return waiting.length > 0
  })
  return waiting[0]!.pid
}
