import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import { keepPace, type TokenBuckets } from '../base/token-buckets.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { ofOne } from '../db/reads.ts'
import { dataWebhooks, deliveries, runs, strategies, users } from '../db/schema.ts'

/**
 * `body` is `null` in a list that would be too large with it; the delivery itself has it. `senderEmail` is `null` if the
 * owner sent the payload, or if the sender was deleted. `runs` are those of the owner's reactions.
 */
export type Delivery = Omit<typeof deliveries.$inferSelect, 'body'> & {
  body: string | null
  senderEmail: string | null
  runs: { id: number; strategyId: number; trigger: string; status: string }[]
}

/** The bodies in one list: a thousand bodies of 256 KB would take too much memory for one answer. */
const listByteLimit = 16 * 1024 * 1024

/** Only for the owner's reactions: a replay must not run the code of other users again. */
const replaySql = `
with target as (
  select s.id as strategy_id
  from deliveries d
  join data_webhooks w on w.id = d.webhook_id
  join strategies s on s.data_webhook_id = w.id and s.user_id = w.user_id and s.status = 'ACTIVE'
  join strategy_state t on t.strategy_id = s.id and (t.suspended_until is null or t.suspended_until <= now())
  where d.id = $1::bigint and w.user_id = $2::bigint
)
insert into runs (strategy_id, trigger, delivery_id, queued_at)
select strategy_id, 'replay', $1::bigint, now() from target order by strategy_id
returning strategy_id`

/** The payloads that data webhooks have accepted. */
export class Deliveries {
  #database: Database
  #pace: TokenBuckets
  #replay: PreparedStatement
  #onQueued: (strategyIds: number[]) => void

  /**
   * @param pace the rate limit for the replays of an account: the same as for the payloads of a webhook
   * @param onQueued receives the strategies for which a replay has queued runs
   */
  constructor(database: Database, pace: TokenBuckets, onQueued: (strategyIds: number[]) => void) {
    this.#database = database
    this.#pace = pace
    this.#replay = database.prepare('replay_delivery', replaySql)
    this.#onQueued = onQueued
  }

  /** Newest first. The caller has checked that the user owns the webhook. */
  async list(
    userId: number,
    webhookId: number,
    window: { limit: number; offset: number },
  ): Promise<Delivery[]> {
    const { db, read } = this.#database
    const rows = await read('deliveries', { webhookId, ...window }, ({ webhookId, limit, offset }) => {
      const page = db
        .select()
        .from(deliveries)
        .where(ofOne(deliveries.webhookId, webhookId))
        .orderBy(desc(deliveries.webhookId), desc(deliveries.id))
        .limit(limit)
        .offset(offset)
        .as('page')
      const sizeSoFar = sql`sum(octet_length(${page.body})) over (order by ${page.id} desc)`
      return db
        .select({
          id: page.id,
          webhookId: page.webhookId,
          body: sql<string | null>`case when ${sizeSoFar} <= ${listByteLimit} then ${page.body} end`,
          headers: page.headers,
          ip: page.ip,
          senderId: page.senderId,
          senderEmail: users.email,
          idempotencyKey: page.idempotencyKey,
          reactions: page.reactions,
          receivedAt: page.receivedAt,
        })
        .from(page)
        .leftJoin(users, eq(users.id, page.senderId))
        .orderBy(desc(page.id))
    })
    return this.#withRuns(userId, rows)
  }

  count(webhookId: number): Promise<number> {
    return this.#database.count(deliveries, { webhookId }, ({ webhookId }) =>
      ofOne(deliveries.webhookId, webhookId),
    )
  }

  async get(userId: number, id: number): Promise<Delivery> {
    const { db, read } = this.#database
    const [row] = await read('delivery', { userId, id }, ({ userId, id }) =>
      db
        .select({ ...getTableColumns(deliveries), senderEmail: users.email })
        .from(deliveries)
        .innerJoin(dataWebhooks, eq(dataWebhooks.id, deliveries.webhookId))
        .leftJoin(users, eq(users.id, deliveries.senderId))
        .where(and(eq(deliveries.id, id), eq(dataWebhooks.userId, userId))),
    )
    if (row === undefined) throw notFound('delivery', id)
    return (await this.#withRuns(userId, [row]))[0]!
  }

  /**
   * Queues a run of a stored payload for each reaction of its owner that is active now.
   * @returns how many
   * @throws {AppError} 404; 429 if the account replays faster than a webhook may receive payloads
   */
  async replay(userId: number, id: number): Promise<number> {
    await this.get(userId, id)
    keepPace(this.#pace, userId, 'You are replaying payloads too fast.')
    const queued = (await this.#replay([id, userId])).map(([strategyId]) => Number(strategyId))
    this.#onQueued(queued)
    return queued.length
  }

  async #withRuns(userId: number, rows: Omit<Delivery, 'runs'>[]): Promise<Delivery[]> {
    const { db, read } = this.#database
    const ids = rows.map(({ id }) => id)
    const caused = await read('runs_of_deliveries', { userId, ids }, ({ userId, ids }) =>
      db
        .select({
          id: runs.id,
          deliveryId: runs.deliveryId,
          strategyId: runs.strategyId,
          trigger: runs.trigger,
          status: runs.status,
        })
        .from(runs)
        .innerJoin(strategies, eq(strategies.id, runs.strategyId))
        .where(and(sql`${runs.deliveryId} = any(${ids})`, eq(strategies.userId, userId)))
        .orderBy(runs.id),
    )
    const byDelivery = Map.groupBy(caused, ({ deliveryId }) => deliveryId)
    return rows.map((row) => ({ ...row, runs: byDelivery.get(row.id) ?? [] }))
  }
}
