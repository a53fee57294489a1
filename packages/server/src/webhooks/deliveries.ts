import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { keepPace, type TokenBuckets } from '../base/token-buckets.ts'
import type { Cursors, Found, Window } from '../base/window.ts'
import type { Database, Db, PreparedStatement } from '../db/database.ts'
import { contains, type EventSearch, findEvents, forEach } from '../db/event-search.ts'
import { ofOne, type Slots } from '../db/reads.ts'
import {
  dataWebhooks,
  deliveries,
  type RunStatus,
  type RunTrigger,
  runs,
  strategies,
  users,
} from '../db/schema.ts'
import { cursorsOf, inOrder, ofOneBetween } from '../db/windows.ts'
import { fittingBody } from './fitting-body.ts'

/**
 * `body` is `null` in a list that would be too large with it; the delivery itself has it. `senderEmail` is `null` if the
 * owner sent the payload, or if the sender was deleted. `runs` are those of the owner's reactions.
 */
export type Delivery = Omit<typeof deliveries.$inferSelect, 'body' | 'storedAt'> & {
  body: string | null
  senderEmail: string | null
  runs: { id: number; strategyId: number; trigger: string; status: string }[]
}

const table = { name: 'deliveries', owner: 'webhook_id', time: 'received_at' }

/** The filters of a search for deliveries. `status`, `trigger` and `strategyId` are of one run of the user's own reactions. */
export type DeliveryFilter = {
  webhookId?: number
  strategyId?: number
  status?: RunStatus
  trigger?: RunTrigger
  since?: Date
  until?: Date
  /** A text of the body. */
  text?: string
}

const wholeDelivery = (db: Db) => db.select().from(deliveries).as('page')
type Page = ReturnType<typeof wholeDelivery>

/** A longer body is not in the event of a delivery. */
export const liveBodyLimit = 16 * 1024

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
returning id, strategy_id`

type ReplayRun = { id: number; strategyId: number }

/** The payloads that data webhooks have accepted. */
export class Deliveries {
  #database: Database
  #pace: TokenBuckets
  #replay: PreparedStatement
  #onQueued: (runs: ReplayRun[]) => void

  /**
   * @param pace the rate limit for the replays of an account: the same as for the payloads of a webhook
   * @param onQueued receives the runs that a replay has queued
   */
  constructor(database: Database, pace: TokenBuckets, onQueued: (runs: ReplayRun[]) => void) {
    this.#database = database
    this.#pace = pace
    this.#replay = database.prepare('replay_delivery', replaySql)
    this.#onQueued = onQueued
  }

  /** Newest first. The caller has checked that the user owns the webhook. */
  async list(userId: number, webhookId: number, window: Window): Promise<Delivery[]> {
    const { db, read } = this.#database
    const { limit, offset } = window
    const values = { webhookId, limit, offset }
    const build = ({ webhookId, limit, offset }: Slots<typeof values>, cursors: Slots<Cursors>) =>
      this.#select(
        db
          .select()
          .from(deliveries)
          .where(ofOneBetween(deliveries.webhookId, deliveries.id, webhookId, cursors))
          .orderBy(...inOrder(cursors, deliveries.webhookId, deliveries.id))
          .limit(limit)
          .offset(offset)
          .as('page'),
      )
    const rows = await read('deliveries', values, build, cursorsOf(window))
    return this.#withRuns([userId], ofOwner(userId, rows))
  }

  /** The deliveries of all webhooks of a user, newest first. */
  async find(userId: number, filter: DeliveryFilter, window: Window): Promise<Found<Delivery>> {
    const { db, read } = this.#database
    const { since, until } = filter
    const owners = await db
      .select({ id: dataWebhooks.id })
      .from(dataWebhooks)
      .where(
        and(
          eq(dataWebhooks.userId, userId),
          filter.webhookId === undefined ? undefined : eq(dataWebhooks.id, filter.webhookId),
        ),
      )
    const search = {
      ...{ table, owners: owners.map(({ id }) => id), ...conditionsOf(userId, filter) },
      ...{ span: given({ since, until }), cursors: cursorsOf(window) },
    }
    const { ids, ...found } = await findEvents(db, search, window)
    const rows = await read('found_deliveries', { ids }, ({ ids }) =>
      this.#select(db.select().from(deliveries).where(sql`${deliveries.id} = any(${ids})`).as('page')),
    )
    return { ...found, items: await this.#withRuns([userId], ofOwner(userId, rows)) }
  }

  /** At most one more than `mostCounted`. */
  count(webhookId: number): Promise<number> {
    return this.#database.countUpToMost(deliveries, { webhookId }, ({ webhookId }) =>
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
    return (await this.#withRuns([userId], ofOwner(userId, [row])))[0]!
  }

  /** Those of these deliveries whose webhook is one of the users', without long bodies, and whose they are. */
  async byId(userIds: readonly number[], ids: readonly number[]): Promise<(Delivery & { userId: number })[]> {
    const { db, read } = this.#database
    const rows = await read('deliveries_by_id', { userIds, ids }, ({ userIds, ids }) =>
      db
        .select({
          ...getTableColumns(deliveries),
          body: sql<
            string | null
          >`case when octet_length(${deliveries.body}) <= ${liveBodyLimit} then ${deliveries.body} end`,
          senderEmail: users.email,
          userId: dataWebhooks.userId,
        })
        .from(deliveries)
        .innerJoin(dataWebhooks, eq(dataWebhooks.id, deliveries.webhookId))
        .leftJoin(users, eq(users.id, deliveries.senderId))
        .where(and(sql`${deliveries.id} = any(${ids})`, sql`${dataWebhooks.userId} = any(${userIds})`)),
    )
    return this.#withRuns(userIds, rows)
  }

  /**
   * Queues a run of a stored payload for each reaction of its owner that is active now.
   * @returns how many
   * @throws {AppError} 404; 429 if the account replays faster than a webhook may receive payloads
   */
  async replay(userId: number, id: number): Promise<number> {
    await this.get(userId, id)
    keepPace(this.#pace, userId, 'You are replaying payloads too fast.')
    const rows = await this.#replay([id, userId])
    const queued = rows.map(([id, strategyId]) => ({ id: Number(id), strategyId: Number(strategyId) }))
    this.#onQueued(queued)
    return queued.length
  }

  /** The deliveries of a page, with as many of their bodies as fit into a list. */
  #select(page: Page) {
    return this.#database.db
      .select({
        id: page.id,
        webhookId: page.webhookId,
        body: fittingBody(page.body, page.id),
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
  }

  /** With the runs of each owner's own reactions. */
  async #withRuns<Row extends { id: number; userId: number }>(userIds: readonly number[], rows: Row[]) {
    const { db, read } = this.#database
    const ids = rows.map(({ id }) => id)
    const caused = await read('runs_of_deliveries', { userIds, ids }, ({ userIds, ids }) =>
      db
        .select({
          id: runs.id,
          deliveryId: runs.deliveryId,
          strategyId: runs.strategyId,
          trigger: runs.trigger,
          status: runs.status,
          userId: strategies.userId,
        })
        .from(runs)
        .innerJoin(strategies, eq(strategies.id, runs.strategyId))
        .where(and(sql`${runs.deliveryId} = any(${ids})`, sql`${strategies.userId} = any(${userIds})`))
        .orderBy(runs.id),
    )
    const byDelivery = Map.groupBy(caused, ({ deliveryId }) => deliveryId)
    return rows.map((row) => ({
      ...row,
      runs: (byDelivery.get(row.id) ?? []).filter(({ userId }) => userId === row.userId),
    }))
  }
}

function ofOwner<Row>(userId: number, rows: Row[]): (Row & { userId: number })[] {
  return rows.map((row) => ({ ...row, userId }))
}

/** The conditions on a delivery `e`. */
function conditionsOf(userId: number, filter: DeliveryFilter): Partial<EventSearch> {
  const { strategyId, status, trigger, text } = filter
  const isOfRun = strategyId !== undefined || status !== undefined || trigger !== undefined
  const hasRun = sql`exists (
    select from runs r join strategies s on s.id = r.strategy_id
    where r.delivery_id = e.id and s.user_id = ${userId}
      ${strategyId === undefined ? sql`` : sql`and r.strategy_id = ${strategyId}`}
      ${status === undefined ? sql`` : sql`and r.status = ${status}`}
      ${trigger === undefined ? sql`` : sql`and r.trigger = ${trigger}`}
    ${forEach})`
  return given({
    condition: isOfRun ? hasRun : undefined,
    isJoined: isOfRun,
    text:
      text === undefined
        ? undefined
        : {
            joins: sql``,
            bytes: sql`octet_length(e.body)`,
            condition: contains('e.body', text),
          },
  })
}
