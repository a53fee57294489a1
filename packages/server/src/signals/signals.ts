import { and, desc, eq, exists, getTableColumns, gte, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { KnownSender } from '../accounts/sender.ts'
import { notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { ofOne, type Slot, type Slots } from '../db/reads.ts'
import { botWebhooks, signals, users } from '../db/schema.ts'
import { botsOfSignals, type SignalBots } from './signal-bots.ts'

type StoredSignal = typeof signals.$inferSelect

/**
 * A signal as a user sees it. `sender` is another user who sent it: by their URL of the user's bot webhook, or by one of
 * their strategies. In the latter case, the strategy and the run are hidden. `bots` are the user's own.
 */
export type Signal = Omit<StoredSignal, 'senderId'> & { sender: KnownSender | null } & SignalBots

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
  async list(
    userId: number,
    filter: SignalFilter,
    window: { limit: number; offset: number },
  ): Promise<Signal[]> {
    // The signals of a webhook can belong to several users.
    const order = filter.webhookId === undefined ? [desc(signals.userId)] : []
    const rows = await this.#database.read(
      'signals',
      { userId, ...window },
      ({ userId, limit, offset }, filter) =>
        this.#select(userId)
          .where(matching(this.#database.db, userId, filter))
          .orderBy(...order, desc(signals.id))
          .limit(limit)
          .offset(offset),
      filter,
    )
    return this.#shown(userId, rows)
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

  count(userId: number, filter: SignalFilter): Promise<number> {
    const { db } = this.#database
    return this.#database.count(
      signals,
      { userId },
      ({ userId }, filter) => matching(db, userId, filter),
      filter,
    )
  }

  #select(userId: Slot<number>) {
    const senderId = sql`case when ${signals.userId} = ${userId} then ${signals.senderId} else ${signals.userId} end`
    return this.#database.db
      .select({ signal: getTableColumns(signals), email: users.email })
      .from(signals)
      .leftJoin(users, eq(users.id, senderId))
      .$dynamic()
  }

  async #shown(userId: number, rows: { signal: StoredSignal; email: string | null }[]): Promise<Signal[]> {
    const ids = rows.map(({ signal }) => signal.id)
    const bots = await botsOfSignals(this.#database, userId, ids)
    return rows.map(({ signal, email }) => ({
      ...asSeenBy(userId, signal, email),
      ...(bots.get(signal.id) ?? { bots: [], total: 0 }),
    }))
  }
}

function asSeenBy(
  userId: number,
  { senderId, ...signal }: StoredSignal,
  email: string | null,
): Omit<Signal, keyof SignalBots> {
  if (signal.userId !== userId) {
    return { ...signal, strategyId: null, runId: null, sender: { userId: signal.userId, email } }
  }
  return { ...signal, sender: senderId === null ? null : { userId: senderId, email } }
}

function matching(db: Db, userId: Slot<number>, filter: Slots<SignalFilter>): SQL | undefined {
  const { webhookId } = filter
  const isTheirs = ofOne(signals.userId, userId, filter)
  return and(
    // Nobody may find signals by the strategies and runs of other users.
    webhookId === undefined || filter.strategyId !== undefined || filter.runId !== undefined
      ? isTheirs
      : or(isTheirs, exists(ownWebhook(db, userId, webhookId))),
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
