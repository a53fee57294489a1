import { test } from 'node:test'
import { addUsers } from './accounts.ts'
import type { ApiAnswer, Client } from './client.ts'
import { createTestDatabase, fileResources, type TestDatabase } from './databases.ts'
import { expect } from './reaction.ts'
import { startService, type TestService } from './service.ts'

/** A user of a service, with a client that signs as the user. */
export type TestUser = Client & { id: number; email: string }

/** Three users of one service, none of whom is its administrator. */
export type Group = {
  service: TestService
  database: TestDatabase
  owner: TestUser
  guest: TestUser
  third: TestUser
}

/** Registers a test. All tests of a file share one service and its users, so each looks only at its own records. */
export function withGroup(name: string, fn: (group: Group) => Promise<void>): void {
  test(name, async () => {
    started ??= start()
    await fn(await started)
  })
}

let started: Promise<Group> | undefined

async function start(): Promise<Group> {
  const database = fileResources.use(await createTestDatabase())
  const users = await addGroup(database)
  // A limit that a test can reach, however slow the machine is.
  const env = { WEBHOOK_RATE: '1', WEBHOOK_BURST: '40' }
  const service = fileResources.use(await startService({ database, env }))
  return { service, database, ...users(service) }
}

/** Creates the users, in a database that no service has open. @returns a function that makes their clients of a service */
export async function addGroup(database: TestDatabase) {
  const emails = ['owner@example.com', 'guest@example.com', 'third@example.com']
  const keys = await addUsers(database, emails)
  // In a new database, the administrator has the first id.
  const user = (service: Client, index: number): TestUser => ({
    ...service.as(keys[index]!),
    id: index + 2,
    email: emails[index]!,
  })
  return (service: Client) => ({
    owner: user(service, 0),
    guest: user(service, 1),
    third: user(service, 2),
  })
}

/** A shared webhook, as its recipient sees it. */
export type SharedWithMe = {
  resource: ApiAnswer['body']
  /** Where this user's senders post. */
  path: string
  post(payload: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
}

/** Shares a webhook. @param path of webhooks of its kind in the API */
export async function share(
  path: string,
  id: number,
  { from, to }: { from: TestUser; to: TestUser },
): Promise<SharedWithMe> {
  await expect(201, from.api('POST', `${path}/share/${id}`, { userId: to.id }))
  const all = await expect(200, to.api('GET', `${path}/shared/by/${from.id}`))
  const resource = all.find((each: { id: number }) => each.id === id)
  const { pathname } = new URL(resource.url)
  return {
    resource,
    path: pathname,
    post: (payload, headers) => to.send('POST', pathname, { body: payload, ...(headers && { headers }) }),
  }
}

/** Revokes the share. */
export function revoke(path: string, id: number, { from, to }: { from: TestUser; to: TestUser }) {
  return expect(200, from.api('DELETE', `${path}/share/${id}?userId=${to.id}`))
}
