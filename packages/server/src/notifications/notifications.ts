import { and, eq, gte, inArray, isNull, sql } from 'drizzle-orm'
import { AppError, notFound } from '../base/errors.ts'
import { keepPace, TokenBuckets } from '../base/token-buckets.ts'
import type { Window } from '../base/window.ts'
import type { Database, Db } from '../db/database.ts'
import {
  notificationDeliveries as deliveries,
  type EventType,
  notificationEndpoints as endpoints,
  notifications,
} from '../db/schema.ts'
import { betweenCursors, countUpToMost, inOrder, newestFirst } from '../db/windows.ts'

type Delivery = Pick<
  typeof deliveries.$inferSelect,
  'endpointId' | 'status' | 'attempts' | 'lastStatus' | 'lastError' | 'lastAttemptAt'
> & {
  /** `null` if there is no next attempt: the delivery has ended, or the endpoint is inactive. */
  nextAttemptAt: Date | null
}

/** A notification to a user, with its delivery to each endpoint. */
export type Notification = typeof notifications.$inferSelect & { deliveries: Delivery[] }

export type NotificationFilter = { type?: EventType; since?: Date }

const recoverLimit = 10_000
/** Tests of endpoints, for each account and node. Each is stored as long as any notification. */
const testsASecond = 0.1
const testsAtOnce = 20

/** The notifications of users. Another user's notification is never found. */
export class Notifications {
  #database: Database
  #onWaiting: () => void
  #pace = new TokenBuckets(testsASecond, testsAtOnce)

  /** @param onWaiting called when there may be something to send */
  constructor(database: Database, onWaiting: () => void) {
    this.#database = database
    this.#onWaiting = onWaiting
  }

  /** Newest first. */
  async list(userId: number, filter: NotificationFilter, window: Window): Promise<Notification[]> {
    const rows = await this.#database.db
      .select()
      .from(notifications)
      .where(and(matching(userId, filter), betweenCursors(notifications.id, window)))
      .orderBy(...inOrder(window, notifications.id))
      .limit(window.limit)
      .offset(window.offset)
    return this.#withDeliveries(newestFirst(rows, window))
  }

  /** At most one more than `mostCounted`. */
  count(userId: number, filter: NotificationFilter): Promise<number> {
    return countUpToMost(this.#database.db, notifications, matching(userId, filter))
  }

  async get(userId: number, id: number): Promise<Notification> {
    const rows = await this.#database.db.select().from(notifications).where(own(userId, id))
    const [notification] = await this.#withDeliveries(rows)
    if (notification === undefined) throw notFound('notification', id)
    return notification
  }

  /**
   * Sends a notification again: to one endpoint, or to all active ones that it was meant for.
   * @throws {AppError} 409 if there is none
   */
  async replay(userId: number, id: number, endpointId: number | undefined): Promise<Notification> {
    await this.#database.db.transaction(async (tx) => {
      const [found] = await tx.select().from(notifications).where(own(userId, id))
      if (found === undefined) throw notFound('notification', id)
      const targets =
        endpointId === undefined
          ? await targetsOf(tx, found)
          : [(await demandActive(tx, userId, endpointId)).id]
      if (targets.length === 0) {
        throw new AppError('resource_conflict', 'No active endpoint receives this kind of notification.')
      }
      await queueFor(tx, id, targets)
    })
    this.#onWaiting()
    return this.get(userId, id)
  }

  /**
   * Queues the notifications that an endpoint has subscribed to and neither received nor waits for: oldest first, at most
   * 10,000.
   * @returns how many, and whether there are more
   */
  async recover(userId: number, endpointId: number, since: Date): Promise<{ queued: number; more: boolean }> {
    const queued = await this.#database.db.transaction(async (tx) => {
      const endpoint = await demandActive(tx, userId, endpointId)
      const missed = await tx
        .select({ id: notifications.id })
        .from(notifications)
        .leftJoin(
          deliveries,
          and(eq(deliveries.notificationId, notifications.id), eq(deliveries.endpointId, endpointId)),
        )
        .where(
          and(
            matching(userId, { since }),
            inArray(notifications.type, [...endpoint.events, 'test' as const]),
            // Tests without a delivery here were tests of other endpoints.
            sql`(${deliveries.status} = 'FAILED' or (${deliveries.id} is null and ${notifications.type} <> 'test'))`,
          ),
        )
        .orderBy(notifications.id)
        .limit(recoverLimit + 1)
      const ids = missed.slice(0, recoverLimit).map(({ id }) => id)
      if (ids.length > 0) await queueAllFor(tx, ids, endpointId)
      return { queued: ids.length, more: missed.length > recoverLimit }
    })
    this.#onWaiting()
    return queued
  }

  /**
   * Sends a test notification to an endpoint.
   * @throws {AppError} 409 if it is not active, or an earlier test still waits; 429 for too many
   */
  async test(userId: number, endpointId: number): Promise<Notification> {
    keepPace(this.#pace, userId, 'Too many tests of endpoints. Wait a moment.')
    const id = await this.#database.db.transaction(async (tx) => {
      await demandActive(tx, userId, endpointId)
      const waiting = await tx
        .select({ id: deliveries.id })
        .from(deliveries)
        .innerJoin(notifications, eq(notifications.id, deliveries.notificationId))
        .where(
          and(
            eq(deliveries.endpointId, endpointId),
            eq(deliveries.status, 'WAITING'),
            eq(notifications.type, 'test'),
          ),
        )
        .limit(1)
      if (waiting.length > 0) {
        throw new AppError('resource_conflict', 'A test of this endpoint is still in progress.')
      }
      const data = { endpoint_id: endpointId, message: 'This is a test.' }
      const [made] = await tx
        .insert(notifications)
        .values({ userId, type: 'test', data })
        .returning({ id: notifications.id })
      await queueFor(tx, made!.id, [endpointId])
      return made!.id
    })
    this.#onWaiting()
    return this.get(userId, id)
  }

  async #withDeliveries(rows: (typeof notifications.$inferSelect)[]): Promise<Notification[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const found = await this.#database.db
      .select({ delivery: deliveries, status: endpoints.status, probeAt: endpoints.probeAt })
      .from(deliveries)
      .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
      .where(inArray(deliveries.notificationId, ids))
      .orderBy(deliveries.endpointId)
    const byNotification = Map.groupBy(found, ({ delivery }) => delivery.notificationId)
    return rows.map((row) => ({
      ...row,
      deliveries: (byNotification.get(row.id) ?? []).map(({ delivery, status, probeAt }) => ({
        ...delivery,
        nextAttemptAt:
          delivery.status === 'WAITING' && status === 'ACTIVE'
            ? latest(delivery.nextAttemptAt ?? row.createdAt, probeAt)
            : null,
      })),
    }))
  }
}

function own(userId: number, id: number) {
  return and(eq(notifications.id, id), eq(notifications.userId, userId))
}

function matching(userId: number, { type, since }: NotificationFilter) {
  return and(
    eq(notifications.userId, userId),
    type === undefined ? undefined : eq(notifications.type, type),
    since === undefined ? undefined : gte(notifications.createdAt, since),
  )
}

/** Reads an active endpoint of this user, and locks it until the transaction ends. */
async function demandActive(tx: Db, userId: number, id: number): Promise<typeof endpoints.$inferSelect> {
  const [row] = await tx
    .select()
    .from(endpoints)
    .where(and(eq(endpoints.id, id), eq(endpoints.userId, userId), isNull(endpoints.callbackOrigin)))
    .for('no key update')
  if (row === undefined) throw notFound('notification endpoint', id)
  if (row.status !== 'ACTIVE') {
    throw new AppError(
      'resource_conflict',
      `The notification endpoint ${id} is not ACTIVE; activate it first.`,
    )
  }
  return row
}

/** The active endpoints that the notification was meant for; if none, those that have subscribed to its event. */
async function targetsOf(tx: Db, { id, userId, type }: typeof notifications.$inferSelect): Promise<number[]> {
  const isOn = and(eq(endpoints.userId, userId), eq(endpoints.status, 'ACTIVE'))
  const had = await tx
    .select({ id: endpoints.id })
    .from(endpoints)
    .innerJoin(deliveries, eq(deliveries.endpointId, endpoints.id))
    .where(and(isOn, eq(deliveries.notificationId, id)))
  if (had.length > 0) return had.map((row) => row.id)
  const wanting = await tx
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(isOn, sql`${type}::text = any(${endpoints.events})`))
  return wanting.map((row) => row.id)
}

/** The columns of a delivery that starts again. */
const restarted = { status: 'WAITING', strikes: 0, nextAttemptAt: null } as const

async function queueFor(tx: Db, notificationId: number, endpointIds: number[]): Promise<void> {
  await tx
    .insert(deliveries)
    .values(endpointIds.map((endpointId) => ({ notificationId, endpointId })))
    .onConflictDoUpdate({ target: [deliveries.notificationId, deliveries.endpointId], set: restarted })
}

async function queueAllFor(tx: Db, notificationIds: number[], endpointId: number): Promise<void> {
  for (let at = 0; at < notificationIds.length; at += 1000) {
    await tx
      .insert(deliveries)
      .values(notificationIds.slice(at, at + 1000).map((notificationId) => ({ notificationId, endpointId })))
      .onConflictDoUpdate({
        target: [deliveries.notificationId, deliveries.endpointId],
        set: restarted,
        setWhere: eq(deliveries.status, 'FAILED'),
      })
  }
}

function latest(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one
}
