import pg from 'pg'
import { usePostgres } from '../packages/server/test/postgres.ts'
import { parentInProgram } from './processes.ts'

/** Where measured servers keep their data. */
export type Backend = AsyncDisposable & {
  /** Its name in the report. */
  name: string
  /** Processes that do its work, unless they are children of the measured server, or not visible from here. */
  pids: readonly number[]
  /** The settings of a server that gets a new, empty database. */
  emptyDatabase(): Promise<{ DATABASE_URL?: string }>
}

/** Each measured server has a database server of its own, as its child process, with its files in its data folder. */
const embedded: Backend = {
  name: 'embedded',
  pids: [],
  emptyDatabase: async () => ({}),
  [Symbol.asyncDispose]: async () => {},
}

/** The embedded database, or the server at `databaseUrl`, on which each measured server gets a temporary database. */
export async function openBackend(databaseUrl: string | undefined): Promise<Backend> {
  if (databaseUrl === undefined) return embedded
  const server = usePostgres(databaseUrl)
  const created: string[] = []
  return {
    name: 'at DATABASE_URL',
    pids: await pidsOf(databaseUrl),
    emptyDatabase: async () => {
      const url = await server.createDatabase()
      created.push(url)
      return { DATABASE_URL: url }
    },
    [Symbol.asyncDispose]: async () => {
      for (const url of created) await server.dropDatabase(url)
    },
  }
}

/** The parent of all processes of the server, if it runs on this machine. */
async function pidsOf(url: string): Promise<number[]> {
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
