import { and, eq } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { AuditLog } from './audit-log.ts'
import { type Credentials, wrongPassword } from './credentials.ts'
import { endSessions, type Place, type Sessions } from './sessions.ts'
import type { StoredUser, User } from './user.ts'

export type SignInParts = {
  database: Database
  credentials: Credentials
  sessions: Sessions
  audit: AuditLog
}

export type SignedIn = { user: User; token: string }

/** Signs users in and out. */
export class SignIn {
  #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  /**
   * @param former the token of an earlier session of the same browser, which ends
   * @throws {AppError} 401 if the address, the password or the code is wrong, or the code is missing; 403; 429; 503
   */
  async signIn(
    given: { email: string; password: string; totp?: string },
    place: Place,
    former?: string,
  ): Promise<SignedIn> {
    const { credentials } = this.#parts
    const user = await credentials.checkPassword(given, place.ip)
    await credentials.checkSecondFactor(user, given.totp, place.ip)
    return { user, token: await this.#begin(user, place, former) }
  }

  async signOut(userId: number, sessionId: number, ip: string): Promise<void> {
    const { database, sessions, audit } = this.#parts
    await database.db.transaction(async (tx) => {
      await sessions.end(tx, userId, sessionId)
      await audit.record(userId, 'sign_out', { userId, ip }, {}, tx)
    })
  }

  /** Ends one session of the user, in this browser or another. */
  async endSession(userId: number, id: number, ip: string): Promise<void> {
    const { database, sessions, audit } = this.#parts
    await database.db.transaction(async (tx) => {
      await sessions.end(tx, userId, id)
      await audit.record(userId, 'session_ended', { userId, ip }, { session_id: id }, tx)
    })
  }

  /** Ends every session of the user, including the one of the request. */
  async signOutEverywhere(userId: number, ip: string): Promise<void> {
    const { database, audit } = this.#parts
    await database.db.transaction(async (tx) => {
      await endSessions(tx, userId)
      await audit.record(userId, 'sign_out_everywhere', { userId, ip }, {}, tx)
    })
  }

  /** Refuses a sign-in whose password was changed since it was checked. */
  #begin(user: StoredUser, place: Place, former: string | undefined): Promise<string> {
    const { database, sessions, audit } = this.#parts
    const unchanged = and(
      eq(users.id, user.id),
      eq(users.status, 'ACTIVE'),
      eq(users.passwordHash, user.passwordHash),
    )
    return database.db.transaction(async (tx) => {
      const found = await tx.select({ id: users.id }).from(users).where(unchanged).for('share')
      if (found.length === 0) throw wrongPassword()
      if (former !== undefined) await sessions.endByToken(tx, former)
      await audit.record(user.id, 'sign_in', { userId: user.id, ip: place.ip }, {}, tx)
      return sessions.begin(tx, user.id, place)
    })
  }
}
