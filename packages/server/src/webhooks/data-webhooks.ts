import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import { dataWebhooks, strategies } from '../db/schema.ts'
import { AppError, notFound } from '../errors.ts'
import type { Vault } from '../secrets/vault.ts'

const urlPurpose = 'data_webhook.url'
const keyPurpose = 'data_webhook.key'
const changesChannel = 'tickwright_data_webhooks'
/** How long a node may go on with a webhook whose change it did not hear of; ingestion checks the version anyway. */
const cacheMs = 10_000

export type DataWebhook = typeof dataWebhooks.$inferSelect
export type WebhookStatus = DataWebhook['status']
export type KeyFrom = DataWebhook['keyFrom']

/** What a user may say about a webhook; `key` is the password, of which only a hash is kept. */
export type WebhookWish = {
  name?: string
  description?: string
  isSafe?: boolean
  key?: string
  keyFrom?: KeyFrom
  status?: WebhookStatus
}

/** The data webhooks of all users. What belongs to another user is not found. */
export class DataWebhooks {
  #database: Database
  #vault: Vault
  #publicUrl: string
  #byUrlHash = new LRUCache<string, { webhook: DataWebhook | null }>({ max: 20_000, ttl: cacheMs })

  private constructor(database: Database, vault: Vault, publicUrl: string) {
    this.#database = database
    this.#vault = vault
    this.#publicUrl = publicUrl
  }

  static async open(database: Database, vault: Vault, publicUrl: string): Promise<DataWebhooks> {
    const webhooks = new DataWebhooks(database, vault, publicUrl)
    await database.listen(changesChannel, (urlHash) => webhooks.#byUrlHash.delete(urlHash))
    return webhooks
  }

  async create(userId: number, wish: WebhookWish): Promise<DataWebhook> {
    const isSafe = wish.isSafe ?? false
    if (isSafe && wish.key === undefined) throw keyRequired()
    const urlId = randomBytes(32).toString('base64url')
    const [row] = await this.#database.db
      .insert(dataWebhooks)
      .values({
        userId,
        name: wish.name ?? '',
        description: wish.description ?? '',
        status: wish.status ?? 'ACTIVE',
        isSafe,
        keyHash: wish.key === undefined ? null : this.#vault.hash(wish.key, keyPurpose),
        keyFrom: wish.keyFrom ?? 'header',
        urlHash: hashUrlId(urlId),
        urlSecret: this.#vault.seal(urlId, urlPurpose),
      })
      .returning()
    return row!
  }

  list(userId: number, window: { limit: number; offset: number }): Promise<DataWebhook[]> {
    return this.#database.db
      .select()
      .from(dataWebhooks)
      .where(eq(dataWebhooks.userId, userId))
      .orderBy(asc(dataWebhooks.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number): Promise<number> {
    return this.#database.db.$count(dataWebhooks, eq(dataWebhooks.userId, userId))
  }

  async get(userId: number, id: number): Promise<DataWebhook> {
    const [row] = await this.#database.db
      .select()
      .from(dataWebhooks)
      .where(and(eq(dataWebhooks.id, id), eq(dataWebhooks.userId, userId)))
    if (row === undefined) throw notFound('data webhook', id)
    return row
  }

  async change(userId: number, id: number, wish: WebhookWish): Promise<DataWebhook> {
    const row = await this.#database.db.transaction(async (tx) => {
      const own = and(eq(dataWebhooks.id, id), eq(dataWebhooks.userId, userId))
      const [current] = await tx.select().from(dataWebhooks).where(own).for('update')
      if (current === undefined) throw notFound('data webhook', id)
      const isSafe = wish.isSafe ?? current.isSafe
      if (isSafe && wish.key === undefined && current.keyHash === null) throw keyRequired()
      const [changed] = await tx
        .update(dataWebhooks)
        .set({
          name: wish.name ?? current.name,
          description: wish.description ?? current.description,
          status: wish.status ?? current.status,
          isSafe,
          keyHash: wish.key === undefined ? current.keyHash : this.#vault.hash(wish.key, keyPurpose),
          keyFrom: wish.keyFrom ?? current.keyFrom,
          version: sql`${dataWebhooks.version} + 1`,
          updatedAt: sql`now()`,
        })
        .where(own)
        .returning()
      return changed!
    })
    await this.#forget(row.urlHash)
    return row
  }

  /** @throws {AppError} 409 naming the reactions that are still attached */
  async delete(userId: number, id: number): Promise<void> {
    const row = await this.#database.db.transaction(async (tx) => {
      const own = and(eq(dataWebhooks.id, id), eq(dataWebhooks.userId, userId))
      const [current] = await tx.select().from(dataWebhooks).where(own).for('update')
      if (current === undefined) throw notFound('data webhook', id)
      const attached = await tx
        .select({ id: strategies.id, name: strategies.name })
        .from(strategies)
        .where(eq(strategies.dataWebhookId, id))
        .orderBy(asc(strategies.id))
        .limit(100)
      if (attached.length > 0) throw inUse(attached)
      await tx.delete(dataWebhooks).where(own)
      return current
    })
    await this.#forget(row.urlHash)
  }

  /** The URL that senders post to. */
  url(webhook: DataWebhook): string {
    const urlId = this.#vault.open(webhook.urlSecret, urlPurpose).toString()
    return `${this.#publicUrl}/data-webhook/${urlId}`
  }

  /** Finds a webhook by the id in its URL, from memory where it can. */
  find(urlId: string): DataWebhook | null | Promise<DataWebhook | null> {
    const urlHash = hashUrlId(urlId)
    const known = this.#byUrlHash.get(urlHash.toString('hex'))
    return known === undefined ? this.#load(urlHash) : known.webhook
  }

  /** Reads a webhook anew when what memory holds of it has turned out to be old. */
  refresh(webhook: DataWebhook): Promise<DataWebhook | null> {
    return this.#load(webhook.urlHash)
  }

  /** Whether `key` is the webhook's password. */
  keyFits(webhook: DataWebhook, key: string): boolean {
    const given = this.#vault.hash(key, keyPurpose)
    return webhook.keyHash !== null && timingSafeEqual(given, webhook.keyHash)
  }

  async #load(urlHash: Buffer): Promise<DataWebhook | null> {
    const [row] = await this.#database.db.select().from(dataWebhooks).where(eq(dataWebhooks.urlHash, urlHash))
    const webhook = row ?? null
    this.#byUrlHash.set(urlHash.toString('hex'), { webhook })
    return webhook
  }

  async #forget(urlHash: Buffer): Promise<void> {
    const key = urlHash.toString('hex')
    this.#byUrlHash.delete(key)
    await this.#database.notify(changesChannel, key)
  }
}

function hashUrlId(urlId: string): Buffer {
  return createHash('sha256').update(urlId).digest()
}

function keyRequired(): AppError {
  const message = 'must hold a password while is_safe is on and none is set'
  return new AppError('request_invalid', `Invalid request: body.has_key ${message}.`, {
    details: [{ field: 'body.has_key', message }],
  })
}

function inUse(attached: { id: number; name: string }[]): AppError {
  const names = attached.map(({ id, name }) => `${id}${name === '' ? '' : ` (${name})`}`).join(', ')
  return new AppError('resource_in_use', `The data webhook is still used by the reactions ${names}.`, {
    details: attached.map(({ id, name }) => ({ message: `code reaction ${id}`, id, name })),
  })
}
