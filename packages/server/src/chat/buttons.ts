import { randomBytes } from 'node:crypto'
import { and, desc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { type ChatAction, chatButtons } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'

export type ChatButton = typeof chatButtons.$inferSelect

/** A button works for a minute, and so does the question for a code. */
const seconds = 60
/** So long a button is kept, so that an update that comes again finds it. */
const keptFor = '1 day'

/** Buttons that do something once, for one person, soon after they were shown. */
export class Buttons {
  #database: Database
  #vault: Vault

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  /** @returns what the button sends back when it is pressed */
  async make(linkId: number, action: ChatAction, text: string): Promise<string> {
    const { db } = this.#database
    const code = randomBytes(24).toString('base64url')
    await db.delete(chatButtons).where(lt(chatButtons.expiresAt, sql`now() - ${keptFor}::interval`))
    await db
      .insert(chatButtons)
      .values({ codeHash: this.#hash(code), linkId, action, text, expiresAt: inAMinute() })
    return code
  }

  /**
   * Presses a button, unless it was pressed before. The same update may come again.
   * @returns `undefined` if it was pressed, has expired, or is the button of somebody else
   */
  async press(linkId: number, code: string, updateId: number): Promise<ChatButton | undefined> {
    const isFresh = and(isNull(chatButtons.pressedBy), gt(chatButtons.expiresAt, sql`now()`))
    const [pressed] = await this.#database.db
      .update(chatButtons)
      .set({ pressedBy: updateId })
      .where(
        and(
          ...[eq(chatButtons.codeHash, this.#hash(code)), eq(chatButtons.linkId, linkId)],
          or(isFresh, eq(chatButtons.pressedBy, updateId)),
        ),
      )
      .returning()
    return pressed
  }

  /** A pressed button waits for a code, instead of any that waited before. */
  async awaitCode({ id, linkId }: ChatButton): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const isOther = and(eq(chatButtons.linkId, linkId), eq(chatButtons.needsCode, true))
      await tx.update(chatButtons).set({ needsCode: false }).where(isOther)
      await tx
        .update(chatButtons)
        .set({ needsCode: true, expiresAt: inAMinute() })
        .where(and(eq(chatButtons.id, id), isNull(chatButtons.confirmedBy)))
    })
  }

  /** The button that waits for a code of the person, or that this update has confirmed. */
  async awaiting(linkId: number, updateId: number): Promise<ChatButton | undefined> {
    const isAwaited = and(eq(chatButtons.needsCode, true), gt(chatButtons.expiresAt, sql`now()`))
    const [found] = await this.#database.db
      .select()
      .from(chatButtons)
      .where(and(eq(chatButtons.linkId, linkId), or(isAwaited, eq(chatButtons.confirmedBy, updateId))))
      .orderBy(desc(chatButtons.id))
      .limit(1)
    return found
  }

  /** @returns whether it may act now: not if something else has confirmed it, or called it off */
  async confirm({ id }: ChatButton, updateId: number): Promise<boolean> {
    const [confirmed] = await this.#database.db
      .update(chatButtons)
      .set({ confirmedBy: updateId, needsCode: false })
      .where(
        and(
          eq(chatButtons.id, id),
          or(
            and(eq(chatButtons.needsCode, true), isNull(chatButtons.confirmedBy)),
            eq(chatButtons.confirmedBy, updateId),
          ),
        ),
      )
      .returning({ id: chatButtons.id })
    return confirmed !== undefined
  }

  #hash(code: string): Buffer {
    return this.#vault.hash(code, 'chat_button')
  }
}

function inAMinute() {
  return sql`now() + make_interval(secs => ${seconds})`
}
