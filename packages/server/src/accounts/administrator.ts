import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { AccountTokens } from './account-tokens.ts'
import { makePassword } from './administrator-access.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Passwords } from './passwords.ts'

/** The account that the first start created. A password or key from the settings is `undefined`: nobody has to see it. */
export type FirstStart = {
  userId: number
  email: string
  password: string | undefined
  apiKey: { key: string; secret: string } | undefined
}

/**
 * Creates the administrator on a database without users. Generates the password and the API key if the settings do
 * not contain them, and returns them so that they can be shown once. A later start only adds the API key of the
 * settings, if it is new.
 * @returns the new account, or `undefined` if there already was a user
 */
export async function ensureAdministrator(
  database: Database,
  keys: ApiKeys,
  passwords: Passwords,
  configured: Config['administrator'],
): Promise<FirstStart | undefined> {
  const [existing] = await database.db.select({ id: users.id }).from(users).orderBy(users.id).limit(1)
  if (existing !== undefined) {
    await adoptConfiguredKey(keys, existing.id, configured.apiKey)
    return undefined
  }
  const password = configured.password ?? makePassword()
  const passwordHash = await passwords.hash(password)
  // Two nodes may start at once on a new database: only one of them inserts the row.
  const [created] = await database.db
    .insert(users)
    .values({ email: configured.email.toLowerCase(), passwordHash, role: 'admin' })
    .onConflictDoNothing()
    .returning({ id: users.id })
  if (created === undefined) return ensureAdministrator(database, keys, passwords, configured)
  await adoptConfiguredKey(keys, created.id, configured.apiKey)
  return {
    userId: created.id,
    email: configured.email,
    password: configured.password === null ? password : undefined,
    apiKey: configured.apiKey === null ? await firstKey(keys, created.id) : undefined,
  }
}

/** How long the link of a first start is valid. */
const linkHours = 24

/**
 * Makes the token of a link that lets the new administrator choose a password, which also signs them in.
 * @returns `undefined` if the settings contain the password: nobody has to choose one
 */
export async function firstToken(made: FirstStart, tokens: AccountTokens): Promise<string | undefined> {
  if (made.password === undefined) return undefined
  const { userId, email } = made
  const { token } = await tokens.make({ kind: 'reset', userId, email, role: 'admin', hours: linkHours })
  return token
}

async function adoptConfiguredKey(
  keys: ApiKeys,
  userId: number,
  configured: Config['administrator']['apiKey'],
): Promise<void> {
  if (configured !== null) await keys.adopt(userId, 'From the environment', configured.key, configured.secret)
}

async function firstKey(keys: ApiKeys, userId: number): Promise<{ key: string; secret: string }> {
  const made = await keys.create(userId, { name: 'First key', algorithm: 'HMAC' })
  return { key: made.apiKey, secret: made.apiSecret! }
}
