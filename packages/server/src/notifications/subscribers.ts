import { isNull, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { notificationEndpoints } from '../db/schema.ts'

const channel = 'tickwright_subscribers'
/** A NOTIFY can get lost with its connection, and a connection can be lost unnoticed. */
const defaultRefreshMs = 10_000

export type SubscribersOptions = {
  /** Called when reading fails for the first time after it worked. */
  onError?(error: unknown): void
  refreshMs?: number
}

/**
 * Knows which users have endpoints. Each node keeps them in memory, so that users without endpoints cost nothing. The
 * database decides which endpoint gets an event. Until a node has learned of a user's first endpoint, usually within
 * milliseconds, it stores no notifications for that user.
 */
export class Subscribers {
  #database: Database
  #options: SubscribersOptions
  #users: ReadonlySet<number> = new Set()
  #begun = 0
  #applied = 0
  #failing = false
  #timer: NodeJS.Timeout | undefined

  private constructor(database: Database, options: SubscribersOptions) {
    this.#database = database
    this.#options = options
  }

  /** Listens before it reads, so that no change falls between the two. */
  static async open(database: Database, options: SubscribersOptions = {}): Promise<Subscribers> {
    const opened = new Subscribers(database, options)
    const follow = () => void opened.#follow()
    await database.listen(channel, follow, follow)
    await opened.read()
    opened.#timer = setInterval(follow, options.refreshMs ?? defaultRefreshMs).unref()
    return opened
  }

  close(): void {
    clearInterval(this.#timer)
  }

  has(userId: number): boolean {
    return this.#users.has(userId)
  }

  get isEmpty(): boolean {
    return this.#users.size === 0
  }

  /** Reads the users from the database. */
  async read(): Promise<void> {
    const number = ++this.#begun
    const rows = await this.#database.db
      .selectDistinct({ userId: notificationEndpoints.userId })
      .from(notificationEndpoints)
      .where(isNull(notificationEndpoints.callbackOrigin))
    this.#failing = false
    // A read that began earlier may end later. Its result is older, so it does not count.
    if (number < this.#applied) return
    this.#applied = number
    this.#users = new Set(rows.map(({ userId }) => userId))
  }

  async #follow(): Promise<void> {
    try {
      await this.read()
    } catch (error) {
      if (!this.#failing) this.#options.onError?.(error)
      this.#failing = true
    }
  }
}

/** Makes every node read the users again after the transaction is committed. */
export async function tellOfSubscribers(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_notify(${channel}, '')`)
}
