import type { Database } from '../packages/server/src/db/database.ts'
import { openDatabase } from '../packages/server/src/db/open.ts'

/** Where a measured server keeps its data, by its environment variables. */
export type Place = { DATABASE_URL?: string; DATA_DIR: string }

/** The server of a place. Disposing ends it, if it was started for this. */
export type DatabaseServer = AsyncDisposable & { url: string }

/** Opens the server of a place: the only line of the benchmarks that knows where it is. */
export async function openServer({ DATABASE_URL }: Place): Promise<DatabaseServer> {
  return { url: DATABASE_URL!, [Symbol.asyncDispose]: async () => {} }
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
