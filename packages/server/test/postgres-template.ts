import { openDatabase } from '../src/db/open.ts'
import { throwError } from './cluster-template.ts'
import { type Postgres, startPostgres, usePostgres } from './postgres.ts'

/** A server, and the URL of an up-to-date database on it without connections. */
export type PostgresTemplate = AsyncDisposable & { server: Postgres; template: string }

/**
 * Uses the template that `global-setup.ts` made for this test run, or the one of a new server, as for a single file.
 * The server is the one at `TEST_DATABASE_URL`, or else a new one.
 */
export async function postgresTemplate(): Promise<PostgresTemplate> {
  await using acquired = new AsyncDisposableStack()
  const given = process.env.TEST_DATABASE_URL
  const server = acquired.use(
    given === undefined ? await startPostgres({ fsync: false }) : usePostgres(given),
  )
  let template = process.env.TEST_DATABASE_TEMPLATE ?? server.template
  if (template === undefined) {
    const made = await server.createDatabase()
    acquired.defer(() => server.dropDatabase(made))
    await migrate(made)
    template = made
  }
  const kept = acquired.move()
  return { server, template, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function migrate(url: string): Promise<void> {
  const database = await openDatabase(url, throwError)
  await database.close()
}
