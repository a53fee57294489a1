import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from '../src/db/database.ts'
import { clusterFolder } from '../src/db/embedded/cluster.ts'
import { serverForCommand } from '../src/db/embedded/for-command.ts'
import { endFormerServer } from '../src/db/embedded/former.ts'
import { openDatabase } from '../src/db/open.ts'
import { copyCluster, throwError } from './cluster-template.ts'
import { fileResources } from './file-resources.ts'
import { type PostgresTemplate, postgresTemplate } from './postgres-template.ts'

export { fileResources } from './file-resources.ts'

/** An up-to-date database without records, and a data folder. Disposing deletes both. */
export type TestDatabase = AsyncDisposable & {
  /** `DATA_DIR` for a service on it. */
  dataDir: string
  /** `DATABASE_URL` for a service on it; `null` if the service starts the server of its data folder. */
  databaseUrl: string | null
  /** Opens it until `until` is disposed. Default: until the database itself is. */
  open(until?: AsyncDisposableStack): Promise<Database>
}

/** Registers a test with a database of its own. */
export function withDatabase(
  name: string,
  fn: (database: ServedDatabase, context: TestContext) => Promise<void>,
): void {
  test(name, async (context) => {
    await using database = await createTestDatabase()
    await fn(database, context)
  })
}

/** One on a server that is already running, which several services and tests can use at once. */
export type ServedDatabase = TestDatabase & { databaseUrl: string }

/** Creates a database on the server that all tests share. */
export async function createTestDatabase(): Promise<ServedDatabase> {
  await using acquired = new AsyncDisposableStack()
  const dataDir = await createDataFolder(acquired)
  const databaseUrl = await copyTemplate(acquired)
  const kept = acquired.move()
  return {
    dataDir,
    databaseUrl,
    open: async (until = kept) => {
      const database = await openDatabase(databaseUrl, throwError)
      until.defer(() => database.close())
      return database
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/**
 * Creates a data folder with a database, without `DATABASE_URL`: a service on it starts the server itself. For tests of what only such a
 * service does.
 */
export async function createEmbeddedDatabase(): Promise<TestDatabase> {
  await using acquired = new AsyncDisposableStack()
  const dataDir = await createDataFolder(acquired)
  await copyCluster(dataDir)
  // The server of a service that the test has killed still writes for a moment.
  acquired.defer(() => endFormerServer(clusterFolder(dataDir)))
  const kept = acquired.move()
  return {
    dataDir,
    databaseUrl: null,
    open: async (until = kept) => {
      const database = await openDatabase(await serverForCommand(dataDir, until), throwError)
      until.defer(() => database.close())
      return database
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function createDataFolder(acquired: AsyncDisposableStack): Promise<string> {
  return acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))).path
}

async function copyTemplate(acquired: AsyncDisposableStack): Promise<string> {
  postgres ??= postgresTemplate().then((template) => fileResources.use(template))
  const { server, template } = await postgres
  const url = await server.createDatabase(template)
  acquired.defer(() => server.dropDatabase(url))
  return url
}

/** One for all tests of this process, created when the first test needs it. */
let postgres: Promise<PostgresTemplate> | undefined
