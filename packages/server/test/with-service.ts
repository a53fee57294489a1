import { type TestContext, test } from 'node:test'
import { addUsers } from './accounts.ts'
import type { Client, HmacKey } from './client.ts'
import { createTestDatabase, fileResources } from './databases.ts'
import { startService, type TestService } from './service.ts'

/** Registers a test of a service. All tests of a file share one, so each looks only at its own records. */
export function withService(
  name: string,
  fn: (service: TestService, context: TestContext) => Promise<void>,
): void {
  test(name, async (context) => fn((await shared()).service, context))
}

/**
 * Like `withService`, but each test has its own account: for things that an account may do only at a limited rate.
 */
export function withAccount(
  name: string,
  fn: (account: Client, service: TestService) => Promise<void>,
): void {
  const number = accountCount++
  test(name, async () => {
    const { service, keys } = await shared()
    await fn(service.as(keys[number]!), service)
  })
}

/** All tests are registered before the first of them runs. */
let accountCount = 0

let started: Promise<{ service: TestService; keys: HmacKey[] }> | undefined

function shared() {
  started ??= start()
  return started
}

async function start() {
  const database = fileResources.use(await createTestDatabase())
  const emails = Array.from({ length: accountCount }, (_, number) => `account-${number}@example.com`)
  const keys = emails.length === 0 ? [] : await addUsers(database, emails)
  return { service: fileResources.use(await startService({ database })), keys }
}
