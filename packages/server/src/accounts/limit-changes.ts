import { eq } from 'drizzle-orm'
import { type Limited, limitedNames } from '../base/default-limits.ts'
import { AppError, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { Limit, UserLimits } from '../db/user-limits.ts'
import { type AuditDetails, type AuditLog, demandSight } from './audit-log.ts'

/** `null`: the limit of the installation counts again. */
export type ChangedLimits = { [Name in Limited]?: number | null }

/** Reads and changes how many things single users may have. */
export class LimitChanges {
  #database: Database
  #limits: UserLimits
  #audit: AuditLog

  constructor({ database, limits, audit }: { database: Database; limits: UserLimits; audit: AuditLog }) {
    this.#database = database
    this.#limits = limits
    this.#audit = audit
  }

  /** @throws {AppError} 404 for a user whom `principal` may not see */
  async list(principal: Principal, id: number): Promise<Record<Limited, Limit>> {
    demandSight(principal, id)
    const { db } = this.#database
    if ((await db.$count(users, eq(users.id, id))) === 0) throw notFound('user', id)
    return this.#limits.list(db, id)
  }

  /**
   * Changes the given limits. What the user has stays, even if it is more. Creating something locks the same row, so after
   * the commit nothing is created over the new limit.
   * @throws {AppError} 404 for a user whom `principal` may not see; 403 unless `principal` is an administrator
   */
  async change(
    principal: Principal,
    id: number,
    changes: ChangedLimits,
    ip: string,
  ): Promise<Record<Limited, Limit>> {
    demandSight(principal, id)
    if (principal.role !== 'admin') {
      throw new AppError('access_denied', 'Only an administrator may change limits, also their own.')
    }
    return this.#database.db.transaction(async (tx) => {
      const [user] = await tx
        .select({ limits: users.limits })
        .from(users)
        .where(eq(users.id, id))
        .for('no key update')
      if (user === undefined) throw notFound('user', id)
      const limits = { ...user.limits }
      const details: AuditDetails = {}
      for (const name of limitedNames) {
        const own = changes[name]
        if (own === undefined || own === (limits[name] ?? null)) continue
        details[name] = own ?? 'default'
        if (own === null) delete limits[name]
        else limits[name] = own
      }
      if (Object.keys(details).length > 0) {
        await tx.update(users).set({ limits }).where(eq(users.id, id))
        await this.#audit.record(id, 'limits_changed', { userId: principal.userId, ip }, details, tx)
      }
      return this.#limits.list(tx, id)
    })
  }
}
