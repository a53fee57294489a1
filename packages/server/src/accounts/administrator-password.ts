import { randomBytes } from 'node:crypto'
import { and, asc, eq } from 'drizzle-orm'
import { ConfigError } from '../config.ts'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { AuditLog } from './audit-log.ts'
import { Guesses } from './guesses.ts'
import { storePassword } from './password-changes.ts'
import type { Passwords } from './passwords.ts'
import { SecondFactor } from './second-factor.ts'
import { endSessions } from './sessions.ts'
import { normalEmail, type User } from './user.ts'

const active = and(eq(users.role, 'admin'), eq(users.status, 'ACTIVE'))

/** 120 random bits, as 20 characters. */
export function makePassword(): string {
  return randomBytes(15).toString('base64url')
}

/**
 * Finds the administrator whose password is to be replaced.
 * @param email may be left out if there is only one
 * @throws {ConfigError} if there is none, or several and no address
 */
export async function findAdministrator({ db }: Database, email?: string): Promise<User> {
  const found = await db.select().from(users).where(active).orderBy(asc(users.id))
  const [first] = found
  if (first === undefined) {
    throw new ConfigError(
      'There is no administrator yet. npm start creates one, and shows the password once.',
    )
  }
  const addresses = found.map((user) => user.email).join(', ')
  if (email !== undefined) {
    const named = found.find((user) => user.email === normalEmail(email))
    if (named !== undefined) return named
    throw new ConfigError(`${email} is not an active administrator. The administrators are: ${addresses}.`)
  }
  if (found.length === 1) return first
  throw new ConfigError(
    `There are several administrators: ${addresses}. Name one: npm run admin-password -- ${first.email}`,
  )
}

/**
 * Sets a new password for an administrator without asking for the old one: this is for the person who runs the
 * service. All sessions and links to a new password end, and so do the waiting times of wrong guesses. The second
 * factor and the API keys stay. Works while other nodes run on the database.
 * @returns the password, which is stored nowhere, and whether the second factor is on
 * @throws {ConfigError} if the user is no active administrator any more
 */
export async function replaceAdministratorPassword(
  parts: { database: Database; vault: Vault; passwords: Passwords },
  { id, email }: Pick<User, 'id' | 'email'>,
): Promise<{ password: string; isSecondFactorOn: boolean }> {
  const { database, vault, passwords } = parts
  const guesses = new Guesses(database, vault)
  const password = makePassword()
  const passwordHash = await passwords.hash(password)
  await database.db.transaction(async (tx) => {
    const [held] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(active, eq(users.id, id)))
      .for('no key update')
    if (held === undefined) throw new ConfigError(`${email} is not an active administrator.`)
    await storePassword(tx, id, passwordHash)
    await endSessions(tx, id)
    await guesses.forget({ kind: 'password', value: email }, tx)
    await guesses.forget({ kind: 'code', value: String(id) }, tx)
    const nobody = { userId: null, ip: null }
    await new AuditLog(database).record(id, 'password_reset', nobody, { by: 'command line' }, tx)
  })
  return { password, isSecondFactorOn: await new SecondFactor(database, vault).isOn(id) }
}
