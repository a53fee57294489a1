import { and, asc, eq, sql } from 'drizzle-orm'
import { type Note, noNote } from '../accounts/audit-log.ts'
import { type AppError, invalidField, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import {
  type EndpointStatus,
  type EventType,
  notificationDeliveries,
  notificationEndpoints,
} from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import { openUrl, sealSecret, sealUrl } from './sealed.ts'
import { makeSecret } from './signature.ts'
import { tellOfSubscribers } from './subscribers.ts'

type Row = typeof notificationEndpoints.$inferSelect

/** An endpoint as its user is shown it. `url` is `null` where it was sealed under another master key. */
export type Endpoint = {
  id: number
  url: string | null
  description: string
  events: EventType[]
  status: EndpointStatus
  reason: string | null
  failingSince: Date | null
  createdAt: Date
  updatedAt: Date
}

export type EndpointWish = { url?: string; description?: string; events?: EventType[] }

export type EndpointsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  /** Throws for an address that no notification may go to, as far as that can be told. */
  checkUrl(url: URL): void
  /** Told when a user may have got a first endpoint, or lost the last; resolves when this node goes by it. */
  onSubscribers(): Promise<void>
  /** Told when there may be something to send. */
  onWaiting(): void
}

/** How long a secret that was replaced still signs. */
const overlapHours = 24

/** What sets an endpoint to how it was before it began to fail. */
const anew = { failures: 0, failingSince: null, failingNotificationId: null, probeAt: null }

/** Where users are told of events. What belongs to another user is not found. */
export class Endpoints {
  #parts: EndpointsParts

  constructor(parts: EndpointsParts) {
    this.#parts = parts
  }

  /**
   * Makes one that is switched on; its secret is shown this once.
   * @throws {AppError} 400 for an address that is none or is refused, 409 when there are too many
   */
  async create(
    userId: number,
    wish: Required<EndpointWish>,
    note: Note,
  ): Promise<{ endpoint: Endpoint; secret: string }> {
    const { database, vault, limits } = this.#parts
    const url = this.#readUrl(wish.url)
    const secret = makeSecret()
    const row = await database.db.transaction(async (tx) => {
      await limits.demandRoom(tx, userId, 'notification_endpoints')
      const [made] = await tx
        .insert(notificationEndpoints)
        .values({
          userId,
          url: sealUrl(vault, userId, url),
          description: wish.description,
          events: wish.events,
          secret: sealSecret(vault, userId, secret),
        })
        .returning()
      await note(tx, { endpoint_id: made!.id })
      await tellOfSubscribers(tx)
      return made!
    })
    await this.#parts.onSubscribers()
    return { endpoint: this.#show(row), secret }
  }

  async list(userId: number, window: { limit: number; offset: number }): Promise<Endpoint[]> {
    const rows = await this.#parts.database.db
      .select()
      .from(notificationEndpoints)
      .where(eq(notificationEndpoints.userId, userId))
      .orderBy(asc(notificationEndpoints.id))
      .limit(window.limit)
      .offset(window.offset)
    return rows.map((row) => this.#show(row))
  }

  count(userId: number): Promise<number> {
    return countOf(this.#parts.database.db, userId)
  }

  async get(userId: number, id: number): Promise<Endpoint> {
    const [row] = await this.#parts.database.db.select().from(notificationEndpoints).where(own(userId, id))
    if (row === undefined) throw missing(id)
    return this.#show(row)
  }

  /** What is left out stays. Another address is tried at once. */
  async update(userId: number, id: number, wish: EndpointWish): Promise<Endpoint> {
    await this.get(userId, id)
    const { url, ...rest } = wish
    const sealed =
      url === undefined ? {} : { url: sealUrl(this.#parts.vault, userId, this.#readUrl(url)), ...anew }
    const row = await this.#change(userId, id, { ...rest, ...sealed })
    this.#parts.onWaiting()
    return row
  }

  /** Switched on, it is sent at once what waits for it; off, that stays, and what comes is not put on its way. */
  async setStatus(userId: number, id: number, status: 'ACTIVE' | 'INACTIVE'): Promise<Endpoint> {
    const endpoint = await this.#parts.database.db.transaction(async (tx) => {
      const [row] = await tx
        .update(notificationEndpoints)
        .set({ status, reason: null, ...anew, updatedAt: sql`now()` })
        .where(own(userId, id))
        .returning()
      if (row === undefined) throw missing(id)
      if (status === 'ACTIVE') {
        await tx
          .update(notificationDeliveries)
          .set({ strikes: 0, nextAttemptAt: null })
          .where(and(eq(notificationDeliveries.endpointId, id), eq(notificationDeliveries.status, 'WAITING')))
      }
      return this.#show(row)
    })
    this.#parts.onWaiting()
    return endpoint
  }

  /** Makes a new secret, shown this once. The old one signs beside it for a day; one that was replaced before does not. */
  async rotate(userId: number, id: number, note: Note): Promise<{ endpoint: Endpoint; secret: string }> {
    const secret = makeSecret()
    const change = {
      previousSecret: sql`secret`,
      previousUntil: sql`now() + make_interval(hours => ${overlapHours}::int)`,
      secret: sealSecret(this.#parts.vault, userId, secret),
    }
    const endpoint = await this.#change(userId, id, change, note)
    return { endpoint, secret }
  }

  async delete(userId: number, id: number, note: Note): Promise<void> {
    await this.#parts.database.db.transaction(async (tx) => {
      const gone = await tx
        .delete(notificationEndpoints)
        .where(own(userId, id))
        .returning({ id: notificationEndpoints.id })
      if (gone.length === 0) throw missing(id)
      await tx.delete(notificationDeliveries).where(eq(notificationDeliveries.endpointId, id))
      await note(tx, { endpoint_id: id })
      await tellOfSubscribers(tx)
    })
    await this.#parts.onSubscribers()
  }

  async #change(
    userId: number,
    id: number,
    change: Parameters<ReturnType<typeof updateOf>['set']>[0],
    note: Note = noNote,
  ): Promise<Endpoint> {
    const row = await this.#parts.database.db.transaction(async (tx) => {
      const [row] = await updateOf(tx)
        .set({ ...change, updatedAt: sql`now()` })
        .where(own(userId, id))
        .returning()
      if (row === undefined) throw missing(id)
      await note(tx, { endpoint_id: id })
      return row
    })
    return this.#show(row)
  }

  #readUrl(text: string): string {
    const url = URL.parse(text)
    if (url === null || !['http:', 'https:'].includes(url.protocol)) {
      throw invalidField('url', 'must be an absolute http: or https: address')
    }
    url.hash = ''
    try {
      this.#parts.checkUrl(url)
    } catch (error) {
      // It is a sentence, and so will be what it becomes a part of.
      throw invalidField('url', `cannot be used: ${(error as Error).message.replace(/\.$/, '')}`)
    }
    return url.href
  }

  #show(row: Row): Endpoint {
    const { id, description, events, status, reason, failingSince, createdAt, updatedAt } = row
    const shown = { id, description, events, status, reason, failingSince, createdAt, updatedAt }
    try {
      return { ...shown, url: openUrl(this.#parts.vault, row.userId, row.url) }
    } catch {
      // It can still be seen and deleted.
      return { ...shown, url: null }
    }
  }
}

function updateOf(db: Db) {
  return db.update(notificationEndpoints)
}

function own(userId: number, id: number) {
  return and(eq(notificationEndpoints.id, id), eq(notificationEndpoints.userId, userId))
}

function missing(id: number): AppError {
  return notFound('notification endpoint', id)
}

function countOf(db: Db, userId: number): Promise<number> {
  return db.$count(notificationEndpoints, eq(notificationEndpoints.userId, userId))
}
