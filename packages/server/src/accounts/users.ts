import { and, asc, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import { AppError, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Database, Db } from '../db/database.ts'
import { accountTokens, users } from '../db/schema.ts'
import type { AuditLog } from './audit-log.ts'
import { demandSight } from './audit-log.ts'
import { deleteBelongings, switchOff } from './closing.ts'
import type { SecondFactor } from './second-factor.ts'
import { endSessions } from './sessions.ts'
import type { StoredUser, User, UserRole, UserStatus } from './user.ts'

/** Carries the id of a user whose role or status has changed, or who was deleted. */
export const usersChannel = 'tickwright_users'

const { passwordHash: _passwordHash, ...shown } = getTableColumns(users)

/** `totp: false` turns the second factor off, for a user who has lost it. */
export type UserChanges = { name?: string; role?: UserRole; status?: UserStatus; totp?: false }

export type UsersParts = {
  database: Database
  secondFactor: SecondFactor
  audit: AuditLog
  /** @throws {AppError} 409 that names the position or order of a bot of this user */
  demandBotsAreFree(tx: Db, userId: number): Promise<void>
  /** Called after each committed change: what this node has cached about the user may be out of date. */
  onChanged(userId: number): void
  /** Called after everything of a user was deactivated or deleted, and that is committed. */
  onStopped(userId: number): Promise<void>
}

/** Reads, changes and deletes users, for administrators and for the users themselves. */
export class Users {
  #parts: UsersParts

  constructor(parts: UsersParts) {
    this.#parts = parts
  }

  /** @throws {AppError} 404 for a user whom `principal` may not see */
  async get(principal: Principal, id: number): Promise<User> {
    demandSight(principal, id)
    const [user] = await this.#parts.database.db.select(shown).from(users).where(eq(users.id, id))
    if (user === undefined) throw notFound('user', id)
    return user
  }

  /** In order of id. */
  list(window: { limit: number; offset: number }): Promise<User[]> {
    const { db } = this.#parts.database
    return db.select(shown).from(users).orderBy(asc(users.id)).limit(window.limit).offset(window.offset)
  }

  count(): Promise<number> {
    return this.#parts.database.db.$count(users)
  }

  /**
   * Only administrators change role and status. `DISABLED` signs the user out and deactivates their strategies, webhooks
   * and bots, which stay inactive when the user is `ACTIVE` again.
   * @throws {AppError} 404 for a user whom `principal` may not see; 403; 409 if no administrator would be left
   */
  async change(principal: Principal, id: number, changes: UserChanges, ip: string): Promise<User> {
    demandSight(principal, id)
    const { totp, ...columns } = changes
    const { role, status } = columns
    demandRight(principal, id, changes)
    const user = await this.#parts.database.db.transaction(async (tx) => {
      const before = await hold(tx, id)
      if (role === 'user' || status === 'DISABLED') await demandAnotherAdministrator(tx, id)
      const [after] = await tx
        .update(users)
        // Drizzle needs at least one column, and an empty change is not an error.
        .set({ ...columns, email: before.email })
        .where(eq(users.id, id))
        .returning(shown)
      await this.#follow(tx, before, after!)
      const by = { userId: principal.userId, ip }
      await this.#record(tx, before, after!, by)
      if (totp === false && (await this.#parts.secondFactor.switchOff(tx, id))) {
        await this.#parts.audit.record(id, 'totp_off', by, {}, tx)
      }
      return after!
    })
    this.#parts.onChanged(id)
    if (changes.status === 'DISABLED') await this.#parts.onStopped(id)
    return user
  }

  /**
   * Deletes a user and everything that belongs to the user.
   * @throws {AppError} 404 for a user whom `principal` may not see; 409 if no administrator would be left, or while a bot
   * holds a position or an unsettled order
   */
  async delete(principal: Principal, id: number, ip: string): Promise<void> {
    demandSight(principal, id)
    await this.#parts.database.db.transaction(async (tx) => {
      const { email } = await hold(tx, id)
      await demandAnotherAdministrator(tx, id)
      await switchOff(tx, id)
      await this.#parts.demandBotsAreFree(tx, id)
      await deleteBelongings(tx, id)
      await tx.delete(users).where(eq(users.id, id))
      await notifyNodes(tx, id)
      if (principal.userId === id) return
      const by = { userId: principal.userId, ip }
      await this.#parts.audit.record(principal.userId, 'user_deleted', by, { user_id: id, email }, tx)
    })
    this.#parts.onChanged(id)
    await this.#parts.onStopped(id)
  }

  async #follow(tx: Db, before: User, after: User): Promise<void> {
    if (after.status === 'DISABLED') {
      // Also for a user who is already disabled: a second request finds what was activated at the moment of the first.
      await switchOff(tx, after.id)
      await endSessions(tx, after.id)
    }
    if (after.status === before.status && after.role === before.role) return
    // The invitations of an administrator end with their role.
    await tx
      .delete(accountTokens)
      .where(and(eq(accountTokens.userId, after.id), eq(accountTokens.kind, 'invitation')))
    await notifyNodes(tx, after.id)
  }

  async #record(tx: Db, before: User, after: User, by: { userId: number; ip: string }): Promise<void> {
    const { audit } = this.#parts
    if (before.role !== after.role) {
      await audit.record(after.id, 'role_changed', by, { from: before.role, to: after.role }, tx)
    }
    if (before.status !== after.status) {
      const event = after.status === 'DISABLED' ? 'user_disabled' : 'user_enabled'
      await audit.record(after.id, event, by, {}, tx)
    }
    if (before.name !== after.name) await audit.record(after.id, 'user_changed', by, { name: after.name }, tx)
  }
}

/** Also an administrator gives password and code to be without a second factor: a session that was left open does not. */
function demandRight({ userId, role }: Principal, id: number, changes: UserChanges): void {
  const { name: _name, ...others } = changes
  const isOwnFactor = changes.totp !== undefined && id === userId
  if (isOwnFactor || (role !== 'admin' && Object.keys(others).length > 0)) {
    throw new AppError(
      'access_denied',
      'Only an administrator can change this field of a user, and `totp` only for others.',
    )
  }
}

/** Reads a user and locks the row until the transaction ends. */
async function hold(tx: Db, id: number): Promise<StoredUser> {
  // Administrators first, always in the same order, so that two transactions cannot deadlock.
  await tx
    .select({ id: users.id })
    .from(users)
    .where(eq(users.role, 'admin'))
    .orderBy(asc(users.id))
    .for('no key update')
  const [user] = await tx.select().from(users).where(eq(users.id, id)).for('no key update')
  if (user === undefined) throw notFound('user', id)
  return user
}

/** Call it within a transaction that has locked all administrators. */
async function demandAnotherAdministrator(tx: Db, id: number): Promise<void> {
  const active = and(eq(users.role, 'admin'), eq(users.status, 'ACTIVE'))
  const [self] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(active, eq(users.id, id)))
  if (self === undefined) return
  if ((await tx.$count(users, and(active, ne(users.id, id)))) > 0) return
  throw new AppError('resource_conflict', 'There must be an administrator. Make another user one first.')
}

/** Makes every node drop what it has cached about the user. In the transaction, so that a commit always sends it. */
async function notifyNodes(tx: Db, id: number): Promise<void> {
  await tx.execute(sql`select pg_notify(${usersChannel}, ${String(id)})`)
}
