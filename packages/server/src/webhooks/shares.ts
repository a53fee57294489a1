import { and, asc, eq, exists, getTableColumns, type SQL } from 'drizzle-orm'
import { invalidField, notFound } from '../base/errors.ts'
import { keepPace, TokenBuckets } from '../base/token-buckets.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { type dataWebhookShares, users } from '../db/schema.ts'
import { limitReached, type UserLimits } from '../db/user-limits.ts'
import type { Announce } from '../live/changes.ts'
import type { Addresses } from './addresses.ts'
import type { Webhook, WebhookKind } from './webhook-kind.ts'

/** Recipients of one webhook: enough for a group, and a limit on the work of a revocation. */
const sharesAtMost = 1000
/** For each owner, on each node. */
const sharesASecond = 1
const sharesAtOnce = 200

export type SharesParts = {
  database: Database
  limits: UserLimits
  addresses: Addresses
  /** Tells live streams. */
  announce: Announce
}

export type Share = typeof dataWebhookShares.$inferSelect

/** A webhook as its recipient sees it. */
export type SharedWebhook = {
  share: Share
  webhook: Pick<Webhook, 'id' | 'name' | 'description' | 'status' | 'userId'>
}

type Window = { limit: number; offset: number }

/**
 * The shares of the webhooks of one kind. Only a share allows a user to post to another user's webhook, by a URL of
 * their own, and to attach their own strategies and bots to it.
 */
export class Shares {
  #kind: WebhookKind
  #database: Database
  #limits: UserLimits
  #addresses: Addresses
  #announce: Announce
  #pace = new TokenBuckets(sharesASecond, sharesAtOnce)

  constructor(kind: WebhookKind, { database, limits, addresses, announce }: SharesParts) {
    this.#kind = kind
    this.#database = database
    this.#limits = limits
    this.#addresses = addresses
    this.#announce = announce
  }

  /**
   * Gives a user a URL of their own, or returns the share that the user already has. The result does not tell whether
   * a user with this id exists, so that nobody can probe for users: a share with no user is stored and listed like any
   * other. If a new user gets that id later, the share is still without a user, until the owner shares again.
   * @throws {AppError} 404 for another user's webhook; 400 for oneself; 409 over a limit; 429 for too many at once
   */
  async share(ownerId: number, webhookId: number, userId: number): Promise<{ share: Share; isNew: boolean }> {
    const { table, shares, one } = this.#kind
    await this.#need(ownerId, webhookId)
    if (userId === ownerId) throw invalidField('userId', 'is your own id; share with another user')
    // The answer is the same for every id. Its time may differ a little, but measuring that takes many requests.
    keepPace(this.#pace, ownerId, 'You are sharing webhooks too fast.')
    return this.#db.transaction(async (tx) => {
      // One at a time for each owner: for the limits, and so that two at once create one share.
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
   * Deletes a user's URL and detaches everything of the user from the webhook, in one transaction. After its commit,
   * the URL accepts nothing.
   * @throws {AppError} 404 for another user's webhook, and if it is not shared with this user
   */
  async revoke(ownerId: number, webhookId: number, userId: number): Promise<void> {
    const { shares, one } = this.#kind
    await this.#need(ownerId, webhookId)
    const { gone, detached } = await this.#db.transaction(async (tx) => {
      // Attaching something to a webhook locks the account too: so it either is visible here, or finds no share.
      await lockAccount(tx, userId)
      const [gone] = await tx.delete(shares).where(this.#between(webhookId, userId)).returning()
      if (gone === undefined) throw notFound(`share of ${one} ${webhookId} with user`, userId)
      return { gone, detached: await this.#kind.detach(tx, webhookId, userId) }
    })
    await this.#addresses.forgetUrl(gone.urlHash)
    for (const one of detached) this.#announce({ kind: 'status', ...one })
  }

  /** The shares of a webhook, oldest first. @throws {AppError} 404 for another user's webhook */
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

  /** The webhooks that one user shares with another, in order of id. */
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

  /** The webhooks that others, or only `ownerId`, share with a user, oldest share first. */
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

  /** The recipient's URL. */
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
