import { cp, mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import type { Database } from '../src/db/database.ts'
import { openDatabase } from '../src/db/open.ts'
import { pgliteTemplate } from './pglite-template.ts'
import { type PostgresTemplate, postgresTemplate, throwError } from './postgres-template.ts'

/** An empty, up-to-date database and a data folder. Disposing deletes both. */
export type TestDatabase = AsyncDisposable & {
  kind: Database['kind']
  /** `DATA_DIR` for a service on it. */
  dataDir: string
  /** `DATABASE_URL` for a service on it; `null` for PGlite. */
  databaseUrl: string | null
  /** Opens it until it is disposed. While a service has a PGlite open, nothing else can open it. */
  open(): Promise<Database>
}

export const databaseLabels = { pglite: 'PGlite', postgres: 'PostgreSQL' } as const

/** Registers a test for each kind of database, with a fresh one of that kind. */
export function eachDatabase(
  name: string,
  fn: (database: TestDatabase, context: TestContext) => Promise<void>,
): void {
  for (const kind of ['pglite', 'postgres'] as const) {
    test(`${name} (${databaseLabels[kind]})`, async (context) => {
      await using database = await createTestDatabase(kind)
      await fn(database, context)
    })
  }
}

/** Like `eachDatabase`, only on the embedded one: for tests that need only one database. */
export function oneDatabase(name: string, fn: (database: TestDatabase) => Promise<void>): void {
  test(name, async () => {
    await using database = await createTestDatabase('pglite')
    await fn(database)
  })
}

export async function createTestDatabase(kind: Database['kind']): Promise<TestDatabase> {
  await using acquired = new AsyncDisposableStack()
  const { path: dataDir } = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-test-')))
  const databaseUrl = kind === 'postgres' ? await copyPostgres(acquired) : null
  if (databaseUrl === null) await cp(await pgliteTemplate(), join(dataDir, 'pglite'), { recursive: true })
  const kept = acquired.move()
  return {
    kind,
    dataDir,
    databaseUrl,
    open: () => openDatabase({ dataDir, databaseUrl }, kept, throwError),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function copyPostgres(acquired: AsyncDisposableStack): Promise<string> {
  postgres ??= postgresTemplate().then((template) => fileResources.use(template))
  const { server, template } = await postgres
  const url = await server.createDatabase(template)
  acquired.defer(() => server.dropDatabase(url))
  return url
}

/** One for all tests of this process, created when the first test needs it. */
let postgres: Promise<PostgresTemplate> | undefined

/** Resources that all tests of a file share. They are released in reverse order after the tests. */
export const fileResources = new AsyncDisposableStack()

after(() => fileResources.disposeAsync())
