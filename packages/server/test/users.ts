import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { AuditLog } from '../src/accounts/audit-log.ts'
import { openAccounts } from '../src/accounts/open.ts'
import { Passwords } from '../src/accounts/passwords.ts'
import type { SignUpMode } from '../src/accounts/sign-up.ts'
import { AppError } from '../src/base/errors.ts'
import { demandBotsAreFree } from '../src/bots/holdings.ts'
import type { Database } from '../src/db/database.ts'
import { accountTokens, guesses, users } from '../src/db/schema.ts'
import { UserLimits } from '../src/db/user-limits.ts'
import type { Mail } from '../src/mail/mailer.ts'
import { Vault } from '../src/secrets/vault.ts'
import type { Client } from './client.ts'
import { throwError } from './cluster-template.ts'
import { createTestDatabase, fileResources } from './databases.ts'
import { expect } from './reaction.ts'

export const password = 'correct horse battery'
export const place = { ip: '203.0.113.1', userAgent: 'a test' }

/** The time for codes. It stands still, so that no step ends during a test. */
export const codesAtMs = Date.UTC(2030, 0, 1)

/** The code of an authenticator with this URI, a number of steps from now. */
export function codeOf(uri: string, stepsFromNow = 0): string {
  const secret = Secret.fromBase32(new URL(uri).searchParams.get('secret')!)
  return TOTP.generate({ secret, timestamp: codesAtMs + stepsFromNow * 30_000 })
}

/** Registers a test of accounts. All tests of a file share one database, and each finds it without users. */
export function withUsers(
  name: string,
  fn: (accounts: TestAccounts, database: Database) => Promise<void>,
  settings: AccountsSettings = {},
): void {
  test(name, async () => {
    opened ??= createTestDatabase().then((place) => fileResources.use(place).open())
    const database = await opened
    await database.db.delete(users)
    await database.db.delete(accountTokens)
    await database.db.delete(guesses)
    const accounts = testAccounts(database, settings)
    try {
      await fn(accounts, database)
    } finally {
      await accounts.close()
    }
  })
}

let opened: Promise<Database> | undefined

type AccountsSettings = { signUp?: SignUpMode; hasMailServer?: boolean }

export type TestAccounts = ReturnType<typeof testAccounts>

/** Everything about users, without HTTP. Hashes are cheap, and tests can read the mails. */
function testAccounts(database: Database, { signUp = 'invitation', hasMailServer = true }: AccountsSettings) {
  const mails: Mail[] = []
  const passwords = new Passwords(4)
  const stopped: number[] = []
  const accounts = openAccounts({
    database,
    vault: new Vault(randomBytes(32)),
    limits: new UserLimits(),
    mailer: { send: async (mail) => void mails.push(mail), told: () => undefined },
    audit: new AuditLog(database),
    passwords,
    now: () => codesAtMs,
    publicUrl: 'https://example.com',
    signUp,
    hasMailServer,
    demandBotsAreFree,
    onChanged: () => undefined,
    onStopped: async (userId) => void stopped.push(userId),
    onError: throwError,
  })
  return {
    ...accounts,
    mails,
    stopped,
    /** Creates a user with the password `password`. */
    addUser: async (email: string, role: 'admin' | 'user' = 'user') => {
      const passwordHash = await passwords.hash(password)
      const [user] = await database.db.insert(users).values({ email, role, passwordHash }).returning()
      return user!
    },
    /** The part after # in the link of the latest mail. */
    linkToken: async () => {
      await accounts.close()
      return /#([\w-]{43})\s/.exec(mails.at(-1)!.text)![1]!
    },
    /** The names of the events in a user's audit log, oldest first. */
    audited: async (userId: number) => {
      await accounts.close()
      const events = await accounts.audit.list(userId, { limit: 100, offset: 0 })
      return events.map(({ event }) => event).toReversed()
    },
  }
}

/** A signed-in user with a browser of their own. */
export type Browser = Awaited<ReturnType<typeof signUpBrowser>>

/** Creates a user by an invitation, with the password `password`. */
export async function signUpBrowser(service: Client & { url: string }, email: string, role = 'user') {
  const made = await expect(201, service.api('POST', '/api/v2/user/invitation', { email, role }))
  const invitation = new URL(made.link).hash.slice(1)
  const answer = await service.send('POST', '/api/v2/user', { body: { invitation, password } })
  const user = await expect(201, Promise.resolve(answer))
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!
  sessions.set(email, cookie)
  return { ...browser(service, cookie), user, email }
}

/** The cookie of the session with which {@link signUpBrowser} created this user of this file's service. */
export function sessionOf(email: string): string | undefined {
  return sessions.get(email)
}

const sessions = new Map<string, string>()

/** Sends requests like a page of the service, with this cookie. */
export function browser(service: Client & { url: string }, cookie: string) {
  return {
    cookie,
    api: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      service.send(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: { cookie, origin: service.url, ...headers },
      }),
  }
}

/** The error code of a refusal, or `right`. */
export const outcome = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'right',
    (error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    },
  )

/** Lets time pass since the last wrong guesses. */
export async function later(database: Database, seconds: number): Promise<void> {
  const by = sql`make_interval(secs => ${seconds})`
  await database.db.update(guesses).set({
    lastAt: sql`${guesses.lastAt} - ${by}`,
    lockedUntil: sql`${guesses.lockedUntil} - ${by}`,
  })
}
