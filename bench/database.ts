import type { Database } from '../packages/server/src/db/database.ts'
import { startEmbeddedServer } from '../packages/server/src/db/embedded/server.ts'
import { openDatabase } from '../packages/server/src/db/open.ts'
import { createLogger } from '../packages/server/src/ops/logger.ts'

/** Where a measured server keeps its data, by its environment variables: embedded without `DATABASE_URL`. */
export type Place = { DATABASE_URL?: string; DATA_DIR: string }

/** The server of a place, which runs until it is disposed. `pid`: its process, if it was started for this. */
export type DatabaseServer = AsyncDisposable & { url: string; pid?: number }

/** Opens the server of a place that no service works on. An embedded one is a child of this process. */
export async function openServer({ DATABASE_URL, DATA_DIR }: Place): Promise<DatabaseServer> {
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, [Symbol.asyncDispose]: async () => {} }
  const server = await startEmbeddedServer({ dataDir: DATA_DIR, logger: createLogger('warn') })
  return { url: server.url, pid: server.pid, [Symbol.asyncDispose]: () => server.close() }
}

/** Works on the database of a place while no service has it open. */
export async function withDatabase<Result>(
  place: Place,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  await using server = await openServer(place)
  const database = await openDatabase(server.url, (error) => {
    throw error
  })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
