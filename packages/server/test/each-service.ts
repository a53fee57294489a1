import { type TestContext, test } from 'node:test'
import type { Database } from '../src/db/database.ts'
import { addUsers } from './accounts.ts'
import type { Client, HmacKey } from './client.ts'
import { createTestDatabase, databaseLabels, fileResources } from './databases.ts'
import { startService, type TestService } from './service.ts'

/**
 * Registers a test on PostgreSQL. All tests of a file share one service for each database, so each test looks only
 * at its own records.
 */
export function eachService(
  name: string,
  fn: (service: TestService, context: TestContext) => Promise<void>,
): void {
  // Most tests of a service run on the embedded database, and `eachDatabase` compares the two. So this one needs the other.
  test(`${name} (${databaseLabels.postgres})`, async (context) => fn(await shared('postgres'), context))
}

/** Registers a test that needs only one database, on the embedded one. */
export function oneService(
  name: string,
  fn: (service: TestService, context: TestContext) => Promise<void>,
): void {
  test(name, async (context) => fn(await shared('pglite'), context))
}

/**
 * Like `eachService`, but each test has its own account: for things that an account may do only at a limited rate.
 */
export function eachAccount(name: string, fn: AccountTest): void {
  eachService(name, withAccount(fn))
}

/** Like `oneService`, with its own account. */
export function oneAccount(name: string, fn: AccountTest): void {
  oneService(name, withAccount(fn))
}

type AccountTest = (account: Client, service: TestService) => Promise<void>

function withAccount(fn: AccountTest): (service: TestService) => Promise<void> {
  const number = accountCount++
  return async (service) => {
    const key = accounts.get(service)![number]!
    await fn(service.as(key), service)
  }
}

/** All tests are registered before the first of them runs. */
let accountCount = 0
const accounts = new WeakMap<TestService, HmacKey[]>()

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
  const emails = Array.from({ length: accountCount }, (_, number) => `account-${number}@example.com`)
  const keys = emails.length === 0 ? [] : await addUsers(database, emails)
  const service = fileResources.use(await startService({ database }))
  accounts.set(service, keys)
  return service
}
