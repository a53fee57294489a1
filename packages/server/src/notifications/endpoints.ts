import { and, asc, eq, isNull, sql } from 'drizzle-orm'
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
import { noFailures } from './queue.ts'
import { openUrl, sealSecret, sealUrl } from './sealed.ts'
import { makeSecret } from './signature.ts'
import { tellOfSubscribers } from './subscribers.ts'

type Row = typeof notificationEndpoints.$inferSelect

/** An endpoint, as its user sees it. `url` is `null` if it was encrypted with another master key. */
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

export type EndpointSettings = { url?: string; description?: string; events?: EventType[] }

export type EndpointsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  /** Throws for an address that notifications may not go to, as far as the address alone shows it. */
  checkUrl(url: URL): void
  /** Called when a user may have created a first endpoint or deleted the last; resolves when this node knows it. */
  onSubscribers(): Promise<void>
  /** Called when there may be something to send. */
  onWaiting(): void
}

/** How long an old secret still signs after a rotation. */
const overlapHours = 24

/** The endpoints of users. Another user's endpoint is never found, and neither is a host of callbacks. */
export class Endpoints {
  #parts: EndpointsParts

  constructor(parts: EndpointsParts) {
    this.#parts = parts
  }

  /**
   * Creates an active endpoint. Its secret is shown only once.
   * @throws {AppError} 400 for an invalid or refused address; 409 if there are too many
   */
  async create(
    userId: number,
    settings: Required<EndpointSettings>,
    note: Note,
  ): Promise<{ endpoint: Endpoint; secret: string }> {
    const { database, vault, limits } = this.#parts
    const url = this.#readUrl(settings.url)
    const secret = makeSecret()
    const row = await database.db.transaction(async (tx) => {
      await limits.demandRoom(tx, userId, 'notification_endpoints')
      const [made] = await tx
        .insert(notificationEndpoints)
        .values({
          userId,
          url: sealUrl(vault, userId, url),
          description: settings.description,
          events: settings.events,
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
      .where(ofUser(userId))
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

  /** Changes the given fields. The service tries a new address at once. */
  async update(userId: number, id: number, changes: EndpointSettings): Promise<Endpoint> {
    await this.get(userId, id)
    const { url, ...rest } = changes
    const sealed =
      url === undefined ? {} : { url: sealUrl(this.#parts.vault, userId, this.#readUrl(url)), ...noFailures }
    const row = await this.#change(userId, id, { ...rest, ...sealed })
    this.#parts.onWaiting()
    return row
  }

  /** `ACTIVE` sends everything that waits. With `INACTIVE`, that keeps waiting, and new events are not queued. */
  async setStatus(userId: number, id: number, status: 'ACTIVE' | 'INACTIVE'): Promise<Endpoint> {
    const endpoint = await this.#parts.database.db.transaction(async (tx) => {
      const [row] = await tx
        .update(notificationEndpoints)
        .set({ status, reason: null, ...noFailures, updatedAt: sql`now()` })
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

  /** Creates a new secret, shown only once. For a day, the previous one signs too; earlier ones do not. */
  async rotate(userId: number, id: number, note: Note): Promise<{ endpoint: Endpoint; secret: string }> {
    const { secret, change } = rotation(this.#parts.vault, userId)
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
      // The message is a sentence and becomes part of one.
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
      // The user can still see and delete the endpoint.
      return { ...shown, url: null }
    }
  }
}

/** A new secret, and the change of the row that makes it the current one. */
export function rotation(vault: Vault, userId: number) {
  const secret = makeSecret()
  const change = {
    previousSecret: sql`secret`,
    previousUntil: sql`now() + make_interval(hours => ${overlapHours}::int)`,
    secret: sealSecret(vault, userId, secret),
  }
  return { secret, change }
}

function updateOf(db: Db) {
  return db.update(notificationEndpoints)
}

function ofUser(userId: number) {
  return and(eq(notificationEndpoints.userId, userId), isNull(notificationEndpoints.callbackOrigin))
}

function own(userId: number, id: number) {
  return and(eq(notificationEndpoints.id, id), ofUser(userId))
}

function missing(id: number): AppError {
  return notFound('notification endpoint', id)
}

function countOf(db: Db, userId: number): Promise<number> {
  return db.$count(notificationEndpoints, ofUser(userId))
}
