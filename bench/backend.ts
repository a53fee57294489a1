import pg from 'pg'
import { startPostgres, usePostgres } from '../packages/server/test/postgres.ts'
import { parentInProgram } from './processes.ts'

/** Where measured servers keep their data. */
export type Backend = AsyncDisposable & {
  /** Processes that do its work, unless they are children of the measured server or not visible from here. */
  pids: readonly number[]
  /** The settings of a server that gets a new, empty database. */
  emptyDatabase(): Promise<{ DATABASE_URL?: string }>
}

/** The PostgreSQL server at `DATABASE_URL`, which gets temporary databases, or else a new server with fsync on. */
export async function openBackend(databaseUrl: string | undefined): Promise<Backend> {
  const server = databaseUrl === undefined ? await startPostgres() : usePostgres(databaseUrl)
  const created: string[] = []
  return {
    pids: await serverPids(server.url),
    emptyDatabase: async () => {
      const url = await server.createDatabase()
      created.push(url)
      return { DATABASE_URL: url }
    },
    [Symbol.asyncDispose]: async () => {
      for (const url of created) await server.dropDatabase(url)
      await server.stop()
    },
  }
}

/** The parent of all processes of the server, if it runs on this machine. */
async function serverPids(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const parent = parentInProgram(rows[0]!.pid, 'postgres')
    return parent === undefined ? [] : [parent]
  } finally {
    await client.end()
  }
}
