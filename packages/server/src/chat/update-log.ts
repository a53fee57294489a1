import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { chatBots, chatUpdates } from '../db/schema.ts'

/** How long a node may work on an update before another one may think that it is dead. */
export const holdSeconds = 30
/** Telegram keeps an update for at most 24 hours. */
const keptFor = '2 days'
const forgetMs = 3_600_000

export type Claimed = 'ours' | 'done' | 'elsewhere'

/** Which updates of a bot are handled, for all nodes together. */
export class UpdateLog {
  #database: Database
  #botId: number
  #nodeId: string
  #forgotMs = Number.NEGATIVE_INFINITY

  /** @param botId the id of the bot at Telegram */
  constructor(database: Database, botId: number, nodeId: string) {
    this.#database = database
    this.#botId = botId
    this.#nodeId = nodeId
  }

  /**
   * Makes this node the one that asks Telegram for updates, for a while.
   * @returns the first update that is not handled; `undefined` if another node asks
   */
  async hold(): Promise<number | undefined> {
    const { db } = this.#database
    await db.insert(chatBots).values({ botId: this.#botId }).onConflictDoNothing()
    const isFree = or(
      isNull(chatBots.holder),
      lt(chatBots.heldUntil, sql`clock_timestamp()`),
      eq(chatBots.holder, this.#nodeId),
    )
    const [held] = await db
      .update(chatBots)
      .set({ holder: this.#nodeId, heldUntil: heldUntil() })
      .where(and(eq(chatBots.botId, this.#botId), isFree))
      .returning({ next: chatBots.nextUpdate })
    return held?.next
  }

  async release(): Promise<void> {
    await this.#database.db
      .update(chatBots)
      .set({ holder: null, heldUntil: null })
      .where(and(eq(chatBots.botId, this.#botId), eq(chatBots.holder, this.#nodeId)))
  }

  /**
   * All updates before this one are handled. It may be lower than the last one: after a week without updates, Telegram
   * goes on with any number.
   */
  async advance(next: number): Promise<void> {
    await this.#database.db.update(chatBots).set({ nextUpdate: next }).where(eq(chatBots.botId, this.#botId))
  }

  /** Claims an update for this moment. Of two nodes, or two copies, one gets it; after a kill, another may. */
  async claim(updateId: number): Promise<Claimed> {
    const { db } = this.#database
    const isIt = and(eq(chatUpdates.botId, this.#botId), eq(chatUpdates.updateId, updateId))
    const [claimed] = await db
      .insert(chatUpdates)
      .values({ botId: this.#botId, updateId, heldUntil: heldUntil() })
      .onConflictDoUpdate({
        target: [chatUpdates.botId, chatUpdates.updateId],
        set: { heldUntil: heldUntil() },
        setWhere: sql`not ${chatUpdates.isDone} and ${chatUpdates.heldUntil} <= clock_timestamp()`,
      })
      .returning({ updateId: chatUpdates.updateId })
    if (claimed !== undefined) return 'ours'
    const [known] = await db.select({ isDone: chatUpdates.isDone }).from(chatUpdates).where(isIt)
    return known?.isDone === true ? 'done' : 'elsewhere'
  }

  async done(updateId: number): Promise<void> {
    await this.#database.db
      .update(chatUpdates)
      .set({ isDone: true })
      .where(and(eq(chatUpdates.botId, this.#botId), eq(chatUpdates.updateId, updateId)))
    if (performance.now() - this.#forgotMs < forgetMs) return
    this.#forgotMs = performance.now()
    await this.#forget()
  }

  /** It may be handled again at once: nothing has happened. */
  async free(updateId: number): Promise<void> {
    await this.#database.db
      .update(chatUpdates)
      .set({ heldUntil: sql`clock_timestamp()` })
      .where(and(eq(chatUpdates.botId, this.#botId), eq(chatUpdates.updateId, updateId)))
  }

  /** Deletes what no copy can come of any more. */
  async #forget(): Promise<void> {
    const old = sql`now() - ${keptFor}::interval`
    await this.#database.db.delete(chatUpdates).where(lt(chatUpdates.createdAt, old))
  }
}

function heldUntil() {
  return sql`clock_timestamp() + make_interval(secs => ${holdSeconds})`
}
