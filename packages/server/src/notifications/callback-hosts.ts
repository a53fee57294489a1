import { and, asc, eq, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import type { Note } from '../accounts/audit-log.ts'
import { AppError, invalidField, notFound } from '../base/errors.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { notificationDeliveries, notificationEndpoints, signalCallbacks } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import { rotation } from './endpoints.ts'
import { sealSecret, sealUrl } from './sealed.ts'
import { makeSecret } from './signature.ts'

/** A host that receives callbacks of a user's signals. `origin` is such as `https://example.com`. */
export type CallbackHost = {
  id: number
  origin: string
  failingSince: Date | null
  createdAt: Date
}

export type CallbackHostsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  /** Throws for an address that callbacks may not go to, as far as the address alone shows it. */
  checkUrl(url: URL): void
}

const { id, callbackOrigin, failingSince, createdAt } = notificationEndpoints
const shown = { id, origin: sql<string>`${callbackOrigin}`, failingSince, createdAt }

/**
 * The hosts to which senders of signals have callbacks sent. They are endpoints that the service creates itself, so
 * callbacks are claimed, signed and tried again like notifications. Another user's host is never found.
 */
export class CallbackHosts {
  #parts: CallbackHostsParts

  constructor(parts: CallbackHostsParts) {
    this.#parts = parts
  }

  /**
   * Prepares the host of an address for callbacks.
   * @returns what the signal stores of the address
   * @throws {AppError} 400 if callbacks of the user go to too many other hosts
   */
  async admit(userId: number, url: URL): Promise<{ userId: number; origin: string; url: Buffer }> {
    this.check(url)
    const { origin } = url
    await this.#prepare(userId, origin)
    return { userId, origin, url: sealUrl(this.#parts.vault, userId, url.href) }
  }

  /** @throws {RefusedAddress} if no callback may go there, as far as the address alone shows it */
  check(url: URL): void {
    this.#parts.checkUrl(url)
  }

  async #prepare(userId: number, origin: string): Promise<void> {
    const { database, vault, limits } = this.#parts
    const known = await database.count(notificationEndpoints, { userId, origin }, (slots) =>
      and(eq(notificationEndpoints.userId, slots.userId), eq(callbackOrigin, slots.origin)),
    )
    if (known > 0) return
    await database.db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      await dropUnused(tx, userId)
      await limits.demandRoom(tx, userId, 'callback_hosts').catch(async (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'limit_reached') throw error
        throw tooMany(await limits.of(tx, userId, 'callback_hosts'))
      })
      await tx
        .insert(notificationEndpoints)
        .values({
          userId,
          url: sealUrl(vault, userId, origin),
          callbackOrigin: origin,
          events: [],
          secret: sealSecret(vault, userId, makeSecret()),
        })
        .onConflictDoNothing()
    })
  }

  /** In order of id. */
  list(userId: number, window: { limit: number; offset: number }): Promise<CallbackHost[]> {
    return this.#parts.database.db
      .select(shown)
      .from(notificationEndpoints)
      .where(ofUser(userId))
      .orderBy(asc(id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number): Promise<number> {
    return this.#parts.database.db.$count(notificationEndpoints, ofUser(userId))
  }

  /** Creates a new secret, shown only once. For a day, the previous one signs too. */
  async rotate(userId: number, hostId: number, note: Note): Promise<CallbackHost & { secret: string }> {
    const { secret, change } = rotation(this.#parts.vault, userId)
    return this.#parts.database.db.transaction(async (tx) => {
      const [host] = await tx
        .update(notificationEndpoints)
        .set({ ...change, updatedAt: sql`now()` })
        .where(own(userId, hostId))
        .returning(shown)
      if (host === undefined) throw missing(hostId)
      await note(tx, { endpoint_id: hostId })
      return { ...host, secret }
    })
  }

  /** Drops its callbacks that were not sent. The next signal that names the host has it prepared again. */
  async delete(userId: number, hostId: number, note: Note): Promise<void> {
    await this.#parts.database.db.transaction(async (tx) => {
      const [host] = await tx.delete(notificationEndpoints).where(own(userId, hostId)).returning(shown)
      if (host === undefined) throw missing(hostId)
      await tx.delete(notificationDeliveries).where(eq(notificationDeliveries.endpointId, hostId))
      await tx
        .delete(signalCallbacks)
        .where(
          and(
            eq(signalCallbacks.userId, userId),
            eq(signalCallbacks.origin, host.origin),
            isNull(signalCallbacks.notificationId),
          ),
        )
      await note(tx, { endpoint_id: hostId })
    })
  }
}

function ofUser(userId: number) {
  return and(eq(notificationEndpoints.userId, userId), isNotNull(callbackOrigin))
}

function own(userId: number, hostId: number) {
  return and(eq(id, hostId), ofUser(userId))
}

/** Retention deletes deliveries, so a host without any has not been used for a long time. */
async function dropUnused(tx: Db, userId: number): Promise<void> {
  const sent = tx
    .select({ id: notificationDeliveries.id })
    .from(notificationDeliveries)
    .where(eq(notificationDeliveries.endpointId, id))
  const waiting = tx
    .select({ id: signalCallbacks.id })
    .from(signalCallbacks)
    .where(
      and(
        eq(signalCallbacks.userId, userId),
        eq(signalCallbacks.origin, callbackOrigin),
        isNull(signalCallbacks.notificationId),
      ),
    )
  // Another request may just have prepared a host for a signal that is not stored yet.
  const isOld = lt(createdAt, sql`now() - interval '1 hour'`)
  await tx
    .delete(notificationEndpoints)
    .where(and(ofUser(userId), isOld, notExists(sent), notExists(waiting)))
}

function tooMany(limit: number): AppError {
  return invalidField(
    'callback',
    `names another host than the ${limit} that callbacks already go to, which is the limit; use one of these, or delete one first`,
  )
}

function missing(hostId: number): AppError {
  return notFound('callback host', hostId)
}
