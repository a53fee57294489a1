import { createHash, randomBytes } from 'node:crypto'
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Webhook, WebhookKind } from './webhook-kind.ts'

/** How long a node may go on with a webhook whose change it did not hear of; ingestion checks the version anyway. */
const cacheMs = 10_000
const cachedAtMost = 20_000

/** Whose URL leads to a webhook, where it is not the owner's: a user whom it is shared with. */
export type Sender = { shareId: number; userId: number }

/** A webhook, and the URL by which it was found. `sender` is `null` for its owner's. */
export type Entrance = { webhook: Webhook; urlHash: Buffer; sender: Sender | null }

/** `webhookId` is `null` where nothing is at this URL; then there never will be, since URLs are random. */
type Known = { urlHash: Buffer; webhookId: number | null; sender: Sender | null }

/** What a new URL is stored as: a hash to find it by, and the id in it, sealed, to show it again. */
export type NewAddress = { urlHash: Buffer; urlSecret: Buffer }

/** The URLs of webhooks of one kind: one of each owner, and one of each user whom a webhook is shared with. */
export class Addresses {
  #kind: WebhookKind
  #database: Database
  #vault: Vault
  #publicUrl: string
  #known = new LRUCache<string, Known>({ max: cachedAtMost, ttl: cacheMs })
  /** Apart from their URLs: a change of a webhook counts for all of them. */
  #webhooks = new LRUCache<number, Webhook>({ max: cachedAtMost, ttl: cacheMs })

  constructor(kind: WebhookKind, database: Database, vault: Vault, publicUrl: string) {
    this.#kind = kind
    this.#database = database
    this.#vault = vault
    this.#publicUrl = publicUrl
  }

  /** Hears of what other nodes change. */
  listen(): Promise<void> {
    return this.#database.listen(this.#kind.channel, (text) => this.#drop(text))
  }

  make(whose: 'owner' | 'recipient'): NewAddress {
    const urlId = randomBytes(32).toString('base64url')
    return { urlHash: hashUrlId(urlId), urlSecret: this.#vault.seal(urlId, this.#sealPurpose(whose)) }
  }

  /** The URL that senders post to. */
  url(urlSecret: Buffer, whose: 'owner' | 'recipient'): string {
    const urlId = this.#vault.open(urlSecret, this.#sealPurpose(whose)).toString()
    return `${this.#publicUrl}${this.#kind.path}/${urlId}`
  }

  /** Finds a webhook by the id in one of its URLs, from memory where it can. */
  find(urlId: string): Entrance | null | Promise<Entrance | null> {
    const urlHash = hashUrlId(urlId)
    const known = this.#known.get(urlHash.toString('hex'))
    if (known === undefined) return this.load(urlHash)
    if (known.webhookId === null) return null
    const webhook = this.#webhooks.get(known.webhookId)
    if (webhook === undefined) return this.load(urlHash)
    return { webhook, urlHash: known.urlHash, sender: known.sender }
  }

  /** Finds a webhook in the database, when what memory holds of it is missing or has turned out to be old. */
  async load(urlHash: Buffer): Promise<Entrance | null> {
    const { table, shares } = this.#kind
    const [row] = await this.#database.db
      .select({ webhook: getTableColumns(table), shareId: shares.id, userId: shares.userId })
      .from(table)
      .leftJoin(shares, and(eq(shares.webhookId, table.id), eq(shares.urlHash, urlHash)))
      .where(eq(table.id, this.#idAt(urlHash)))
    const sender =
      row === undefined || row.shareId === null ? null : { shareId: row.shareId, userId: row.userId! }
    this.#known.set(urlHash.toString('hex'), { urlHash, webhookId: row?.webhook.id ?? null, sender })
    if (row === undefined) return null
    this.#webhooks.set(row.webhook.id, row.webhook)
    return { webhook: row.webhook, urlHash, sender }
  }

  /** A webhook has changed, or is gone: told to every node. */
  forgetWebhook(id: number): Promise<void> {
    return this.#forget(`webhook ${id}`)
  }

  /** A URL leads nowhere any more: told to every node. */
  forgetUrl(urlHash: Buffer): Promise<void> {
    return this.#forget(urlHash.toString('hex'))
  }

  /** Two lookups in unique indexes; a join on either would read a table. */
  #idAt(urlHash: Buffer): SQL<number> {
    const { table, shares } = this.#kind
    return sql`coalesce(
      (select w.id from ${table} w where w.url_hash = ${urlHash}),
      (select h.webhook_id from ${shares} h join ${users} u on u.id = h.user_id
        where h.url_hash = ${urlHash} and u.status = 'ACTIVE'))`
  }

  async #forget(text: string): Promise<void> {
    this.#drop(text)
    await this.#database.notify(this.#kind.channel, text)
  }

  #drop(text: string): void {
    const [what, id] = text.split(' ')
    if (id === undefined) this.#known.delete(what!)
    else this.#webhooks.delete(Number(id))
  }

  #sealPurpose(whose: 'owner' | 'recipient'): string {
    return `${this.#kind.purpose}.${whose === 'owner' ? 'url' : 'share_url'}`
  }
}

function hashUrlId(urlId: string): Buffer {
  return createHash('sha256').update(urlId).digest()
}
