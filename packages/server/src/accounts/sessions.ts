import { randomBytes } from 'node:crypto'
import { and, desc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import { AppError, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Database, Db } from '../db/database.ts'
import { sessions, users } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'

/** The address and the browser that a user signs in from. */
export type Place = { ip: string; userAgent: string }

export type Session = Omit<typeof sessions.$inferSelect, 'tokenHash'>

const tokenForm = /^[\w-]{43}$/
const userAgentLimit = 255
const lastSeenResolutionMs = 60_000

/** Whether a session has not expired. @param row the name of a row of `sessions` */
export const aliveSql = (row: string) =>
  `${row}.created_at > now() - interval '30 days' and ${row}.last_seen_at > now() - interval '7 days'`

const alive = sql.raw(aliveSql('sessions'))

const { id, userId, ip, userAgent, createdAt, lastSeenAt } = sessions
const shown = { id, userId, ip, userAgent, createdAt, lastSeenAt }

/**
 * The sessions of users. Every request asks the database, so that a session ends on all nodes at once. A session ends
 * 30 days after it began, or 7 days after its last use.
 */
export class Sessions {
  #database: Database
  #vault: Vault
  #limits: UserLimits

  constructor(database: Database, vault: Vault, limits: UserLimits) {
    this.#database = database
    this.#vault = vault
    this.#limits = limits
  }

  /**
   * If the user has more sessions than there may be, the oldest end.
   * @returns the token; the database stores only its hash
   */
  async begin(tx: Db, userId: number, place: Place): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    const agent = place.userAgent.slice(0, userAgentLimit)
    await tx.insert(sessions).values({ userId, tokenHash: this.#hash(token), ip: place.ip, userAgent: agent })
    const surplus = tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(desc(sessions.id))
      .offset(await this.#limits.of(tx, userId, 'sessions'))
    await tx.delete(sessions).where(inArray(sessions.id, surplus))
    return token
  }

  /** @throws {AppError} 401 if the session has ended or never existed */
  async authenticate(token: string): Promise<Principal> {
    const found = tokenForm.test(token) ? await this.#find(token) : undefined
    if (found === undefined)
      throw new AppError('auth_session', 'Not signed in: the session has ended. Sign in again.')
    if (Date.now() - found.lastSeenAt.getTime() >= lastSeenResolutionMs) this.#noteUse(found.id)
    return { userId: found.userId, role: found.role, sessionId: found.id }
  }

  /** Most recently used first. */
  list(userId: number, window: { limit: number; offset: number }): Promise<Session[]> {
    return this.#database.db
      .select(shown)
      .from(sessions)
      .where(own(userId))
      .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number): Promise<number> {
    return this.#database.db.$count(sessions, own(userId))
  }

  async end(tx: Db, userId: number, id: number): Promise<void> {
    const gone = await tx
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
      .returning({ id: sessions.id })
    if (gone.length === 0) throw notFound('session', id)
  }

  /** Ends the session that a browser still had when it signed in again. */
  async endByToken(tx: Db, token: string): Promise<void> {
    await tx.delete(sessions).where(eq(sessions.tokenHash, this.#hash(token)))
  }

  async #find(token: string) {
    const [found] = await this.#database.db
      .select({ ...shown, role: users.role })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(eq(sessions.tokenHash, this.#hash(token)), eq(users.status, 'ACTIVE'), alive))
    return found
  }

  /** No request waits for this, and none is refused if it fails. */
  #noteUse(id: number): void {
    this.#database.db
      .update(sessions)
      .set({ lastSeenAt: sql`now()` })
      .where(eq(sessions.id, id))
      .catch(() => undefined)
  }

  #hash(token: string): Buffer {
    return this.#vault.hash(token, 'session')
  }
}

/** Ends all sessions of a user, on all nodes, except one if it is given. */
export async function endSessions(tx: Db, userId: number, exceptId?: number): Promise<void> {
  const others = exceptId === undefined ? undefined : ne(sessions.id, exceptId)
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), others))
}

function own(userId: number): SQL | undefined {
  return and(eq(sessions.userId, userId), alive)
}
