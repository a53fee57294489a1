import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database, Db } from '../db/database.ts'
import type { dataWebhooks } from '../db/schema.ts'
import { inUse, invalidField, notFound } from '../errors.ts'
import type { Vault } from '../secrets/vault.ts'

/** How long a node may go on with a webhook whose change it did not hear of; ingestion checks the version anyway. */
const cacheMs = 10_000

export type Webhook = typeof dataWebhooks.$inferSelect
export type WebhookStatus = Webhook['status']
export type KeyFrom = Webhook['keyFrom']

/** What keeps a webhook from being deleted. */
export type WebhookUser = { kind: string; id: number; name: string }

/** The webhooks of one kind: what texts call them, where they are kept, and where senders post. */
export type WebhookKind = {
  one: string
  /** That of data webhooks, or one that is like it column for column. */
  table: typeof dataWebhooks
  /** What of theirs is sealed and hashed, is so for this purpose alone. */
  purpose: string
  /** Where nodes tell each other of changes. */
  channel: string
  /** What stands before the id in their URLs. */
  path: string
  usersOf(tx: Db, id: number): Promise<WebhookUser[]>
}

/** What a user may say about a webhook; `key` is the password, of which only a hash is kept. */
export type WebhookWish = {
  name?: string
  description?: string
  isSafe?: boolean
  key?: string
  keyFrom?: KeyFrom
  status?: WebhookStatus
}

/** The webhooks of all users, of one kind. What belongs to another user is not found. */
export class Webhooks {
  #kind: WebhookKind
  #table: WebhookKind['table']
  #database: Database
  #vault: Vault
  #publicUrl: string
  #byUrlHash = new LRUCache<string, { webhook: Webhook | null }>({ max: 20_000, ttl: cacheMs })

  protected constructor(kind: WebhookKind, database: Database, vault: Vault, publicUrl: string) {
    this.#kind = kind
    this.#table = kind.table
    this.#database = database
    this.#vault = vault
    this.#publicUrl = publicUrl
  }

  /** Hears of what other nodes change. */
  protected async listen(): Promise<this> {
    await this.#database.listen(this.#kind.channel, (urlHash) => this.#byUrlHash.delete(urlHash))
    return this
  }

  async create(userId: number, wish: WebhookWish): Promise<Webhook> {
    const isSafe = wish.isSafe ?? false
    if (isSafe && wish.key === undefined) throw keyRequired()
    const urlId = randomBytes(32).toString('base64url')
    const [row] = await this.#database.db
      .insert(this.#table)
      .values({
        userId,
        name: wish.name ?? '',
        description: wish.description ?? '',
        status: wish.status ?? 'ACTIVE',
        isSafe,
        keyHash: wish.key === undefined ? null : this.#hashKey(wish.key),
        keyFrom: wish.keyFrom ?? 'header',
        urlHash: hashUrlId(urlId),
        urlSecret: this.#vault.seal(urlId, `${this.#kind.purpose}.url`),
      })
      .returning()
    return row!
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
    await this.#forget(row.urlHash)
    return row
  }

  /** @throws {AppError} 409 naming what still uses it */
  async delete(userId: number, id: number): Promise<void> {
    const row = await this.#database.db.transaction(async (tx) => {
      const own = and(eq(this.#table.id, id), eq(this.#table.userId, userId))
      const [current] = await tx.select().from(this.#table).where(own).for('update')
      if (current === undefined) throw notFound(this.#kind.one, id)
      const users = await this.#kind.usersOf(tx, id)
      if (users.length > 0) throw inUse(this.#kind.one, users)
      await tx.delete(this.#table).where(own)
      return current
    })
    await this.#forget(row.urlHash)
  }

  /** The URL that senders post to. */
  url(webhook: Webhook): string {
    const urlId = this.#vault.open(webhook.urlSecret, `${this.#kind.purpose}.url`).toString()
    return `${this.#publicUrl}${this.#kind.path}/${urlId}`
  }

  /** Finds a webhook by the id in its URL, from memory where it can. */
  find(urlId: string): Webhook | null | Promise<Webhook | null> {
    const urlHash = hashUrlId(urlId)
    const known = this.#byUrlHash.get(urlHash.toString('hex'))
    return known === undefined ? this.#load(urlHash) : known.webhook
  }

  /** Reads a webhook anew when what memory holds of it has turned out to be old. */
  refresh(webhook: Webhook): Promise<Webhook | null> {
    return this.#load(webhook.urlHash)
  }

  /** Whether `key` is the webhook's password. */
  keyFits(webhook: Webhook, key: string): boolean {
    const given = this.#hashKey(key)
    return webhook.keyHash !== null && timingSafeEqual(given, webhook.keyHash)
  }

  #hashKey(key: string): Buffer {
    return this.#vault.hash(key, `${this.#kind.purpose}.key`)
  }

  async #load(urlHash: Buffer): Promise<Webhook | null> {
    const [row] = await this.#database.db.select().from(this.#table).where(eq(this.#table.urlHash, urlHash))
    const webhook = row ?? null
    this.#byUrlHash.set(urlHash.toString('hex'), { webhook })
    return webhook
  }

  async #forget(urlHash: Buffer): Promise<void> {
    const key = urlHash.toString('hex')
    this.#byUrlHash.delete(key)
    await this.#database.notify(this.#kind.channel, key)
  }
}

function hashUrlId(urlId: string): Buffer {
  return createHash('sha256').update(urlId).digest()
}

function keyRequired(): Error {
  return invalidField('has_key', 'must hold a password while is_safe is on and none is set')
}
