import pg from 'pg'
import { type Postgres, startPostgres, usePostgres } from '../packages/server/test/postgres.ts'

/** A database for measured servers. */
export type Backend = AsyncDisposable & {
  label: 'PGlite' | 'PostgreSQL'
  /** Processes that do its work; none if it runs in the server's process, or is not visible from here. */
  pids: readonly number[]
  /** The settings of a server that gets a new, empty database. */
  emptyDatabase(): Promise<{ DATABASE_URL?: string }>
}

/** The embedded database: in the data folder of each server, and in its process. */
export const pglite: Backend = {
  label: 'PGlite',
  pids: [],
  emptyDatabase: async () => ({}),
  [Symbol.asyncDispose]: async () => {},
}

/**
 * PostgreSQL: the server at `DATABASE_URL`, which gets temporary databases, or else a new server with fsync on.
 * `undefined` if there is neither.
 */
export async function openPostgresBackend(databaseUrl: string | undefined): Promise<Backend | undefined> {
  const given = databaseUrl !== undefined
  const server = given ? usePostgres(databaseUrl) : await startPostgres().catch(() => undefined)
  if (server === undefined) return undefined
  const made: string[] = []
  return {
    label: 'PostgreSQL',
    pids: given ? [] : [await postmasterPid(server)],
    emptyDatabase: async () => {
      const url = await server.createDatabase()
      made.push(url)
      return { DATABASE_URL: url }
    },
    [Symbol.asyncDispose]: async () => {
      for (const url of made) await server.dropDatabase(url)
      await server.stop()
    },
  }
}

/** The parent of all processes of the server: the first line of its lock file. */
async function postmasterPid({ url }: Postgres): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text")
    return Number.parseInt(rows[0]!.text, 10)
  } finally {
    await client.end()
  }
}
