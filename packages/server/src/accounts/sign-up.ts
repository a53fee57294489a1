import { and, asc, eq, gt, isNotNull, type SQL, sql } from 'drizzle-orm'
import { AppError, invalidField, notFound } from '../base/errors.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { pastDeadlocks } from '../db/deadlocks.ts'
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

/** An invitation. Only the response that creates it contains the link. */
export type Invitation = AccountToken & { link?: string }

/**
 * Creates accounts. Each new user needs a link that was sent to their address: an administrator requests it, or, if
 * sign-up is open, the user does. So nobody can have an account with another person's address.
 */
export class SignUp {
  #parts: SignUpParts

  constructor(parts: SignUpParts) {
    this.#parts = parts
  }

  /**
   * Creates an invitation, which replaces an earlier one to the same address.
   * @throws {AppError} 409 if the address has an account, or too many invitations are open
   */
  async invite(by: Actor, { role, ...given }: { email: string; role: UserRole }): Promise<Invitation> {
    const { database, limits, tokens, audit, mailer, publicUrl } = this.#parts
    const email = normalEmail(given.email)
    if (await this.#isKnown(email)) throw taken(email)
    const invitation = await database.db.transaction(async (tx) => {
      // An earlier invitation to this address makes room for this one.
      await lockAccount(tx, by.userId!)
      await tx.delete(accountTokens).where(and(eq(accountTokens.email, email), invited))
      await limits.demandRoom(tx, by.userId!, 'invitations')
      const invitation = { kind: 'invitation', userId: by.userId, email, role } as const
      const { token, row } = await tokens.make({ ...invitation, hours: invitationHours }, tx)
      const link = `${publicUrl}/signup#${token}`
      await audit.record(by.userId!, 'invitation_made', by, { email, role }, tx)
      await mailer.send(invitationMail(email, link), tx)
      return { ...row, link }
    })
    mailer.told()
    return invitation
  }

  /** The invitations of administrators that are still valid. */
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
   * Sends a link to the address of anyone who wants an account. Neither the answer, nor its time, nor the time of the
   * next answer shows whether the address has one: the work starts later, and is the same for every address.
   * @throws {AppError} 403 if sign-up is by invitation; 429 if this network has asked too often
   */
  async ask(given: string, ip: string): Promise<void> {
    if (this.#parts.mode !== 'open') {
      throw new AppError('access_denied', 'Sign-up is by invitation. Ask an administrator for one.')
    }
    const email = normalEmail(given)
    const { guesses, background } = this.#parts
    await guesses.begin([{ kind: 'mail_address', value: ip }])
    background.start(async () => {
      // Nobody can fill another person's mailbox.
      const mayMail = await guesses.begin([{ kind: 'mail', value: email }]).then(
        () => true,
        () => false,
      )
      if (mayMail) await this.#sendLink(email)
    })
  }

  /**
   * Creates an account with the link of an invitation, and signs in.
   * @throws {AppError} 400 for an invalid link; 409 if the address has an account by now
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
    // Two links to one address that are used at the same time each delete the other.
    return pastDeadlocks(() =>
      database.db.transaction(async (tx) => {
        const invitation = await tokens.take(tx, 'invitation', given.invitation)
        const user = await this.#make(tx, invitation, { passwordHash, name: given.name ?? '' }, place.ip)
        return { user, token: await sessions.begin(tx, user.id, place) }
      }),
    )
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
    // Other links to this address become invalid.
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
      const invitation = { kind: 'invitation', userId: null, email, role: 'user' } as const
      const { token } = await tokens.make({ ...invitation, hours: invitationHours }, tx)
      await mailer.send(signUpMail(email, `${publicUrl}/signup#${token}`), tx)
    })
    background.start(async () => mailer.told())
  }

  async #isKnown(email: string): Promise<boolean> {
    return (await this.#parts.database.db.$count(users, eq(users.email, email))) > 0
  }
}

/** Only invitations by an administrator: nobody sees who asked for a link of their own. */
const invited: SQL | undefined = and(eq(accountTokens.kind, 'invitation'), isNotNull(accountTokens.userId))
const open: SQL | undefined = and(invited, gt(accountTokens.expiresAt, sql`now()`))

function taken(email: string): AppError {
  return new AppError('resource_conflict', `${email} already has an account.`)
}
