import { and, eq, exists, getTableColumns, gte, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { KnownSender } from '../accounts/sender.ts'
import { notFound } from '../base/errors.ts'
import type { Cursors, Window } from '../base/window.ts'
import type { Database, Db } from '../db/database.ts'
import type { Slot, Slots } from '../db/reads.ts'
import { botWebhookDeliveries, botWebhooks, signals, users } from '../db/schema.ts'
import { betweenCursors, cursorsOf, inOrder, newestFirst, ofOneBetween } from '../db/windows.ts'
import { type Outcome, outcomeFor } from './outcomes.ts'
import { botsOfSignals, type SignalBots } from './signal-bots.ts'

type StoredSignal = typeof signals.$inferSelect

/**
 * A signal as a user sees it. `sender` is another user who sent it: by their URL of the user's bot webhook, or by one of
 * their strategies. In the latter case, the strategy and the run are hidden. `deliveryId`: the post that it came by, if
 * the user can still read it. `bots` are the user's own.
 */
export type Signal = Omit<StoredSignal, 'senderId'> & {
  sender: KnownSender | null
  deliveryId: number | null
} & SignalBots

/** The filters of a list of signals. */
export type SignalFilter = {
  strategyId?: number
  runId?: number
  webhookId?: number
  action?: StoredSignal['action']
  since?: Date
}

/**
 * Reads the signals of strategies and bot webhooks. The journal (`runs/journal.ts`), approvals and
 * `webhooks/outside-signals.ts` store them.
 */
export class Signals {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * A user's signals, newest first. With the `webhookId` of their own bot webhook, the list includes signals from
   * strategies of users with whom it is shared.
   */
  async list(userId: number, filter: SignalFilter, window: Window): Promise<Signal[]> {
    // The signals of a webhook can belong to several users.
    const order = filter.webhookId === undefined ? [signals.userId, signals.id] : [signals.id]
    const { limit, offset } = window
    const build = (
      { userId, limit, offset }: Slots<{ userId: number; limit: number; offset: number }>,
      filter: Slots<SignalFilter & Cursors>,
    ) =>
      this.#select(userId)
        .where(matching(this.#database.db, userId, filter))
        .orderBy(...inOrder(filter, ...order))
        .limit(limit)
        .offset(offset)
    const all = { ...filter, ...cursorsOf(window) }
    const rows = await this.#database.read('signals', { userId, limit, offset }, build, all)
    return this.#shown(userId, newestFirst(rows, window))
  }

  /** @throws {AppError} 404 if the user neither sent the signal nor owns the bot webhook that received it */
  async get(userId: number, id: number): Promise<Signal> {
    const { db } = this.#database
    const rows = await this.#database.read('signal', { userId, id }, ({ userId, id }) => {
      const isTheirs = or(eq(signals.userId, userId), exists(ownWebhook(db, userId, signals.webhookId)))
      return this.#select(userId).where(and(eq(signals.id, id), isTheirs))
    })
    const [signal] = await this.#shown(userId, rows)
    if (signal === undefined) throw notFound('signal', id)
    return signal
  }

  /** What became of a signal in the user's own bots. @throws {AppError} 404 unless the user sent it or may read it */
  outcome(userId: number, id: number): Promise<Outcome> {
    return outcomeFor(this.#database.db, userId, id)
  }

  /** Those of these signals that the user sent, or whose bot webhook is the user's. */
  async byId(userId: number, ids: readonly number[]): Promise<Signal[]> {
    const { db } = this.#database
    const rows = await this.#database.read('signals_by_id', { userId, ids }, ({ userId, ids }) => {
      const isTheirs = or(eq(signals.userId, userId), exists(ownWebhook(db, userId, signals.webhookId)))
      return this.#select(userId).where(and(sql`${signals.id} = any(${ids})`, isTheirs))
    })
    return this.#shown(userId, rows)
  }

  /** The users who may see each of these signals. */
  async viewers(ids: readonly number[]): Promise<Map<number, number[]>> {
    const { db, read } = this.#database
    const rows = await read('viewers_of_signals', { ids }, ({ ids }) =>
      db
        .select({ id: signals.id, senderId: signals.userId, ownerId: botWebhooks.userId })
        .from(signals)
        .leftJoin(botWebhooks, eq(botWebhooks.id, signals.webhookId))
        .where(sql`${signals.id} = any(${ids})`),
    )
    return new Map(
      rows.map(({ id, senderId, ownerId }) => [id, [...new Set([senderId, ownerId ?? senderId])]]),
    )
  }

  /** At most one more than `mostCounted`. */
  count(userId: number, filter: SignalFilter): Promise<number> {
    const { db } = this.#database
    return this.#database.countUpToMost(
      signals,
      { userId },
      ({ userId }, filter) => matching(db, userId, filter),
      filter,
    )
  }

  #select(userId: Slot<number>) {
    const senderId = sql`case when ${signals.userId} = ${userId} then ${signals.senderId} else ${signals.userId} end`
    const { id, webhookId } = botWebhookDeliveries
    const deliveryId = sql<number | null>`(
      select ${id} from ${botWebhookDeliveries}
      join ${botWebhooks} on ${botWebhooks.id} = ${webhookId} and ${botWebhooks.userId} = ${userId}
      where ${id} = ${signals.id})`.mapWith(id)
    return this.#database.db
      .select({ signal: getTableColumns(signals), email: users.email, deliveryId })
      .from(signals)
      .leftJoin(users, eq(users.id, senderId))
      .$dynamic()
  }

  async #shown(userId: number, rows: Row[]): Promise<Signal[]> {
    const ids = rows.map(({ signal }) => signal.id)
    const bots = await botsOfSignals(this.#database, userId, ids)
    return rows.map((row) => ({
      ...asSeenBy(userId, row),
      ...(bots.get(row.signal.id) ?? { bots: [], total: 0 }),
    }))
  }
}

type Row = { signal: StoredSignal; email: string | null; deliveryId: number | null }

function asSeenBy(
  userId: number,
  { signal: { senderId, ...signal }, email, deliveryId }: Row,
): Omit<Signal, keyof SignalBots> {
  if (signal.userId !== userId) {
    return { ...signal, deliveryId, strategyId: null, runId: null, sender: { userId: signal.userId, email } }
  }
  return { ...signal, deliveryId, sender: senderId === null ? null : { userId: senderId, email } }
}

function matching(db: Db, userId: Slot<number>, filter: Slots<SignalFilter & Cursors>): SQL | undefined {
  const { webhookId } = filter
  const isTheirs = ofOneBetween(signals.userId, signals.id, userId, filter)
  return and(
    // Nobody may find signals by the strategies and runs of other users.
    webhookId === undefined || filter.strategyId !== undefined || filter.runId !== undefined
      ? isTheirs
      : and(or(isTheirs, exists(ownWebhook(db, userId, webhookId))), betweenCursors(signals.id, filter)),
    filter.strategyId === undefined ? undefined : eq(signals.strategyId, filter.strategyId),
    filter.runId === undefined ? undefined : eq(signals.runId, filter.runId),
    filter.webhookId === undefined ? undefined : eq(signals.webhookId, filter.webhookId),
    filter.action === undefined ? undefined : eq(signals.action, filter.action),
    filter.since === undefined ? undefined : gte(signals.createdAt, filter.since),
  )
}

function ownWebhook(db: Db, userId: Slot<number>, id: Slot<number> | AnyPgColumn) {
  return db
    .select({ id: botWebhooks.id })
    .from(botWebhooks)
    .where(and(eq(botWebhooks.id, id), eq(botWebhooks.userId, userId)))
}
