import { type TestContext, test } from 'node:test'
import type { Database } from '../src/db/database.ts'
import { createTestDatabase, databaseLabels, fileResources } from './databases.ts'
import { startService, type TestService } from './service.ts'

/**
 * Registers a test for each database that the service works on. All tests of a file share one service a
 * database, so they look at what they made themselves only.
 */
export function eachService(
  name: string,
  fn: (service: TestService, context: TestContext) => Promise<void>,
): void {
  for (const kind of ['pglite', 'postgres'] as const) {
    test(`${name} (${databaseLabels[kind]})`, async (context) => fn(await shared(kind), context))
  }
}

/** Registers a test of what no database has a part in, on the embedded one alone. */
export function oneService(
  name: string,
  fn: (service: TestService, context: TestContext) => Promise<void>,
): void {
  test(name, async (context) => fn(await shared('pglite'), context))
}

const services = new Map<Database['kind'], Promise<TestService>>()

function shared(kind: Database['kind']): Promise<TestService> {
  let service = services.get(kind)
  if (service === undefined) {
    service = start(kind)
    services.set(kind, service)
  }
  return service
}

async function start(kind: Database['kind']): Promise<TestService> {
  const database = fileResources.use(await createTestDatabase(kind))
  return fileResources.use(await startService({ database }))
}
