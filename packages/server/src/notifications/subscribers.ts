import { sql } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { notificationEndpoints } from '../db/schema.ts'

const channel = 'tickwright_subscribers'
/** A notification can get lost with its connection, and a connection can be lost without a word. */
const defaultRefreshMs = 10_000

export type SubscribersOptions = {
  /** Told when reading fails for the first time after it worked. */
  onError?(error: unknown): void
  refreshMs?: number
}

/**
 * Which users have endpoints: a set in the memory of each node, so that whoever has none costs nothing. Whether an
 * endpoint wants an event is for the database to say. A node that has not heard of a first endpoint yet, as it will within
 * milliseconds, tells it nothing.
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

  /** Goes by what the database says now. */
  async read(): Promise<void> {
    const number = ++this.#begun
    const rows = await this.#database.db
      .selectDistinct({ userId: notificationEndpoints.userId })
      .from(notificationEndpoints)
    this.#failing = false
    // One that began earlier may end later, and knows less.
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

/** Has every node read them anew once the transaction is committed. */
export async function tellOfSubscribers(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_notify(${channel}, '')`)
}
