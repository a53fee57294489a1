import { and, asc, eq, exists, getTableColumns, type SQL } from 'drizzle-orm'
import { invalidField, notFound } from '../base/errors.ts'
import { keepPace, TokenBuckets } from '../base/token-buckets.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { type dataWebhookShares, users } from '../db/schema.ts'
import { limitReached, type UserLimits } from '../db/user-limits.ts'
import type { Addresses } from './addresses.ts'
import type { Webhook, WebhookKind } from './webhook-kind.ts'

/** Users whom one webhook can be shared with: enough for a group, and a bound for what a revocation has to do. */
const sharesAtMost = 1000
/** For each owner on each node. */
const sharesASecond = 1
const sharesAtOnce = 200

export type SharesParts = { database: Database; limits: UserLimits; addresses: Addresses }

export type Share = typeof dataWebhookShares.$inferSelect

/** A webhook as the user sees it whom it is shared with. */
export type SharedWebhook = {
  share: Share
  webhook: Pick<Webhook, 'id' | 'name' | 'description' | 'status' | 'userId'>
}

type Window = { limit: number; offset: number }

/**
 * Which webhooks of one kind are shared, with whom. What a user does with a webhook of somebody else, only a share
 * allows: posting by its URL, and attaching what is their own.
 */
export class Shares {
  #kind: WebhookKind
  #database: Database
  #limits: UserLimits
  #addresses: Addresses
  #pace = new TokenBuckets(sharesASecond, sharesAtOnce)

  constructor(kind: WebhookKind, { database, limits, addresses }: SharesParts) {
    this.#kind = kind
    this.#database = database
    this.#limits = limits
    this.#addresses = addresses
  }

  /**
   * Gives a user a URL of their own. Who has one keeps it. Whether the id is anybody's, the answer does not tell, so
   * that nobody can find out which users there are: a share with nobody is stored and listed like any other. It stays
   * nobody's when a new user gets that id, unless it is made again.
   * @throws {AppError} 404 for a webhook of somebody else; 400 for oneself; 409 over a limit; 429 for too many at once
   */
  async share(ownerId: number, webhookId: number, userId: number): Promise<{ share: Share; isNew: boolean }> {
    const { table, shares, one } = this.#kind
    await this.#need(ownerId, webhookId)
    if (userId === ownerId)
      throw invalidField('userId', 'is yourself; a webhook is shared with somebody else')
    // The answers are the same for everybody; what little their times may tell takes many questions to hear.
    keepPace(this.#pace, ownerId, 'Webhooks are being shared too fast.')
    return this.#db.transaction(async (tx) => {
      // One at a time for each owner: for the limits, and so that two at once find one share.
      await lockAccount(tx, ownerId)
      const [recipient] = await tx
        .select({ id: users.id })
        .from(users)
        .where(eq(users.id, userId))
        .for('key share')
      const [held] = await tx
        .select({ id: table.id })
        .from(table)
        .where(this.#own(ownerId, webhookId))
        .for('no key update')
      if (held === undefined) throw notFound(one, webhookId)
      const effective = recipient?.id ?? null
      const [known] = await tx
        .update(shares)
        .set({ userId: effective })
        .where(this.#between(webhookId, userId))
        .returning()
      if (known !== undefined) return { share: known, isNew: false }
      await this.#demandRoom(tx, ownerId, webhookId)
      const [share] = await tx
        .insert(shares)
        .values({ webhookId, namedUserId: userId, userId: effective, ...this.#addresses.make('recipient') })
        .returning()
      return { share: share!, isNew: true }
    })
  }

  /**
   * Takes a user's URL away, and parts what is theirs from the webhook, in one transaction. Nothing is accepted by that
   * URL from its commit on.
   * @throws {AppError} 404 for a webhook of somebody else, and where it is not shared with this user
   */
  async revoke(ownerId: number, webhookId: number, userId: number): Promise<void> {
    const { shares, one } = this.#kind
    await this.#need(ownerId, webhookId)
    const gone = await this.#db.transaction(async (tx) => {
      // Whoever attaches something to a webhook holds their account: it is seen here, or finds no share any more.
      await lockAccount(tx, userId)
      const [gone] = await tx.delete(shares).where(this.#between(webhookId, userId)).returning()
      if (gone === undefined) throw notFound(`share of ${one} ${webhookId} with user`, userId)
      await this.#kind.detach(tx, webhookId, userId)
      return gone
    })
    await this.#addresses.forgetUrl(gone.urlHash)
  }

  /** With whom a webhook is shared, the first first. @throws {AppError} 404 for a webhook of somebody else */
  async list(ownerId: number, webhookId: number, window: Window): Promise<Share[]> {
    const { shares } = this.#kind
    await this.#need(ownerId, webhookId)
    return this.#db
      .select()
      .from(shares)
      .where(eq(shares.webhookId, webhookId))
      .orderBy(asc(shares.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  async count(ownerId: number, webhookId: number): Promise<number> {
    const { shares } = this.#kind
    await this.#need(ownerId, webhookId)
    return this.#db.$count(shares, eq(shares.webhookId, webhookId))
  }

  /** The webhooks of one user that are shared with another, in order of id. */
  listGiven(ownerId: number, userId: number, window: Window): Promise<Webhook[]> {
    const { table } = this.#kind
    return this.#db
      .select()
      .from(table)
      .where(this.#given(ownerId, userId))
      .orderBy(asc(table.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  countGiven(ownerId: number, userId: number): Promise<number> {
    return this.#db.$count(this.#kind.table, this.#given(ownerId, userId))
  }

  /** What others share with a user, or what one of them does, the first first. */
  listReceived(userId: number, window: Window, ownerId?: number): Promise<SharedWebhook[]> {
    const { table, shares } = this.#kind
    const { id, name, description, status } = table
    return this.#db
      .select({
        share: getTableColumns(shares),
        webhook: { id, name, description, status, userId: table.userId },
      })
      .from(shares)
      .innerJoin(table, eq(table.id, shares.webhookId))
      .where(this.#received(userId, ownerId))
      .orderBy(asc(shares.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  async countReceived(userId: number, ownerId?: number): Promise<number> {
    const { table, shares } = this.#kind
    const joined = this.#db
      .select({ id: shares.id })
      .from(shares)
      .innerJoin(table, eq(table.id, shares.webhookId))
      .where(this.#received(userId, ownerId))
      .as('received')
    return this.#db.$count(joined)
  }

  /** The URL that the user posts to whom a webhook is shared with. */
  url(share: Share): string {
    return this.#addresses.url(share.urlSecret, 'recipient')
  }

  async #need(ownerId: number, webhookId: number): Promise<void> {
    const found = await this.#db.$count(this.#kind.table, this.#own(ownerId, webhookId))
    if (found === 0) throw notFound(this.#kind.one, webhookId)
  }

  async #demandRoom(tx: Db, ownerId: number, webhookId: number): Promise<void> {
    const { shares, one } = this.#kind
    await this.#limits.demandRoom(tx, ownerId, 'shares')
    if ((await tx.$count(shares, eq(shares.webhookId, webhookId))) < sharesAtMost) return
    const limit = sharesAtMost.toLocaleString('en')
    throw limitReached(`This ${one} is shared with ${limit} of at most ${limit} users.`, sharesAtMost)
  }

  #own(ownerId: number, webhookId: number): SQL | undefined {
    const { table } = this.#kind
    return and(eq(table.id, webhookId), eq(table.userId, ownerId))
  }

  #between(webhookId: number, userId: number): SQL | undefined {
    const { shares } = this.#kind
    return and(eq(shares.webhookId, webhookId), eq(shares.namedUserId, userId))
  }

  #given(ownerId: number, userId: number): SQL | undefined {
    const { table, shares } = this.#kind
    const share = this.#db
      .select({ id: shares.id })
      .from(shares)
      .where(and(eq(shares.webhookId, table.id), eq(shares.namedUserId, userId)))
    return and(eq(table.userId, ownerId), exists(share))
  }

  #received(userId: number, ownerId: number | undefined): SQL | undefined {
    const { table, shares } = this.#kind
    return and(eq(shares.userId, userId), ownerId === undefined ? undefined : eq(table.userId, ownerId))
  }

  get #db(): Db {
    return this.#database.db
  }
}
