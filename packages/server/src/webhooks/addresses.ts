import { hash, randomBytes } from 'node:crypto'
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { latestUsed } from '../base/latest-used.ts'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Webhook, WebhookKind } from './webhook-kind.ts'

/** How long a node may use a webhook without hearing of a change. Ingestion checks the version anyway. */
const cacheMs = 10_000
const cacheLimit = 20_000

/** The recipient of a share, and so the owner of a URL that leads to another user's webhook. */
export type Sender = { shareId: number; userId: number }

/** A webhook, and the URL that led to it. `sender` is `null` for the owner's URL. */
export type Entrance = { webhook: Webhook; urlHash: Buffer; sender: Sender | null }

/** `webhookId` is `null` if no webhook is at this URL. None ever will be: URLs are random. */
type Known = { urlHash: Buffer; webhookId: number | null; sender: Sender | null }

/** How a new URL is stored: a hash to find it by, and its sealed secret, to show it again. */
export type NewAddress = { urlHash: Buffer; urlSecret: Buffer }

/** The URLs of the webhooks of one kind: one for each owner and one for each recipient of a share. */
export class Addresses {
  #kind: WebhookKind
  #database: Database
  #vault: Vault
  #publicUrl: string
  #known = latestUsed<string, Known>(cacheLimit, cacheMs)
  /** Separate from the URLs: a change of a webhook applies to all its URLs. */
  #webhooks = latestUsed<number, Webhook>(cacheLimit, cacheMs)
  /**
   * Lookups under way, by the hash of the URL. Requests that arrive together wait for the same one: with one each,
   * their payloads would be stored in the order in which the database happens to answer.
   */
  #loading = new Map<string, Promise<Entrance | null>>()

  constructor(kind: WebhookKind, database: Database, vault: Vault, publicUrl: string) {
    this.#kind = kind
    this.#database = database
    this.#vault = vault
    this.#publicUrl = publicUrl
  }

  /** Starts to hear of changes by other nodes. */
  listen(): Promise<void> {
    return this.#database.listen(this.#kind.channel, (text) => this.#drop(text))
  }

  make(whose: 'owner' | 'recipient'): NewAddress {
    const urlId = randomBytes(32).toString('base64url')
    return {
      urlHash: Buffer.from(hashUrlId(urlId), 'hex'),
      urlSecret: this.#vault.seal(urlId, this.#sealPurpose(whose)),
    }
  }

  /** The URL that senders post to. */
  url(urlSecret: Buffer, whose: 'owner' | 'recipient'): string {
    const urlId = this.#vault.open(urlSecret, this.#sealPurpose(whose)).toString()
    return `${this.#publicUrl}${this.#kind.path}/${urlId}`
  }

  /** Finds a webhook by the secret in one of its URLs, from memory if possible. */
  find(urlId: string): Entrance | null | Promise<Entrance | null> {
    const urlHash = hashUrlId(urlId)
    const known = this.#known.get(urlHash)
    if (known === undefined) return this.#loadOnce(urlHash)
    if (known.webhookId === null) return null
    const webhook = this.#webhooks.get(known.webhookId)
    if (webhook === undefined || isReplaced(known, webhook)) return this.#loadOnce(urlHash)
    return { webhook, urlHash: known.urlHash, sender: known.sender }
  }

  /** Finds a webhook again, because its copy in memory is outdated. A lookup that is under way may be too old as well. */
  findAgain({ urlHash }: Entrance): Promise<Entrance | null> {
    return this.#loadOnce(urlHash.toString('hex'))
  }

  #loadOnce(hash: string): Promise<Entrance | null> {
    const underWay = this.#loading.get(hash)
    if (underWay !== undefined) return underWay
    const loading = this.load(Buffer.from(hash, 'hex')).finally(() => this.#loading.delete(hash))
    this.#loading.set(hash, loading)
    return loading
  }

  /** Finds a webhook in the database now, whatever memory has. */
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

  /** Tells every node that a webhook has changed or was deleted. */
  forgetWebhook(id: number): Promise<void> {
    return this.#forget(`webhook ${id}`)
  }

  /** Tells every node that a URL no longer leads to a webhook. */
  forgetUrl(urlHash: Buffer): Promise<void> {
    return this.#forget(urlHash.toString('hex'))
  }

  /** Two lookups in unique indexes: a join with `or` would read a whole table. */
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

/**
 * Whether the owner has rotated the URL since this node read where it leads. Without this check, the URL would still
 * lead to the webhook, whose version in memory may already be the one after the rotation.
 */
function isReplaced({ urlHash, sender }: Known, webhook: Webhook): boolean {
  return sender === null && !webhook.urlHash.equals(urlHash)
}

/** In hexadecimal digits. In one call, it takes a fifth of the time of a `Hash` object, and each payload needs it. */
function hashUrlId(urlId: string): string {
  return hash('sha256', urlId, 'hex')
}
