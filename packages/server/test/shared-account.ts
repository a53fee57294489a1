import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Client } from './client.ts'
import { type OfferedService, offeredService } from './offered-service.ts'
import { expect } from './reaction.ts'

/** A client that signs as one user of a service. */
export type Account = Client & { url: string }

/**
 * Registers a test with an account of its own on the service that files of a test run share. A file then needs neither
 * the code of a service nor its start, which cost more than most tests. It is for tests that look only at records of
 * their own users, read no database, and change nothing for others. All other tests start a service of their own.
 * @param fn also receives a stranger, who is the same for all tests of a file, and the administrator
 */
export function withSharedAccount(
  name: string,
  fn: (account: Account, stranger: Account, administrator: Account) => Promise<void>,
): void {
  test(name, async () => {
    offered ??= offeredService()
    const service = await offered
    stranger ??= signUp(service)
    await fn(await signUp(service), await stranger, service)
  })
}

let offered: Promise<OfferedService> | undefined
let stranger: Promise<Account> | undefined

/** Creates a user by an invitation, as people do, with an API key. */
async function signUp(service: OfferedService): Promise<Account> {
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const { link } = await expect(201, service.api('POST', '/api/v2/user/invitation', { email }))
  const body = { invitation: new URL(link).hash.slice(1), password: 'correct horse battery' }
  const made = await service.send('POST', '/api/v2/user', { body })
  await expect(201, Promise.resolve(made))
  const cookie = made.headers.get('set-cookie')!.split(';')[0]!
  const headers = { cookie, origin: service.url }
  const settings = { name: 'tests', algorithm: 'HMAC' }
  const key = await expect(201, service.send('POST', '/api/v2/api/key', { body: settings, headers }))
  return { ...service.as({ key: key.api_key, secret: key.api_secret }), url: service.url }
}
