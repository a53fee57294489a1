import { and, desc, eq, getTableColumns } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Cursors, Window } from '../base/window.ts'
import type { Database } from '../db/database.ts'
import { ofOne, type Slots } from '../db/reads.ts'
import { botWebhookDeliveries, botWebhooks, signals, users } from '../db/schema.ts'
import { cursorsOf, inOrder, ofOneBetween } from '../db/windows.ts'
import { type Callback, callbacksOf } from './callbacks/states.ts'
import { fittingBody } from './fitting-body.ts'

/** `body` and `senderEmail` are `null` as in `Delivery`. */
type StoredDelivery = Omit<typeof botWebhookDeliveries.$inferSelect, 'body' | 'storedAt'> & {
  body: string | null
  senderEmail: string | null
  signal: Pick<
    typeof signals.$inferSelect,
    'id' | 'action' | 'symbols' | 'options' | 'flags' | 'delivered' | 'reason'
  >
}

/** A post to a bot webhook, with the signal that came of it, and the callback that tells its sender what became of that. */
export type SignalDelivery = StoredDelivery & { callback: Callback | null }

const { id, action, symbols, options, flags, delivered, reason } = signals
const signal = { id, action, symbols, options, flags, delivered, reason }

/** The posts from which the signals of bot webhooks came. `outside-signals.ts` stores them. */
export class SignalDeliveries {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Newest first. The caller has checked that the user owns the webhook. */
  async list(webhookId: number, window: Window): Promise<SignalDelivery[]> {
    const { db, read } = this.#database
    const { limit, offset } = window
    const given = { webhookId, limit, offset }
    const table = botWebhookDeliveries
    const build = ({ webhookId, limit, offset }: Slots<typeof given>, cursors: Slots<Cursors>) => {
      const page = db
        .select()
        .from(table)
        .where(ofOneBetween(table.webhookId, table.id, webhookId, cursors))
        .orderBy(...inOrder(cursors, table.webhookId, table.id))
        .limit(limit)
        .offset(offset)
        .as('page')
      return db
        .select({
          id: page.id,
          webhookId: page.webhookId,
          body: fittingBody(page.body, page.id),
          headers: page.headers,
          ip: page.ip,
          senderId: page.senderId,
          senderEmail: users.email,
          idempotencyKey: page.idempotencyKey,
          bots: page.bots,
          receivedAt: page.receivedAt,
          signal,
        })
        .from(page)
        .innerJoin(signals, eq(signals.id, page.id))
        .leftJoin(users, eq(users.id, page.senderId))
        .orderBy(desc(page.id))
    }
    return this.#withCallbacks(await read('signal_deliveries', given, build, cursorsOf(window)))
  }

  /** At most one more than `mostCounted`. */
  count(webhookId: number): Promise<number> {
    return this.#database.countUpToMost(botWebhookDeliveries, { webhookId }, ({ webhookId }) =>
      ofOne(botWebhookDeliveries.webhookId, webhookId),
    )
  }

  /** @throws {AppError} 404 if the user's own webhook has no such delivery */
  async get(userId: number, webhookId: number, id: number): Promise<SignalDelivery> {
    const { db, read } = this.#database
    const table = botWebhookDeliveries
    const rows = await read('signal_delivery', { userId, webhookId, id }, ({ userId, webhookId, id }) =>
      db
        .select({ ...getTableColumns(table), senderEmail: users.email, signal })
        .from(table)
        .innerJoin(botWebhooks, eq(botWebhooks.id, table.webhookId))
        .innerJoin(signals, eq(signals.id, table.id))
        .leftJoin(users, eq(users.id, table.senderId))
        .where(and(eq(table.id, id), eq(table.webhookId, webhookId), eq(botWebhooks.userId, userId))),
    )
    const [delivery] = await this.#withCallbacks(rows)
    if (delivery === undefined) throw notFound('delivery', id)
    return delivery
  }

  async #withCallbacks(deliveries: StoredDelivery[]): Promise<SignalDelivery[]> {
    const callbacks = await callbacksOf(
      this.#database,
      deliveries.map(({ id }) => id),
    )
    return deliveries.map((delivery) => ({ ...delivery, callback: callbacks.get(delivery.id) ?? null }))
  }
}
