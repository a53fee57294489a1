import { randomBytes } from 'node:crypto'
import { and, asc, eq } from 'drizzle-orm'
import { Value } from 'typebox/value'
import { ConfigError } from '../config.ts'
import type { Database, Db } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { AccountTokens } from './account-tokens.ts'
import { ApiKeys } from './api-keys.ts'
import { AuditLog } from './audit-log.ts'
import { refuseTaken, storeEmail } from './email-changes.ts'
import { Guesses } from './guesses.ts'
import { storePassword } from './password-changes.ts'
import type { Passwords } from './passwords.ts'
import { NewEmail } from './schemas.ts'
import { SecondFactor } from './second-factor.ts'
import { endSessions } from './sessions.ts'
import { normalEmail, type User } from './user.ts'

/** How long the link of the command line is valid: its reader is at the machine already. */
const linkHours = 1

const active = and(eq(users.role, 'admin'), eq(users.status, 'ACTIVE'))

/** Who does it in the audit log: the person who runs the service need not be a user. */
const nobody = { userId: null, ip: null }

/** 120 random bits, as 20 characters. */
export function makePassword(): string {
  return randomBytes(15).toString('base64url')
}

/**
 * Finds the administrator who is to get access again.
 * @param command the npm script that asks, for the error
 * @param email may be left out if there is only one
 * @throws {ConfigError} if there is none, or several and no address
 */
export async function findAdministrator({ db }: Database, command: string, email?: string): Promise<User> {
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
    `There are several administrators: ${addresses}. Name one: npm run ${command} -- ${first.email}`,
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
    await holdAdministrator(tx, { id, email })
    await storePassword(tx, id, passwordHash)
    await endSessions(tx, id)
    await guesses.forget({ kind: 'password', value: email }, tx)
    await guesses.forget({ kind: 'code', value: String(id) }, tx)
    await new AuditLog(database).record(id, 'password_reset', nobody, { by: 'command line' }, tx)
  })
  return { password, isSecondFactorOn: await new SecondFactor(database, vault).isOn(id) }
}

/**
 * Makes a link that lets an administrator choose a new password, for the person who runs the service. Nothing else
 * changes until it is used.
 * @returns the token, which the database has only as a hash, and for how many hours it is valid
 */
export async function makeAdministratorLink(
  { database, vault }: { database: Database; vault: Vault },
  { id, email, role }: User,
): Promise<{ token: string; hours: number }> {
  const token = await database.db.transaction(async (tx) => {
    const made = await new AccountTokens(database, vault).make(
      { kind: 'reset', userId: id, email, role, hours: linkHours },
      tx,
    )
    await new AuditLog(database).record(id, 'password_reset_asked', nobody, { by: 'command line' }, tx)
    return made.token
  })
  return { token, hours: linkHours }
}

/**
 * Changes the address of an administrator without a link to the new one and without the password: this is for the
 * person who runs the service. Sessions, password and API keys stay.
 * @returns the new address
 * @throws {ConfigError} for what is no address, and if the user is no active administrator any more
 * @throws {AppError} 409 if another user has the address
 */
export async function changeAdministratorEmail(
  database: Database,
  { id, email }: Pick<User, 'id' | 'email'>,
  wanted: string,
): Promise<string> {
  const to = normalEmail(wanted)
  if (!Value.Check(NewEmail, to)) throw new ConfigError(`"${wanted}" is not an e-mail address.`)
  await refuseTaken(`Another user has the address ${to}.`, () =>
    database.db.transaction(async (tx) => {
      await holdAdministrator(tx, { id, email })
      await storeEmail(tx, { id }, to)
      const details = { from: email, to, by: 'command line' }
      await new AuditLog(database).record(id, 'email_changed', nobody, details, tx)
    }),
  )
  return to
}

/**
 * Makes an API key of an administrator, for the person who runs the service.
 * @throws {AppError} 409 if the administrator has too many keys
 */
export async function makeAdministratorKey(
  { database, vault }: { database: Database; vault: Vault },
  { id }: Pick<User, 'id'>,
): Promise<{ apiKey: string; apiSecret: string }> {
  const audit = new AuditLog(database)
  const keys = await ApiKeys.open(database, vault, 0)
  const settings = { name: 'Command line', algorithm: 'HMAC' as const }
  const { apiKey, apiSecret } = await keys.create(id, settings, (tx, details) =>
    audit.record(id, 'api_key_made', nobody, { ...details, by: 'command line' }, tx),
  )
  return { apiKey, apiSecret: apiSecret! }
}

/** @throws {ConfigError} if the user is no active administrator any more */
async function holdAdministrator(tx: Db, { id, email }: Pick<User, 'id' | 'email'>): Promise<void> {
  const [held] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(active, eq(users.id, id)))
    .for('no key update')
  if (held === undefined) throw new ConfigError(`${email} is not an active administrator.`)
}
