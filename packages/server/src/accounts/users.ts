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

/** Says the id of a user whose role or status has changed, or who is gone. */
export const usersChannel = 'tickwright_users'

const { passwordHash: _passwordHash, ...shown } = getTableColumns(users)

/** `totp: false` switches the second factor off, for somebody who has lost it. */
export type UserWish = { name?: string; role?: UserRole; status?: UserStatus; totp?: false }

export type UsersParts = {
  database: Database
  secondFactor: SecondFactor
  audit: AuditLog
  /** @throws {AppError} 409 naming what a bot of this user holds, or is working on */
  demandBotsAreFree(tx: Db, userId: number): Promise<void>
  /** Told of every change, once that is committed: what this node knows of the user may be old. */
  onChanged(userId: number): void
  /** Told when all that belongs to a user has been switched off or is gone, once that is committed. */
  onStopped(userId: number): Promise<void>
}

/** Users, as administrators and they themselves see them. */
export class Users {
  #parts: UsersParts

  constructor(parts: UsersParts) {
    this.#parts = parts
  }

  /** @throws {AppError} 404 for whom `principal` may not see */
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
   * Role and status are for administrators. Who is `DISABLED` is signed out, and their strategies, webhooks and bots
   * are switched off; they stay so when the user is `ACTIVE` again.
   * @throws {AppError} 404 for whom `principal` may not see; 403; 409 when no administrator would be left
   */
  async change(principal: Principal, id: number, wish: UserWish, ip: string): Promise<User> {
    demandSight(principal, id)
    const { totp, ...columns } = wish
    const { role, status } = columns
    demandRight(principal, id, wish)
    const user = await this.#parts.database.db.transaction(async (tx) => {
      const before = await hold(tx, id)
      if (role === 'user' || status === 'DISABLED') await demandAnotherAdministrator(tx, id)
      const [after] = await tx
        .update(users)
        // Drizzle wants at least one column, and a change of nothing is no error.
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
    if (wish.status === 'DISABLED') await this.#parts.onStopped(id)
    return user
  }

  /**
   * Deletes a user with all that is theirs.
   * @throws {AppError} 404 for whom `principal` may not see; 409 when no administrator would be left, or naming what
   * their live bots hold
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
      await tell(tx, id)
      if (principal.userId === id) return
      const by = { userId: principal.userId, ip }
      await this.#parts.audit.record(principal.userId, 'user_deleted', by, { user_id: id, email }, tx)
    })
    this.#parts.onChanged(id)
    await this.#parts.onStopped(id)
  }

  async #follow(tx: Db, before: User, after: User): Promise<void> {
    if (after.status === 'DISABLED') {
      // Also for one who is disabled already: what was switched on at the same moment is found by asking again.
      await switchOff(tx, after.id)
      await endSessions(tx, after.id)
    }
    if (after.status === before.status && after.role === before.role) return
    // What somebody offered as an administrator ends with their being one.
    await tx
      .delete(accountTokens)
      .where(and(eq(accountTokens.userId, after.id), eq(accountTokens.kind, 'invitation')))
    await tell(tx, after.id)
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
function demandRight({ userId, role }: Principal, id: number, wish: UserWish): void {
  const { name: _name, ...others } = wish
  const isOwnFactor = wish.totp !== undefined && id === userId
  if (isOwnFactor || (role !== 'admin' && Object.keys(others).length > 0)) {
    throw new AppError(
      'access_denied',
      'Only an administrator may change this of a user, and totp of others alone.',
    )
  }
}

/** Reads a user whom nobody else changes until the transaction has ended. */
async function hold(tx: Db, id: number): Promise<StoredUser> {
  // Administrators first, and always in the same order: two that take each other's place wait, and do not lock up.
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

/** Within a transaction that holds all administrators. */
async function demandAnotherAdministrator(tx: Db, id: number): Promise<void> {
  const active = and(eq(users.role, 'admin'), eq(users.status, 'ACTIVE'))
  const [self] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(active, eq(users.id, id)))
  if (self === undefined) return
  if ((await tx.$count(users, and(active, ne(users.id, id)))) > 0) return
  throw new AppError('resource_conflict', 'There has to be an administrator: make somebody else one first.')
}

/** Every node drops what it knows of the user. Within the transaction: whoever dies after its commit has told of it. */
async function tell(tx: Db, id: number): Promise<void> {
  await tx.execute(sql`select pg_notify(${usersChannel}, ${String(id)})`)
}
