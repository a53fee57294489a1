import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Note } from '../accounts/audit-log.ts'
import { AppError, invalidField, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import {
  type DigestTime,
  type EndpointKind,
  type EndpointStatus,
  type EventType,
  notificationDeliveries,
  notificationEndpoints,
  type QuietHours,
} from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import { type ChatFields, type FieldName, fieldNames } from './kinds/kind.ts'
import { chatKindOf, checkPlace, endpointKinds, receiverOf } from './kinds/kinds.ts'
import { checkLoudness, checkZone } from './loudness.ts'
import { noFailures } from './queue.ts'
import { openPlace, sealPlace, sealSecret } from './sealed.ts'
import { makeSecret } from './signature.ts'
import { tellOfSubscribers } from './subscribers.ts'

type Row = typeof notificationEndpoints.$inferSelect

/**
 * An endpoint, as its user sees it. Of its fields, it shows only those that are no secrets: `url` of a webhook, and what
 * names a chat. `receiver` is `null` if they were encrypted with another master key.
 */
export type Endpoint = {
  id: number
  kind: EndpointKind
  receiver: string | null
  url: string | null
  chatId: string | null
  threadId: string | null
  device: string | null
  description: string
  events: EventType[]
  silent: EventType[]
  quietHours: QuietHours | null
  digest: DigestTime | null
  mutedUntil: Date | null
  status: EndpointStatus
  reason: string | null
  failingSince: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Changes of an endpoint. A field that is `null` is removed. */
export type EndpointChanges = {
  fields?: { [name in FieldName]?: string | null }
  description?: string
  events?: EventType[]
  silent?: EventType[]
  quietHours?: QuietHours | null
  digest?: DigestTime | null
}

export type NewEndpoint = {
  kind: EndpointKind
  fields: ChatFields
  description: string
  events: EventType[]
  silent?: EventType[]
  quietHours?: QuietHours | null
  digest?: DigestTime | null
}

export type EndpointsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  /** Throws for an address that notifications may not go to, as far as the address alone shows it. */
  checkUrl(url: URL): void
  /** The same for an address that must have TLS: those of chats are secrets. */
  checkSecureUrl(url: URL): void
  /** Whether there is a mail server. */
  hasMail: boolean
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
   * Creates an active endpoint. The secret of a webhook is shown only once; other kinds have none.
   * @throws {AppError} 400 for invalid fields or a refused address; 409 if there are too many
   */
  async create(
    userId: number,
    { kind, fields, description, events, silent = [], quietHours = null, digest = null }: NewEndpoint,
    note: Note,
  ): Promise<{ endpoint: Endpoint; secret: string | null }> {
    const { database, vault, limits } = this.#parts
    const place = this.#readPlace(kind, fields)
    checkLoudness(kind, { silent, quietHours })
    if (digest !== null) checkZone('digest.time_zone', digest.time_zone)
    const secret = makeSecret()
    const row = await database.db.transaction(async (tx) => {
      await limits.demandRoom(tx, userId, 'notification_endpoints')
      const [made] = await tx
        .insert(notificationEndpoints)
        .values({
          userId,
          kind,
          url: sealPlace(vault, userId, kind, place),
          ...{ description, events, silent, quietHours, digest },
          secret: sealSecret(vault, userId, secret),
        })
        .returning()
      await note(tx, { endpoint_id: made!.id })
      await tellOfSubscribers(tx)
      return made!
    })
    await this.#parts.onSubscribers()
    return { endpoint: this.#show(row), secret: kind === 'webhook' ? secret : null }
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

  /**
   * Changes the given fields, and keeps the others, secrets included. The service tries a new address at once.
   * @param note called if the endpoint sends to another place, or with another token
   */
  async update(
    userId: number,
    id: number,
    { fields = {}, ...rest }: EndpointChanges,
    note: Note,
  ): Promise<Endpoint> {
    const endpoint = await this.#parts.database.db.transaction(async (tx) => {
      const [before] = await tx.select().from(notificationEndpoints).where(own(userId, id)).for('update')
      if (before === undefined) throw missing(id)
      checkLoudness(before.kind, { ...before, ...rest })
      if (rest.digest) checkZone('digest.time_zone', rest.digest.time_zone)
      if (Object.keys(fields).length === 0) return this.#change(tx, userId, id, rest)
      const { place, isMoved } = this.#changedPlace(before, fields)
      if (isMoved) await note(tx, { endpoint_id: id })
      return this.#change(tx, userId, id, { ...rest, ...place })
    })
    this.#parts.onWaiting()
    return endpoint
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

  /**
   * Creates a new secret of a webhook, shown only once. For a day, the previous one signs too; earlier ones do not.
   * @throws {AppError} 409 for another kind
   */
  async rotate(userId: number, id: number, note: Note): Promise<{ endpoint: Endpoint; secret: string }> {
    const { secret, change } = rotation(this.#parts.vault, userId)
    const endpoint = await this.#parts.database.db.transaction(async (tx) => {
      const endpoint = await this.#change(tx, userId, id, change)
      if (endpoint.kind !== 'webhook') {
        throw new AppError('resource_conflict', `An endpoint of the kind ${endpoint.kind} signs nothing.`)
      }
      await note(tx, { endpoint_id: id })
      return endpoint
    })
    return { endpoint, secret }
  }

  /**
   * Silences all chats of a user for a while, except for urgent events, or with `null` no longer.
   * @returns how many endpoints can be silent
   */
  async mute(userId: number, minutes: number | null): Promise<number> {
    const kinds = endpointKinds.filter((kind) => chatKindOf(kind)?.canBeSilent === true)
    const until = minutes === null ? null : sql`now() + make_interval(mins => ${minutes}::int)`
    const muted = await updateOf(this.#parts.database.db)
      .set({ mutedUntil: until })
      .where(and(ofUser(userId), inArray(notificationEndpoints.kind, kinds)))
      .returning({ id: notificationEndpoints.id })
    return muted.length
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
    tx: Db,
    userId: number,
    id: number,
    change: Parameters<ReturnType<typeof updateOf>['set']>[0],
  ): Promise<Endpoint> {
    const [row] = await updateOf(tx)
      // The next digest is at another time.
      .set({ ...change, ...(change.digest !== undefined && { digestDueAt: null }), updatedAt: sql`now()` })
      .where(own(userId, id))
      .returning()
    if (row === undefined) throw missing(id)
    return this.#show(row)
  }

  /** The columns of a changed place, and whether it is another one. What fails may work now, so it starts again. */
  #changedPlace(row: Row, changed: NonNullable<EndpointChanges['fields']>) {
    const { vault } = this.#parts
    const before = this.#placeOf(row)
    const all = Object.entries({ ...before, ...changed }).filter(([, text]) => text !== null)
    const after = this.#readPlace(row.kind, Object.fromEntries(all))
    return {
      place: { url: sealPlace(vault, row.userId, row.kind, after), ...noFailures },
      isMoved: fieldNames.some((name) => before[name] !== after[name]),
    }
  }

  /** @throws {AppError} 400 if the fields are not those of the kind, or the service may not send there */
  #readPlace(kind: EndpointKind, fields: ChatFields): ChatFields {
    if (kind === 'email' && !this.#parts.hasMail) {
      throw invalidField('kind', 'cannot be email: the service has no mail server (SMTP_URL)')
    }
    if (fields.url === undefined) {
      checkPlace(kind, fields)
      return fields
    }
    // The address of a chat is a secret, so it must not travel in the clear.
    const check = kind === 'webhook' ? this.#parts.checkUrl : this.#parts.checkSecureUrl
    const place = { ...fields, url: readUrl(fields.url, check) }
    checkPlace(kind, place)
    return place
  }

  /** Empty if the service can no longer decrypt it. */
  #placeOf(row: Row): ChatFields {
    try {
      return openPlace(this.#parts.vault, row)
    } catch {
      return {}
    }
  }

  #show(row: Row): Endpoint {
    const { id, kind, description, events, silent, quietHours, digest, status, reason } = row
    const { failingSince, mutedUntil, createdAt, updatedAt } = row
    const shown = { id, kind, description, events, silent, quietHours, digest, status, reason }
    const place = this.#placeOf(row)
    // The user can still see and delete an endpoint that cannot be decrypted.
    const isReadable = kind === 'email' || Object.keys(place).length > 0
    return {
      ...shown,
      ...{ failingSince, mutedUntil, createdAt, updatedAt },
      receiver: isReadable ? receiverOf(kind, place) : null,
      url: kind === 'webhook' ? (place.url ?? null) : null,
      chatId: place.chat_id ?? null,
      threadId: place.thread_id ?? null,
      device: place.device ?? null,
    }
  }
}

/** @throws {AppError} 400 if it is not an address, or `check` throws for it */
function readUrl(text: string, check: (url: URL) => void): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw invalidField('url', 'must be an absolute http: or https: address')
  }
  url.hash = ''
  try {
    check(url)
  } catch (error) {
    // The message is a sentence and becomes part of one.
    throw invalidField('url', `cannot be used: ${(error as Error).message.replace(/\.$/, '')}`)
  }
  return url.href
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
