import { and, desc, eq, exists, getTableName, or } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { ofOne } from '../db/reads.ts'
import { type refusedDataPosts, users } from '../db/schema.ts'
import type { WebhookKind } from './webhook-kind.ts'

/** How many refused posts of a webhook are kept. */
const keptAtMost = 100

type StoredRefusal = typeof refusedDataPosts.$inferSelect

/** What is known of a refused post. It has no body. */
export type Refusal = Pick<StoredRefusal, 'ip' | 'size' | 'status' | 'code' | 'reason' | 'keyName'> & {
  refusedAtMs: number
}

/** A refused post to be written, and how many more its webhook refused after it. */
export type CountedRefusal = Refusal & Pick<StoredRefusal, 'webhookId' | 'senderId' | 'more'>

/** `senderEmail` is `null` if the post came by the owner's URL, or if the sender was deleted. */
export type RefusedPost = StoredRefusal & { senderEmail: string | null }

/** A refused post that is stored now. `senderId` is `null` for the owner's URL. */
export type WrittenRefusal = { id: number; webhookId: number; ownerId: number; senderId: number | null }

/** Writes refused posts, and deletes all but the latest of their webhooks. Ignores webhooks that are gone. */
const writeSql = (posts: string, webhooks: string) => `
with added as (
  insert into ${posts} (webhook_id, sender_id, ip, size, status, code, reason, key_name, more, refused_at)
  select i.webhook_id, i.sender_id, i.ip, i.size, i.status, i.code, i.reason, i.key_name, i.more,
    to_timestamp(i.at / 1000.0)
  from rows from (
    json_to_recordset($1::json) as (
      webhook_id bigint, sender_id bigint, ip text, size bigint, status integer, code text, reason text,
      key_name text, more bigint, at double precision
    )
  ) with ordinality
    as i(webhook_id, sender_id, ip, size, status, code, reason, key_name, more, at, n)
  join ${webhooks} w on w.id = i.webhook_id
  order by i.n
  returning id, webhook_id, sender_id
), news as (
  select webhook_id, count(*) as posts from added group by webhook_id
), gone as (
  -- A statement does not see its own rows: it leaves room for them.
  delete from ${posts} where id in (
    select old.id from news cross join lateral (
      select p.id from ${posts} p where p.webhook_id = news.webhook_id
      order by p.id desc offset greatest(0, ${keptAtMost} - news.posts)
    ) old
  )
)
select a.id, a.webhook_id, w.user_id, a.sender_id from added a join ${webhooks} w on w.id = a.webhook_id
order by a.id`

/** The latest posts that the webhooks of one kind have refused. */
export class RefusedPosts {
  #kind: WebhookKind
  #database: Database
  #write: PreparedStatement

  constructor(kind: WebhookKind, database: Database) {
    this.#kind = kind
    this.#database = database
    const posts = getTableName(kind.refused)
    this.#write = database.prepare(`write_${posts}`, writeSql(posts, getTableName(kind.table)))
  }

  /** Returns those whose webhooks still exist. From then on, everyone who may see them can read them. */
  async write(refusals: readonly CountedRefusal[]): Promise<WrittenRefusal[]> {
    const rows = await this.#write([JSON.stringify(refusals.map(inputRow))])
    return rows.map(([id, webhookId, ownerId, senderId]) => ({
      id: Number(id),
      webhookId: Number(webhookId),
      ownerId: Number(ownerId),
      senderId: senderId === null ? null : Number(senderId),
    }))
  }

  /**
   * The latest refused posts of a webhook, newest first. The owner sees all of them. Users with whom it is shared see
   * those that came by their own URLs.
   * @throws {AppError} 404 for any other user
   */
  async latest(userId: number, webhookId: number): Promise<RefusedPost[]> {
    const { refused } = this.#kind
    const { db, read } = this.#database
    const ownerId = await this.#ownerFor(userId, webhookId)
    const rows = await read(getTableName(refused), { webhookId }, ({ webhookId }) =>
      db
        .select({ post: refused, email: users.email })
        .from(refused)
        .leftJoin(users, eq(users.id, refused.senderId))
        .where(ofOne(refused.webhookId, webhookId))
        .orderBy(desc(refused.webhookId), desc(refused.id))
        .limit(keptAtMost),
    )
    return rows
      .filter(({ post }) => userId === ownerId || post.senderId === userId)
      .map(({ post, email }) => ({ ...post, senderEmail: email }))
  }

  /** The owner of a webhook that this user owns, or that is shared with this user. */
  async #ownerFor(userId: number, webhookId: number): Promise<number> {
    const { table, shares, refused, one } = this.#kind
    const { db, read } = this.#database
    const [row] = await read(
      `owner_of_${getTableName(refused)}`,
      { userId, webhookId },
      ({ userId, webhookId }) => {
        const share = db
          .select({ id: shares.id })
          .from(shares)
          .where(and(eq(shares.webhookId, table.id), eq(shares.userId, userId)))
        return db
          .select({ ownerId: table.userId })
          .from(table)
          .where(and(eq(table.id, webhookId), or(eq(table.userId, userId), exists(share))))
      },
    )
    if (row === undefined) throw notFound(one, webhookId)
    return row.ownerId
  }
}

function inputRow({ webhookId, senderId, keyName, refusedAtMs, ...same }: CountedRefusal) {
  return { ...same, webhook_id: webhookId, sender_id: senderId, key_name: keyName, at: refusedAtMs }
}
