import { and, eq, inArray } from 'drizzle-orm'
import type { Principal } from '../base/principal.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { accountTokens, users } from '../db/schema.ts'
import { type AccountTokens, invalidToken } from './account-tokens.ts'
import type { AuditLog } from './audit-log.ts'
import type { Background } from './background.ts'
import type { Credentials } from './credentials.ts'
import type { Guesses } from './guesses.ts'
import { type AccountMailer, resetMail } from './mails.ts'
import { checkNewPassword, type Passwords } from './passwords.ts'
import type { SecondFactor } from './second-factor.ts'
import { endSessions, type Place, type Sessions } from './sessions.ts'
import { normalEmail, type StoredUser, type User } from './user.ts'

const resetHours = 1

export type PasswordChangesParts = {
  database: Database
  credentials: Credentials
  guesses: Guesses
  passwords: Passwords
  secondFactor: SecondFactor
  tokens: AccountTokens
  sessions: Sessions
  audit: AuditLog
  mailer: AccountMailer
  background: Background
  publicUrl: string
}

/** Changes passwords: with the current one, or by a link for users who have forgotten theirs. */
export class PasswordChanges {
  #parts: PasswordChangesParts

  constructor(parts: PasswordChangesParts) {
    this.#parts = parts
  }

  /**
   * Ends all sessions except the one of the request.
   * @throws {AppError} 400, 401, 429 or 503
   */
  async change(
    principal: Principal,
    user: User,
    changes: { current: string; password: string },
    ip: string,
  ): Promise<void> {
    const { credentials, passwords, database, audit } = this.#parts
    checkNewPassword(changes.password, 'new_password')
    await credentials.checkPassword({ email: user.email, password: changes.current }, ip)
    const passwordHash = await passwords.hash(changes.password)
    await database.db.transaction(async (tx) => {
      await storePassword(tx, user.id, passwordHash)
      await endSessions(tx, user.id, principal.sessionId)
      await audit.record(user.id, 'password_changed', { userId: user.id, ip }, {}, tx)
    })
  }

  /**
   * Sends a link if there is such a user. Neither the answer, nor its time, nor the time of the next answer shows
   * whether there is: the work starts later, and is the same for every address, except that only a user gets a mail.
   * @throws {AppError} 429 if this network has asked too often
   */
  async askForReset(email: string, ip: string): Promise<void> {
    const to = normalEmail(email)
    await this.#parts.guesses.begin([{ kind: 'mail_address', value: ip }])
    this.#parts.background.start(async () => {
      if (!(await this.#mayMail(to))) return
      await this.#writeReset(to, ip)
      this.#parts.background.start(async () => this.#parts.mailer.told())
    })
  }

  /**
   * Sets a new password by a link. Ends all sessions, and the waiting time after wrong passwords. The second factor and
   * the API keys stay.
   * @param given `totp` is a code; with a second factor, only a request with a code signs in
   * @returns the token of a new session, or `undefined` if a code is still needed
   * @throws {AppError} 400 for an invalid link; 401 for a wrong code, after which the link is still valid
   */
  async reset(
    given: { token: string; password: string; totp?: string },
    place: Place,
  ): Promise<{ user: User; token: string | undefined }> {
    checkNewPassword(given.password)
    const { tokens, passwords, database, guesses } = this.#parts
    const guess = await guesses.begin([{ kind: 'token', value: place.ip }])
    const { userId } = await tokens.read('reset', given.token)
    await guess.right()
    const user = await this.#activeUser(userId!)
    const maySignIn = await this.#hasShownCode(user, given.totp, place.ip)
    const passwordHash = await passwords.hash(given.password)
    return database.db.transaction(async (tx) => {
      // The user before the link, as everywhere: two transactions must not wait for each other.
      await lockAccount(tx, user.id)
      await tokens.take(tx, 'reset', given.token)
      return {
        user,
        token: await this.#reset(tx, user, passwordHash, maySignIn ? place : undefined, place.ip),
      }
    })
  }

  async #reset(tx: Db, user: User, passwordHash: string, place: Place | undefined, ip: string) {
    const { sessions, guesses, audit } = this.#parts
    await storePassword(tx, user.id, passwordHash)
    await endSessions(tx, user.id)
    await guesses.forget({ kind: 'password', value: user.email }, tx)
    await audit.record(user.id, 'password_reset', { userId: null, ip }, {}, tx)
    return place === undefined ? undefined : await sessions.begin(tx, user.id, place)
  }

  async #hasShownCode(user: User, code: string | undefined, ip: string): Promise<boolean> {
    if (!(await this.#parts.secondFactor.isOn(user.id))) return true
    if (code === undefined) return false
    await this.#parts.credentials.checkCode(user, code, ip)
    return true
  }

  async #activeUser(id: number): Promise<StoredUser> {
    const [user] = await this.#parts.database.db.select().from(users).where(eq(users.id, id))
    if (user?.status !== 'ACTIVE') throw invalidToken()
    return user
  }

  /** Limits the mails to an address, so that nobody can fill another person's mailbox. */
  #mayMail(email: string): Promise<boolean> {
    return this.#parts.guesses.begin([{ kind: 'mail', value: email }]).then(
      () => true,
      () => false,
    )
  }

  /** Writes three times, also for an address without an account. */
  async #writeReset(email: string, ip: string): Promise<void> {
    const { database, guesses, tokens, mailer, audit, publicUrl } = this.#parts
    await database.db.transaction(async (tx) => {
      const [user] = await tx
        .select()
        .from(users)
        .where(and(eq(users.email, email), eq(users.status, 'ACTIVE')))
        .for('key share')
      if (user === undefined) return guesses.rehearse({ kind: 'mail', value: email }, 3, tx)
      const link = { kind: 'reset', userId: user.id, email: user.email, role: user.role } as const
      const { token } = await tokens.make({ ...link, hours: resetHours }, tx)
      await audit.record(user.id, 'password_reset_asked', { userId: null, ip }, {}, tx)
      await mailer.send(resetMail(user, `${publicUrl}/reset#${token}`), tx)
    })
  }
}

/** Also deletes the user's links to a new password or address: someone who knew the old password may have them. */
export async function storePassword(tx: Db, userId: number, passwordHash: string): Promise<void> {
  await tx.update(users).set({ passwordHash }).where(eq(users.id, userId))
  await tx
    .delete(accountTokens)
    .where(and(eq(accountTokens.userId, userId), inArray(accountTokens.kind, ['reset', 'email'])))
}
