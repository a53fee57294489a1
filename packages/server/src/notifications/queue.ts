import { and, asc, eq, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { Database, PreparedStatement } from '../db/database.ts'
import {
  notificationDeliveries as deliveries,
  type EventType,
  notificationEndpoints as endpoints,
  notifications,
} from '../db/schema.ts'

export type HeldEndpoint = typeof endpoints.$inferSelect

/** A notification that waits for delivery to an endpoint. `url` is its own address, encrypted, if it is a callback. */
export type WaitingDelivery = {
  id: number
  attempts: number
  strikes: number
  notificationId: number
  url: Buffer | null
  uid: string
  type: EventType
  data: Record<string, unknown>
  createdAt: Date
}

/** How long a node's claim of an endpoint lasts. To go on, the node claims it again. */
export const holdMs = 60_000
/** Deliveries read at once. If a page is full, several are sent at a time. */
export const pageSize = 50

/**
 * Endpoints with something to send now that no other node has claimed. One step in the index finds each endpoint with
 * waiting deliveries, however many there are.
 */
const dueSql = `
with recursive busy as (
  (select endpoint_id from notification_deliveries where status = 'WAITING' order by endpoint_id limit 1)
  union all
  select (
    select d.endpoint_id from notification_deliveries d
    where d.status = 'WAITING' and d.endpoint_id > b.endpoint_id order by d.endpoint_id limit 1
  )
  from busy b where b.endpoint_id is not null
)
select e.id from busy b join notification_endpoints e on e.id = b.endpoint_id
where e.status = 'ACTIVE' and (e.held_until is null or e.held_until < now() or e.holder = $1::uuid)
  and case when e.failures = 0 then exists (
    select from notification_deliveries d
    where d.endpoint_id = e.id and d.status = 'WAITING'
      and (d.next_attempt_at is null or d.next_attempt_at <= $2::timestamptz)
  ) else e.probe_at <= $2::timestamptz or (e.failing_notification_id is not null and exists (
    select from notification_deliveries d
    where d.endpoint_id = e.id and d.status = 'WAITING' and d.attempts = 0
      and d.notification_id <> e.failing_notification_id
  )) end
limit 1000`

/** The columns of an endpoint that does not fail. */
export const noFailures = {
  ...{ failures: 0, failingSince: null, untriedSeconds: 0 },
  ...{ failingNotificationId: null, probeAt: null },
}

/** The waiting deliveries, and the claims of endpoints. One node at a time claims an endpoint. */
export class DeliveryQueue {
  #database: Database
  #nodeId: string
  #due: PreparedStatement

  constructor(database: Database, nodeId: string) {
    this.#database = database
    this.#nodeId = nodeId
    this.#due = database.prepare('due_endpoints', dueSql)
  }

  async due(now: Date): Promise<number[]> {
    const rows = await this.#due([this.#nodeId, now.toISOString()])
    return rows.map(([id]) => Number(id))
  }

  async waiting(): Promise<number> {
    return this.#database.db.$count(deliveries, eq(deliveries.status, 'WAITING'))
  }

  /** Claims an endpoint for `holdMs`; `undefined` if another node has it, or it is inactive or deleted. */
  async hold(id: number): Promise<HeldEndpoint | undefined> {
    const isFree = or(
      isNull(endpoints.heldUntil),
      lte(endpoints.heldUntil, sql`now()`),
      eq(endpoints.holder, this.#nodeId),
    )
    const [row] = await this.#database.db
      .update(endpoints)
      .set({ holder: this.#nodeId, heldUntil: sql`now() + make_interval(secs => ${holdMs / 1000}::float8)` })
      .where(and(eq(endpoints.id, id), eq(endpoints.status, 'ACTIVE'), isFree))
      .returning()
    return row
  }

  /** The endpoint as it is now; `undefined` if this node may send nothing more to it. */
  async read(id: number): Promise<HeldEndpoint | undefined> {
    const [row] = await this.#database.db
      .select()
      .from(endpoints)
      .where(this.#ours(id, eq(endpoints.status, 'ACTIVE')))
    return row
  }

  async release(id: number): Promise<void> {
    await this.#database.db.update(endpoints).set({ holder: null, heldUntil: null }).where(this.#ours(id))
  }

  /** The next deliveries for an endpoint that works, oldest first. */
  page(endpointId: number, now: Date): Promise<WaitingDelivery[]> {
    const isDue = or(isNull(deliveries.nextAttemptAt), lte(deliveries.nextAttemptAt, now))
    return this.#select(endpointId, isDue).orderBy(asc(deliveries.notificationId)).limit(pageSize)
  }

  /** The delivery to try a failing endpoint with: a different one each time, in case one notification is the cause. */
  probe(endpointId: number): Promise<WaitingDelivery[]> {
    return this.#select(endpointId, undefined)
      .orderBy(asc(deliveries.attempts), asc(deliveries.notificationId))
      .limit(1)
  }

  /** A delivery that was not tried yet, if all failures were about a single other notification. */
  untried(endpointId: number, failingNotificationId: number): Promise<WaitingDelivery[]> {
    const isOther = and(eq(deliveries.attempts, 0), ne(deliveries.notificationId, failingNotificationId))
    return this.#select(endpointId, isOther).orderBy(asc(deliveries.notificationId)).limit(1)
  }

  async delivered(delivery: WaitingDelivery, status: number, now: Date): Promise<void> {
    await this.#end(
      delivery,
      { status: 'DELIVERED', lastStatus: status, lastError: null, nextAttemptAt: null },
      now,
    )
  }

  async refused(delivery: WaitingDelivery, change: Partial<typeof deliveries.$inferInsert>, now: Date) {
    await this.#end(delivery, change, now)
  }

  /** Records that the endpoint works again. */
  async recovered(id: number): Promise<void> {
    await this.#database.db.update(endpoints).set(noFailures).where(this.#ours(id))
  }

  /** Fails everything that waits for the endpoint, and lets it begin again with what comes next. */
  async giveUp(id: number, reason: string): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const held = await tx
        .update(endpoints)
        .set(noFailures)
        .where(this.#ours(id))
        .returning({ id: endpoints.id })
      if (held.length === 0) return
      await tx
        .update(deliveries)
        .set({ status: 'FAILED', lastError: reason, nextAttemptAt: null })
        .where(and(eq(deliveries.endpointId, id), eq(deliveries.status, 'WAITING')))
    })
  }

  /**
   * Records a failure of the endpoint.
   * @param notificationId the notification that may be the cause; `null` if it surely is not
   */
  async failed(
    { id, failures }: HeldEndpoint,
    notificationId: number | null,
    { now, probeAt, untriedSeconds }: { now: Date; probeAt: Date; untriedSeconds: number },
  ): Promise<void> {
    await this.#database.db
      .update(endpoints)
      .set({
        failures: failures + 1,
        failingSince: sql`coalesce(${endpoints.failingSince}, ${now.toISOString()}::timestamptz)`,
        untriedSeconds,
        // Several requests may fail at once, and each calls this.
        failingNotificationId: sql`case when ${endpoints.failures} = 0 or ${endpoints.failingNotificationId} = ${notificationId}::bigint
          then ${notificationId}::bigint end`,
        probeAt,
      })
      .where(this.#ours(id))
  }

  #select(endpointId: number, condition: ReturnType<typeof and>) {
    return this.#database.db
      .select({
        id: deliveries.id,
        attempts: deliveries.attempts,
        strikes: deliveries.strikes,
        notificationId: deliveries.notificationId,
        url: deliveries.url,
        uid: notifications.uid,
        type: notifications.type,
        data: notifications.data,
        createdAt: notifications.createdAt,
      })
      .from(deliveries)
      .innerJoin(notifications, eq(notifications.id, deliveries.notificationId))
      .where(and(eq(deliveries.endpointId, endpointId), eq(deliveries.status, 'WAITING'), condition))
      .$dynamic()
  }

  async #end(delivery: WaitingDelivery, change: Partial<typeof deliveries.$inferInsert>, now: Date) {
    await this.#database.db
      .update(deliveries)
      .set({ attempts: sql`${deliveries.attempts} + 1`, lastAttemptAt: now, ...change })
      .where(and(eq(deliveries.id, delivery.id), eq(deliveries.status, 'WAITING')))
  }

  #ours(id: number, condition?: ReturnType<typeof and>) {
    return and(eq(endpoints.id, id), eq(endpoints.holder, this.#nodeId), condition)
  }
}
