import { timingSafeEqual } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import { inUse, invalidField, notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import { Addresses, type Entrance } from './addresses.ts'
import { Shares } from './shares.ts'
import type { Webhook, WebhookKind, WebhookUser } from './webhook-kind.ts'

export type WebhookStatus = Webhook['status']
export type KeyFrom = Webhook['keyFrom']

/** What a user may say about a webhook; `key` is the password, of which only a hash is kept. */
export type WebhookWish = {
  name?: string
  description?: string
  isSafe?: boolean
  key?: string
  keyFrom?: KeyFrom
  status?: WebhookStatus
}

export type WebhooksParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  /** The URLs of webhooks begin with it. */
  publicUrl: string
}

/** The webhooks of all users, of one kind. What belongs to another user is not found. */
export class Webhooks {
  #kind: WebhookKind
  #table: WebhookKind['table']
  #database: Database
  #vault: Vault
  #limits: UserLimits
  #addresses: Addresses
  /** What its owners let others use. */
  readonly shares: Shares

  protected constructor(kind: WebhookKind, { database, vault, limits, publicUrl }: WebhooksParts) {
    this.#kind = kind
    this.#table = kind.table
    this.#database = database
    this.#vault = vault
    this.#limits = limits
    this.#addresses = new Addresses(kind, database, vault, publicUrl)
    this.shares = new Shares(kind, { database, limits, addresses: this.#addresses })
  }

  /** Hears of what other nodes change. */
  protected async listen(): Promise<this> {
    await this.#addresses.listen()
    return this
  }

  /** @throws {AppError} 409 when there are too many */
  async create(userId: number, wish: WebhookWish): Promise<Webhook> {
    const isSafe = wish.isSafe ?? false
    if (isSafe && wish.key === undefined) throw keyRequired()
    return this.#database.db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, this.#kind.limited)
      const [row] = await tx
        .insert(this.#table)
        .values({
          userId,
          name: wish.name ?? '',
          description: wish.description ?? '',
          status: wish.status ?? 'ACTIVE',
          isSafe,
          keyHash: wish.key === undefined ? null : this.#hashKey(wish.key),
          keyFrom: wish.keyFrom ?? 'header',
          ...this.#addresses.make('owner'),
        })
        .returning()
      return row!
    })
  }

  list(userId: number, window: { limit: number; offset: number }): Promise<Webhook[]> {
    return this.#database.db
      .select()
      .from(this.#table)
      .where(eq(this.#table.userId, userId))
      .orderBy(asc(this.#table.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number): Promise<number> {
    return this.#database.db.$count(this.#table, eq(this.#table.userId, userId))
  }

  async get(userId: number, id: number): Promise<Webhook> {
    const [row] = await this.#database.db
      .select()
      .from(this.#table)
      .where(and(eq(this.#table.id, id), eq(this.#table.userId, userId)))
    if (row === undefined) throw notFound(this.#kind.one, id)
    return row
  }

  async change(userId: number, id: number, wish: WebhookWish): Promise<Webhook> {
    const row = await this.#database.db.transaction(async (tx) => {
      const own = and(eq(this.#table.id, id), eq(this.#table.userId, userId))
      const [current] = await tx.select().from(this.#table).where(own).for('update')
      if (current === undefined) throw notFound(this.#kind.one, id)
      const isSafe = wish.isSafe ?? current.isSafe
      if (isSafe && wish.key === undefined && current.keyHash === null) throw keyRequired()
      const [changed] = await tx
        .update(this.#table)
        .set({
          name: wish.name ?? current.name,
          description: wish.description ?? current.description,
          status: wish.status ?? current.status,
          isSafe,
          keyHash: wish.key === undefined ? current.keyHash : this.#hashKey(wish.key),
          keyFrom: wish.keyFrom ?? current.keyFrom,
          version: sql`${this.#table.version} + 1`,
          updatedAt: sql`now()`,
        })
        .where(own)
        .returning()
      return changed!
    })
    await this.#addresses.forgetWebhook(id)
    return row
  }

  /** @throws {AppError} 409 naming what still uses it */
  async delete(userId: number, id: number): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const own = and(eq(this.#table.id, id), eq(this.#table.userId, userId))
      const [current] = await tx.select().from(this.#table).where(own).for('update')
      if (current === undefined) throw notFound(this.#kind.one, id)
      const users = await this.#kind.usersOf(tx, current)
      if (users.length > 0)
        throw inUse(
          this.#kind.one,
          users.map((user) => named(user, userId)),
        )
      await tx.delete(this.#table).where(own)
    })
    await this.#addresses.forgetWebhook(id)
  }

  /** The URL that its owner's senders post to. */
  url(webhook: Webhook): string {
    return this.#addresses.url(webhook.urlSecret, 'owner')
  }

  /** Finds a webhook by the id in a URL of it, from memory where it can. */
  find(urlId: string): Entrance | null | Promise<Entrance | null> {
    return this.#addresses.find(urlId)
  }

  /** Reads anew what leads to a webhook when what memory holds of it has turned out to be old. */
  refresh({ urlHash }: Entrance): Promise<Entrance | null> {
    return this.#addresses.load(urlHash)
  }

  /** Whether `key` is the webhook's password. */
  keyFits(webhook: Webhook, key: string): boolean {
    const given = this.#hashKey(key)
    return webhook.keyHash !== null && timingSafeEqual(given, webhook.keyHash)
  }

  #hashKey(key: string): Buffer {
    return this.#vault.hash(key, `${this.#kind.purpose}.key`)
  }
}

/** What is somebody else's is told of as theirs, and by nothing else. */
function named({ userId, ...user }: WebhookUser, ownerId: number) {
  return userId === ownerId ? user : { kind: user.kind, userId }
}

function keyRequired(): Error {
  return invalidField('has_key', 'must hold a password while is_safe is on and none is set')
}
