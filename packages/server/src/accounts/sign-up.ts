import { and, asc, eq, gt, isNotNull, type SQL, sql } from 'drizzle-orm'
import { AppError, invalidField, notFound } from '../base/errors.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { accountTokens, users } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { AccountToken, AccountTokens } from './account-tokens.ts'
import type { Actor, AuditLog } from './audit-log.ts'
import type { Background } from './background.ts'
import type { Guesses } from './guesses.ts'
import { type AccountMailer, invitationMail, knownAddressMail, signUpMail } from './mails.ts'
import { checkNewPassword, type Passwords } from './passwords.ts'
import type { Place, Sessions } from './sessions.ts'
import { normalEmail, type User, type UserRole } from './user.ts'

const invitationHours = 7 * 24

export type SignUpMode = 'invitation' | 'open'

export type SignUpParts = {
  database: Database
  limits: UserLimits
  guesses: Guesses
  passwords: Passwords
  tokens: AccountTokens
  sessions: Sessions
  audit: AuditLog
  mailer: AccountMailer
  background: Background
  publicUrl: string
  mode: SignUpMode
}

/** An invitation and, for the one who made it, the link that is shown this once. */
export type Invitation = AccountToken & { link?: string }

/**
 * Lets users in who are new. Each comes by a link that was sent to their address: an administrator asks for it, or,
 * where sign-up is open, they do so themselves. So nobody holds an account in the name of somebody else's address.
 */
export class SignUp {
  #parts: SignUpParts

  constructor(parts: SignUpParts) {
    this.#parts = parts
  }

  /**
   * A former invitation of the same address is worth nothing any more.
   * @throws {AppError} 409 when the address has an account, or too many invitations are open
   */
  async invite(by: Actor, wish: { email: string; role: UserRole }): Promise<Invitation> {
    const { database, limits, tokens, audit, mailer, publicUrl } = this.#parts
    const email = normalEmail(wish.email)
    if (await this.#isKnown(email)) throw taken(email)
    const invitation = await database.db.transaction(async (tx) => {
      // One that was sent to this address before makes room for this one.
      await lockAccount(tx, by.userId!)
      await tx.delete(accountTokens).where(and(eq(accountTokens.email, email), invited))
      await limits.demandRoom(tx, by.userId!, 'invitations')
      const about = { kind: 'invitation', userId: by.userId, email, role: wish.role } as const
      const { token, row } = await tokens.make({ ...about, hours: invitationHours }, tx)
      const link = `${publicUrl}/signup#${token}`
      await audit.record(by.userId!, 'invitation_made', by, { email, role: wish.role }, tx)
      await mailer.send(invitationMail(email, link), tx)
      return { ...row, link }
    })
    mailer.told()
    return invitation
  }

  /** Those of administrators that can still be used. */
  list(window: { limit: number; offset: number }): Promise<Invitation[]> {
    return this.#parts.database.db
      .select()
      .from(accountTokens)
      .where(open)
      .orderBy(asc(accountTokens.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(): Promise<number> {
    return this.#parts.database.db.$count(accountTokens, open)
  }

  async revoke(by: Actor, id: number): Promise<void> {
    await this.#parts.database.db.transaction(async (tx) => {
      const [gone] = await tx
        .delete(accountTokens)
        .where(and(eq(accountTokens.id, id), invited))
        .returning({ email: accountTokens.email })
      if (gone === undefined) throw notFound('invitation', id)
      await this.#parts.audit.record(by.userId!, 'invitation_revoked', by, gone, tx)
    })
  }

  /**
   * Sends a link to whoever wants an account. Whether the address has one, the answer does not tell, nor its time, nor
   * that of what is asked next: the work begins later, and is the same for every address.
   * @throws {AppError} 403 where sign-up is by invitation; 429 when this network has asked too often
   */
  async ask(given: string, ip: string): Promise<void> {
    if (this.#parts.mode !== 'open') {
      throw new AppError('access_denied', 'Sign-up is by invitation: ask an administrator for one.')
    }
    const email = normalEmail(given)
    const { guesses, background } = this.#parts
    await guesses.begin([{ kind: 'mail_address', value: ip }])
    background.start(async () => {
      // So that nobody's mailbox is filled by others.
      const mayMail = await guesses.begin([{ kind: 'mail', value: email }]).then(
        () => true,
        () => false,
      )
      if (mayMail) await this.#sendLink(email)
    })
  }

  /**
   * Makes an account by the link of an invitation, and signs in.
   * @throws {AppError} 400 for a link that is not valid any more; 409 when the address has an account by now
   */
  async accept(
    given: { invitation: string; password: string; email?: string; name?: string },
    place: Place,
  ): Promise<{ user: User; token: string }> {
    checkNewPassword(given.password)
    const { guesses, tokens, passwords, database, sessions } = this.#parts
    const guess = await guesses.begin([{ kind: 'token', value: place.ip }])
    const { email } = await tokens.read('invitation', given.invitation)
    await guess.right()
    if (given.email !== undefined && normalEmail(given.email) !== email) {
      throw invalidField('email', 'is not the address that the invitation was sent to')
    }
    const passwordHash = await passwords.hash(given.password)
    return database.db.transaction(async (tx) => {
      const invitation = await tokens.take(tx, 'invitation', given.invitation)
      const user = await this.#make(tx, invitation, { passwordHash, name: given.name ?? '' }, place.ip)
      return { user, token: await sessions.begin(tx, user.id, place) }
    })
  }

  async #make(
    tx: Db,
    { email, role, userId: invitedBy }: AccountToken,
    given: { passwordHash: string; name: string },
    ip: string,
  ): Promise<User> {
    const [user] = await tx
      .insert(users)
      .values({ email, role, ...given })
      .onConflictDoNothing()
      .returning()
    if (user === undefined) throw taken(email)
    const details = invitedBy === null ? {} : { invited_by: invitedBy }
    await this.#parts.audit.record(user.id, 'user_made', { userId: user.id, ip }, details, tx)
    // Whatever else was sent to this address leads nowhere any more.
    await tx.delete(accountTokens).where(eq(accountTokens.email, email))
    return user
  }

  async #sendLink(email: string): Promise<void> {
    const { database, guesses, tokens, mailer, background, publicUrl } = this.#parts
    const [known] = await database.db.select().from(users).where(eq(users.email, email))
    await database.db.transaction(async (tx) => {
      if (known !== undefined) {
        await guesses.rehearse({ kind: 'mail', value: email }, 1, tx)
        return mailer.send(knownAddressMail(known, publicUrl), tx)
      }
      const about = { kind: 'invitation', userId: null, email, role: 'user' } as const
      const { token } = await tokens.make({ ...about, hours: invitationHours }, tx)
      await mailer.send(signUpMail(email, `${publicUrl}/signup#${token}`), tx)
    })
    background.start(async () => mailer.told())
  }

  async #isKnown(email: string): Promise<boolean> {
    return (await this.#parts.database.db.$count(users, eq(users.email, email))) > 0
  }
}

/** By an administrator; those who invite themselves are nobody's business. */
const invited: SQL | undefined = and(eq(accountTokens.kind, 'invitation'), isNotNull(accountTokens.userId))
const open: SQL | undefined = and(invited, gt(accountTokens.expiresAt, sql`now()`))

function taken(email: string): AppError {
  return new AppError('resource_conflict', `${email} has an account already.`)
}
