import { and, eq, inArray, or } from 'drizzle-orm'
import { AppError, invalidField } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { pastDeadlocks } from '../db/deadlocks.ts'
import { accountTokens, users } from '../db/schema.ts'
import { type AccountTokens, invalidToken } from './account-tokens.ts'
import type { Actor, AuditLog } from './audit-log.ts'
import { type Credentials, wrongPassword } from './credentials.ts'
import type { Guesses } from './guesses.ts'
import {
  type AccountMailer,
  addressTakenMail,
  confirmAddressMail,
  emailChangeAskedMail,
  emailChangedMail,
} from './mails.ts'
import { normalEmail, type StoredUser, type User } from './user.ts'

const linkHours = 24

export type EmailChangesParts = {
  database: Database
  credentials: Credentials
  guesses: Guesses
  tokens: AccountTokens
  audit: AuditLog
  mailer: AccountMailer
  publicUrl: string
  /** Without a mail server, nobody can confirm an address, so that a change takes effect at once. */
  hasMailServer: boolean
}

/** Lets users change their own e-mail address. */
export class EmailChanges {
  #parts: EmailChangesParts

  constructor(parts: EmailChangesParts) {
    this.#parts = parts
  }

  /**
   * Mails a link to the new address, which makes it the user's. An earlier link of the user becomes invalid. Without a
   * mail server, the change takes effect at once.
   * @returns whether the address has changed
   * @throws {AppError} 400 for the user's own address; 401 for a wrong password, or a wrong or missing code; 429;
   * without a mail server, 409 for an address that another user has
   */
  async ask(
    user: User,
    given: { email: string; password: string; totp?: string },
    ip: string,
  ): Promise<boolean> {
    const { credentials, guesses, hasMailServer, mailer } = this.#parts
    const email = normalEmail(given.email)
    if (email === user.email) throw invalidField('email', 'is your address already')
    const checked = await credentials.checkPassword({ email: user.email, password: given.password }, ip)
    await credentials.checkSecondFactor(checked, given.totp, ip)
    // Also so that a user cannot find out, address by address, who has an account.
    await guesses.begin([
      { kind: 'email_change', value: String(user.id) },
      { kind: 'mail', value: email },
    ])
    if (hasMailServer) await this.#sendLink(checked, email, ip)
    else await this.#changeAtOnce(checked, email, ip)
    mailer.told()
    return !hasMailServer
  }

  /**
   * Makes an address the user's by the link that was mailed to it.
   * @returns the new address
   * @throws {AppError} 400 for a link that is not valid any more; 409 if the address has an account by now; 429
   */
  async confirm(token: string, ip: string): Promise<string> {
    const { database, guesses, tokens, mailer } = this.#parts
    const guess = await guesses.begin([{ kind: 'token', value: ip }])
    const { userId, email } = await tokens.read('email', token)
    await guess.right()
    await refuseTaken(`${email} already has an account.`, () =>
      database.db.transaction(async (tx) => {
        // The user before the link, as everywhere: two transactions must not wait for each other.
        const user = await hold(tx, userId!)
        if (user === undefined) throw invalidToken()
        await tokens.take(tx, 'email', token)
        await this.#change(tx, user, email, { userId: null, ip })
      }),
    )
    mailer.told()
    return email
  }

  /** Writes as much for an address that has an account as for one that has none. */
  #sendLink(checked: StoredUser, email: string, ip: string): Promise<void> {
    const { database, tokens, audit, mailer, publicUrl } = this.#parts
    return database.db.transaction(async (tx) => {
      const user = await holdUnchanged(tx, checked)
      await tx
        .delete(accountTokens)
        .where(and(eq(accountTokens.userId, user.id), eq(accountTokens.kind, 'email')))
      const link = { kind: 'email', userId: user.id, email, role: user.role } as const
      const { token } = await tokens.make({ ...link, hours: linkHours }, tx)
      const isTaken = (await tx.$count(users, eq(users.email, email))) > 0
      await audit.record(user.id, 'email_change_asked', { userId: user.id, ip }, { email }, tx)
      const mail = isTaken
        ? addressTakenMail(email)
        : confirmAddressMail(email, `${publicUrl}/email#${token}`)
      await mailer.send(mail, tx)
      await mailer.send(emailChangeAskedMail(user, email), tx)
    })
  }

  #changeAtOnce(checked: StoredUser, email: string, ip: string): Promise<void> {
    return refuseTaken('This address cannot be used: choose another.', () =>
      this.#parts.database.db.transaction(async (tx) => {
        const user = await holdUnchanged(tx, checked)
        await this.#change(tx, user, email, { userId: user.id, ip })
      }),
    )
  }

  async #change(tx: Db, user: User, email: string, by: Actor): Promise<void> {
    const { audit, mailer } = this.#parts
    await storeEmail(tx, user, email)
    await audit.record(user.id, 'email_changed', by, { from: user.email, to: email }, tx)
    await mailer.send(emailChangedMail(user, email), tx)
  }
}

/** Stores the new address of a user, whom the transaction holds, and makes links to the old one invalid. */
export async function storeEmail(tx: Db, { id }: Pick<User, 'id'>, email: string): Promise<void> {
  await tx.update(users).set({ email }).where(eq(users.id, id))
  // Anyone who reads the former mailbox could use a link in it. Other links to the new address lead nowhere.
  const ownLinks = and(eq(accountTokens.userId, id), inArray(accountTokens.kind, ['reset', 'email']))
  await tx.delete(accountTokens).where(or(ownLinks, eq(accountTokens.email, email)))
}

/** The user, whom nobody else changes until the transaction ends; `undefined` if disabled or deleted. */
async function hold(tx: Db, id: number): Promise<StoredUser | undefined> {
  const [user] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, id), eq(users.status, 'ACTIVE')))
    .for('no key update')
  return user
}

/** @throws {AppError} 401 if the password was changed since it was checked */
async function holdUnchanged(tx: Db, checked: StoredUser): Promise<StoredUser> {
  const user = await hold(tx, checked.id)
  if (user?.passwordHash !== checked.passwordHash) throw wrongPassword()
  return user
}

/**
 * Turns a violation of the unique index on addresses into a 409. Two users who take one address at the same time can wait
 * for each other, because each also deletes the other's link.
 */
export async function refuseTaken(message: string, work: () => Promise<void>): Promise<void> {
  try {
    await pastDeadlocks(work)
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; constraint?: string } }
    if (cause?.code !== '23505' || cause.constraint !== 'users_email_unique') throw error
    throw new AppError('resource_conflict', message)
  }
}
