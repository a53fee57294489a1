import { randomBytes } from 'node:crypto'
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm'
import type { AuditLog, Note } from '../accounts/audit-log.ts'
import { AppError, notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { type ChatScope, chatCodes, chatLinks, users } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'

/** A person of Telegram with an account here. `userId` and `role` are those of the account, as they are now. */
export type LinkedPerson = {
  linkId: number
  userId: number
  role: 'admin' | 'user'
  email: string
  scope: ChatScope
}

/** A person as Telegram names them. */
export type Person = { telegramId: number; name: string }

export type ChatLink = typeof chatLinks.$inferSelect

export type ChatLinksParts = { database: Database; vault: Vault; audit: AuditLog }

const codeMinutes = 10
/** Codes and links of one account: nobody needs more, and each row of them is a way in. */
const mostCodes = 5
const mostLinks = 10
const codeForm = /^[\w-]{32}$/

/**
 * Which people of Telegram may use which account. A link is made with a code that its user has made here and that
 * somebody sends to the bot. Each person has one account, and each question looks the link up again: anyone who is unlinked
 * or disabled has no access from then on.
 */
export class ChatLinks {
  #parts: ChatLinksParts

  constructor(parts: ChatLinksParts) {
    this.#parts = parts
  }

  /**
   * Makes a code that is valid once, for ten minutes.
   * @throws {AppError} 409 for too many links
   */
  async makeCode(userId: number, scope: ChatScope, note: Note): Promise<{ code: string; expiresAt: Date }> {
    const code = randomBytes(24).toString('base64url')
    const expiresAt = await this.#parts.database.db.transaction(async (tx) => {
      // One at a time, so that the limits hold.
      await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
      if ((await tx.$count(chatLinks, eq(chatLinks.userId, userId))) >= mostLinks) throw tooManyLinks()
      await tx.delete(chatCodes).where(lte(chatCodes.expiresAt, sql`now()`))
      const open = await tx
        .select({ codeHash: chatCodes.codeHash })
        .from(chatCodes)
        .where(eq(chatCodes.userId, userId))
        .orderBy(asc(chatCodes.expiresAt))
      for (const { codeHash } of open.slice(0, Math.max(0, open.length + 1 - mostCodes)))
        await tx.delete(chatCodes).where(eq(chatCodes.codeHash, codeHash))
      const [made] = await tx
        .insert(chatCodes)
        .values({
          ...{ codeHash: this.#hash(code), userId, scope },
          expiresAt: sql`now() + make_interval(mins => ${codeMinutes})`,
        })
        .returning({ expiresAt: chatCodes.expiresAt })
      await note(tx, { scope })
      return made!.expiresAt
    })
    return { code, expiresAt }
  }

  /**
   * Uses up a code and links who has sent it. A link of that person from before is replaced, whatever account it is to.
   * @returns the link; `undefined` for a code that is wrong, was used or has expired, and for a disabled user
   */
  async redeem(code: string, { telegramId, name }: Person): Promise<LinkedPerson | undefined> {
    if (!codeForm.test(code)) return undefined
    return this.#parts.database.db.transaction(async (tx) => {
      const [taken] = await tx
        .delete(chatCodes)
        .where(and(eq(chatCodes.codeHash, this.#hash(code)), gt(chatCodes.expiresAt, sql`now()`)))
        .returning()
      if (taken === undefined) return undefined
      const { userId, scope } = taken
      const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('no key update')
      if (user?.status !== 'ACTIVE') return undefined
      const [former] = await tx.delete(chatLinks).where(eq(chatLinks.telegramId, telegramId)).returning()
      const by = { userId, ip: null }
      if (former !== undefined) {
        const details = { link_id: former.id, telegram_id: telegramId }
        await this.#parts.audit.record(former.userId, 'chat_unlinked', { ...by, userId: null }, details, tx)
      }
      if ((await tx.$count(chatLinks, eq(chatLinks.userId, userId))) >= mostLinks) return undefined
      const [link] = await tx.insert(chatLinks).values({ userId, telegramId, name, scope }).returning()
      const details = { link_id: link!.id, telegram_id: telegramId, name, scope }
      await this.#parts.audit.record(userId, 'chat_linked', by, details, tx)
      return { linkId: link!.id, userId, role: user.role, email: user.email, scope }
    })
  }

  /** The account of a person, as it is now; `undefined` without a link, and for a disabled user. */
  async find(telegramId: number): Promise<LinkedPerson | undefined> {
    const [row] = await this.#parts.database.db
      .select({
        ...{ linkId: chatLinks.id, userId: users.id, role: users.role, email: users.email },
        scope: chatLinks.scope,
      })
      .from(chatLinks)
      .innerJoin(users, eq(users.id, chatLinks.userId))
      .where(and(eq(chatLinks.telegramId, telegramId), eq(users.status, 'ACTIVE')))
    return row
  }

  /** Notes that a link was used, for its owner. */
  async noteUse(linkId: number): Promise<void> {
    const isIt = and(
      eq(chatLinks.id, linkId),
      sql`(${chatLinks.usedAt} is null or ${chatLinks.usedAt} < now() - interval '1 minute')`,
    )
    await this.#parts.database.db.update(chatLinks).set({ usedAt: sql`now()` }).where(isIt)
  }

  list(userId: number, { limit, offset }: { limit: number; offset: number }): Promise<ChatLink[]> {
    return this.#parts.database.db
      .select()
      .from(chatLinks)
      .where(eq(chatLinks.userId, userId))
      .orderBy(asc(chatLinks.id))
      .limit(limit)
      .offset(offset)
  }

  count(userId: number): Promise<number> {
    return this.#parts.database.db.$count(chatLinks, eq(chatLinks.userId, userId))
  }

  /** @throws {AppError} 404 */
  async delete(userId: number, linkId: number, note: Note): Promise<void> {
    await this.#parts.database.db.transaction(async (tx) => {
      const isIt = and(eq(chatLinks.id, linkId), eq(chatLinks.userId, userId))
      const [gone] = await tx.delete(chatLinks).where(isIt).returning()
      if (gone === undefined) throw notFound('chat link', linkId)
      await note(tx, { link_id: linkId, telegram_id: gone.telegramId })
    })
  }

  /** For the person themselves: `/unlink`. */
  async unlink({ linkId, userId }: LinkedPerson): Promise<void> {
    const note: Note = (tx, details) =>
      this.#parts.audit.record(userId, 'chat_unlinked', { userId, ip: null }, details, tx)
    await this.delete(userId, linkId, note)
  }

  #hash(code: string): Buffer {
    return this.#parts.vault.hash(code, 'chat_code')
  }
}

function tooManyLinks(): AppError {
  return new AppError(
    'limit_reached',
    `An account may have at most ${mostLinks} links to chats. Remove one first.`,
  )
}
