import { timingSafeEqual } from 'node:crypto'
import { and, asc, eq, getTableColumns, isNotNull, or, sql } from 'drizzle-orm'
import type { Note } from '../accounts/audit-log.ts'
import { inUse, invalidField, notFound } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { madeUpName } from '../base/made-up-name.ts'
import type { Database, Db } from '../db/database.ts'
import { ofOne } from '../db/reads.ts'
import type { AlertFormat } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Announce } from '../live/changes.ts'
import type { Vault } from '../secrets/vault.ts'
import { Addresses, type Entrance } from './addresses.ts'
import { RefusedPosts } from './refused-posts.ts'
import { Shares } from './shares.ts'
import type { Webhook, WebhookKind, WebhookUser } from './webhook-kind.ts'

export type WebhookStatus = Webhook['status']
export type KeyFrom = Webhook['keyFrom']
export type ContentType = Webhook['contentType']

/** The settings that a user gives or changes. `key` is the password; the service stores only its hash. */
export type WebhookChanges = {
  name?: string
  description?: string
  isSafe?: boolean
  key?: string
  /** Default: where webhooks of this kind take it. */
  keyFrom?: KeyFrom
  /** Default: what webhooks of this kind accept. */
  contentType?: ContentType
  /** Default: everyone's posts. */
  allowFrom?: string[]
  /** Of bot webhooks only. Default: our own. */
  format?: AlertFormat
  status?: WebhookStatus
}

export type WebhooksParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  /** The start of the webhooks' URLs. */
  publicUrl: string
  /** Tells live streams of changes; default: nobody. */
  announce?: Announce
}

/** The webhooks of one kind, of all users. A webhook of another user counts as not found. */
export class Webhooks {
  #kind: WebhookKind
  #table: WebhookKind['table']
  #database: Database
  #vault: Vault
  #limits: UserLimits
  #announce: Announce
  #addresses: Addresses
  /** The shares of these webhooks. */
  readonly shares: Shares
  /** The posts that these webhooks have refused. */
  readonly refused: RefusedPosts

  protected constructor(kind: WebhookKind, parts: WebhooksParts) {
    const { database, vault, limits, publicUrl } = parts
    this.#kind = kind
    this.#table = kind.table
    this.#database = database
    this.#vault = vault
    this.#limits = limits
    this.#announce = parts.announce ?? (() => undefined)
    this.#addresses = new Addresses(kind, database, vault, publicUrl)
    this.shares = new Shares(kind, {
      ...{ database, limits, addresses: this.#addresses, announce: this.#announce },
    })
    this.refused = new RefusedPosts(kind, database)
  }

  /** Starts to hear of changes by other nodes. */
  protected async listen(): Promise<this> {
    await this.#addresses.listen()
    return this
  }

  /** @throws {AppError} 409 if the user has too many */
  async create(userId: number, changes: WebhookChanges): Promise<Webhook> {
    const row = await this.#database.db.transaction((tx) => this.createIn(tx, userId, changes))
    this.tellOfNew(row.id)
    return row
  }

  /**
   * Creates a webhook as a part of a transaction, which has locked nothing but the account before. After the commit, call
   * `tellOfNew`.
   */
  async createIn(tx: Db, userId: number, changes: WebhookChanges): Promise<Webhook> {
    const isSafe = changes.isSafe ?? false
    if (isSafe && changes.key === undefined) throw keyRequired()
    await this.#limits.demandRoom(tx, userId, this.#kind.limited)
    const [row] = await tx
      .insert(this.#table)
      .values({
        userId,
        name: changes.name ?? madeUpName(),
        description: changes.description ?? '',
        status: changes.status ?? 'ACTIVE',
        isSafe,
        keyHash: changes.key === undefined ? null : this.#hashKey(changes.key),
        ...(changes.keyFrom === undefined ? {} : { keyFrom: changes.keyFrom }),
        ...(changes.contentType === undefined ? {} : { contentType: changes.contentType }),
        allowFrom: changes.allowFrom ?? [],
        ...given({ format: changes.format }),
        ...this.#addresses.make('owner'),
      })
      .returning()
    return row!
  }

  list(userId: number, window: { limit: number; offset: number }): Promise<Webhook[]> {
    return this.#database.read(this.#kind.limited, { userId, ...window }, ({ userId, limit, offset }) =>
      this.#database.db
        .select()
        .from(this.#table)
        .where(ofOne(this.#table.userId, userId))
        .orderBy(asc(this.#table.userId), asc(this.#table.id))
        .limit(limit)
        .offset(offset),
    )
  }

  count(userId: number): Promise<number> {
    return this.#database.count(this.#table, { userId }, ({ userId }) => ofOne(this.#table.userId, userId))
  }

  async get(userId: number, id: number): Promise<Webhook> {
    const [row] = await this.#database.read(this.#kind.purpose, { userId, id }, ({ userId, id }) =>
      this.#database.db
        .select()
        .from(this.#table)
        .where(and(eq(this.#table.id, id), eq(this.#table.userId, userId))),
    )
    if (row === undefined) throw notFound(this.#kind.one, id)
    return row
  }

  async change(userId: number, id: number, changes: WebhookChanges): Promise<Webhook> {
    const row = await this.#database.db.transaction((tx) => this.changeIn(tx, userId, id, changes))
    await this.tell(id)
    return row
  }

  /** Changes a webhook as a part of a transaction. After the commit, call `tell`. */
  async changeIn(tx: Db, userId: number, id: number, changes: WebhookChanges): Promise<Webhook> {
    const own = and(eq(this.#table.id, id), eq(this.#table.userId, userId))
    const [current] = await tx.select().from(this.#table).where(own).for('update')
    if (current === undefined) throw notFound(this.#kind.one, id)
    const isSafe = changes.isSafe ?? current.isSafe
    if (isSafe && changes.key === undefined && current.keyHash === null) throw keyRequired()
    const [changed] = await tx
      .update(this.#table)
      .set({
        name: changes.name ?? current.name,
        description: changes.description ?? current.description,
        status: changes.status ?? current.status,
        isSafe,
        keyHash: changes.key === undefined ? current.keyHash : this.#hashKey(changes.key),
        keyFrom: changes.keyFrom ?? current.keyFrom,
        contentType: changes.contentType ?? current.contentType,
        allowFrom: changes.allowFrom ?? current.allowFrom,
        ...given({ format: changes.format }),
        version: sql`${this.#table.version} + 1`,
        updatedAt: sql`now()`,
      })
      .where(own)
      .returning()
    return changed!
  }

  /** After the commit of a change, every node accepts payloads by it, and live streams show it. */
  async tell(id: number): Promise<void> {
    await this.#addresses.forgetWebhook(id)
    this.tellOfNew(id)
  }

  /** No node knows a new webhook yet, so only live streams have to hear of it. */
  tellOfNew(id: number): void {
    this.#announce({ kind: 'status', id, part: this.#kind.purpose })
  }

  /**
   * Gives the webhook a new URL for its owner. After the commit, no node accepts anything by the old one: the version
   * increases, so a payload that was checked before is checked again. The URLs of shares stay.
   */
  async rotate(userId: number, id: number, note: Note): Promise<Webhook> {
    const row = await this.#database.db.transaction(async (tx) => {
      const [rotated] = await tx
        .update(this.#table)
        .set({
          ...this.#addresses.make('owner'),
          version: sql`${this.#table.version} + 1`,
          updatedAt: sql`now()`,
        })
        .where(and(eq(this.#table.id, id), eq(this.#table.userId, userId)))
        .returning()
      if (rotated === undefined) throw notFound(this.#kind.one, id)
      await note(tx, { kind: this.#kind.one, webhook_id: id, name: rotated.name })
      return rotated
    })
    await this.tell(id)
    return row
  }

  /** @throws {AppError} 409, naming what still uses the webhook */
  async delete(userId: number, id: number): Promise<void> {
    const tell = await this.#database.db.transaction((tx) => this.deleteIn(tx, userId, id))
    await tell()
  }

  /**
   * Deletes a webhook as a part of a transaction. Throws what `delete` does.
   * @returns what to do after the commit
   */
  async deleteIn(tx: Db, userId: number, id: number): Promise<() => Promise<void>> {
    const own = and(eq(this.#table.id, id), eq(this.#table.userId, userId))
    const [current] = await tx.select().from(this.#table).where(own).for('update')
    if (current === undefined) throw notFound(this.#kind.one, id)
    const users = await this.#kind.usersOf(tx, current)
    if (users.length > 0)
      throw inUse(
        this.#kind.one,
        users.map((user) => describeUse(user, userId)),
      )
    const { refused } = this.#kind
    await tx.delete(refused).where(eq(refused.webhookId, id))
    await tx.delete(this.#table).where(own)
    return () => this.#addresses.forgetWebhook(id)
  }

  /** The owner's URL, which senders post to. */
  url(webhook: Webhook): string {
    return this.#addresses.url(webhook.urlSecret, 'owner')
  }

  /** The way of a signed-in user to their own webhook, or to one that is shared with them. @throws {AppError} 404 */
  async entranceOf(userId: number, id: number): Promise<Entrance> {
    const { shares } = this.#kind
    const [row] = await this.#database.db
      .select({ webhook: getTableColumns(this.#table), shareId: shares.id, urlHash: shares.urlHash })
      .from(this.#table)
      .leftJoin(shares, and(eq(shares.webhookId, this.#table.id), eq(shares.userId, userId)))
      .where(and(eq(this.#table.id, id), or(eq(this.#table.userId, userId), isNotNull(shares.id))))
    if (row === undefined) throw notFound(this.#kind.one, id)
    const { webhook, shareId, urlHash } = row
    if (webhook.userId === userId) return { webhook, urlHash: webhook.urlHash, sender: null }
    return { webhook, urlHash: urlHash!, sender: { shareId: shareId!, userId } }
  }

  /** Finds a webhook by the secret in one of its URLs, from memory if possible. */
  find(urlId: string): Entrance | null | Promise<Entrance | null> {
    return this.#addresses.find(urlId)
  }

  /** Finds a webhook again, because its copy in memory is outdated. The answer may be outdated once more. */
  findAgain(entrance: Entrance): Promise<Entrance | null> {
    return this.#addresses.findAgain(entrance)
  }

  /** Reads the webhook at a URL now, whatever memory has. */
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

/** Names what uses a webhook. Of another user's, it tells only the kind and the user. */
function describeUse({ userId, ...user }: WebhookUser, ownerId: number) {
  return userId === ownerId ? user : { kind: user.kind, userId }
}

function keyRequired(): Error {
  return invalidField('has_key', 'must be a password, because is_safe is on and no password is set')
}
