import { AppError } from '../base/errors.ts'
import { GroupCommit } from '../db/group-commit.ts'
import type { Sender } from './addresses.ts'

/** A post to a webhook that has passed every check, except those that only the database can make. */
export type Incoming = {
  webhookId: number
  /** The version of the webhook that was checked. */
  webhookVersion: number
  /** `null`: it came by the owner's URL. */
  sender: Sender | null
  idempotencyKey: string | null
  receivedAtMs: number
}

/** The columns that {@link isCurrentSql} reads, for a row of the statement's JSON. */
export function senderColumns({ webhookId, webhookVersion, sender }: Incoming) {
  return {
    webhook_id: webhookId,
    version: webhookVersion,
    // Absent for the owner, and so null in the statement: the owner's payloads cost nothing extra.
    ...(sender === null ? {} : { share_id: sender.shareId, sender_id: sender.userId }),
  }
}

/**
 * Whether the webhook `w` may still accept the post `i`: the webhook has not changed since the check, and the share of
 * the sender still exists. The second part takes two lookups, and none for the owner.
 * @param shares the table of shares
 */
export const isCurrentSql = (shares: string) => `
  w.id = i.webhook_id and w.version = i.version
  and (i.share_id is null or (
    select true from ${shares} h join users u on u.id = h.user_id where h.id = i.share_id and u.status = 'ACTIVE'))`

/** The id of the stored post, and the time when it arrived. */
type Kept = { id: number; receivedAtMs: number }

/** It is durable: accepted now, or a duplicate of one that was accepted before. */
export type Done<Result> = { status: 'accepted' | 'duplicate' } & Kept & Result

/** `stale`: the webhook has changed since the check. Check again with the stored webhook. */
export type Taken<Result> = Done<Result> | { status: 'stale' }

/** `repeat`: an earlier post has its idempotency key. */
export type Stored<Result> =
  | ({ status: 'accepted' } & Kept & Result)
  | { status: 'stale' }
  | { status: 'repeat' }

export type IntakeOptions<Item, Result> = {
  /**
   * Makes items durable in one statement, all or none, and returns the result of each, in order. No two of them have
   * the same webhook, sender and idempotency key.
   */
  store(items: Item[]): Promise<Stored<Result>[]>
  /**
   * The answer to the first post with this item's webhook, sender and key; `undefined` if it has been deleted
   * meanwhile.
   */
  firstAnswer(item: Item): Promise<(Kept & Result) | undefined>
  /** About how many bytes an item takes while it waits. */
  sizeBytes(item: Item): number
}

/** `failed`: the database refused this item, but not the others of its batch. */
type Outcome<Result> = Stored<Result> | Taken<Result> | { status: 'failed'; error: unknown }

const batchLimit = 256
/** The limit on what waits for a commit. A database that is further behind does not keep up. */
const waitingByteLimit = 128 * 1024 * 1024

/**
 * Stores what senders post to webhooks, each post once, and resolves when it is durable. Posts that arrive together
 * are committed together.
 */
export class Intake<Item extends Incoming, Result> {
  #options: IntakeOptions<Item, Result>
  #group: GroupCommit<Item, Outcome<Result>>
  #waitingBytes = 0

  constructor(options: IntakeOptions<Item, Result>) {
    this.#options = options
    this.#group = new GroupCommit({
      commit: (batch) => this.#commit(batch),
      batchLimit,
      // `#store` does it, which knows what failures have stored nothing.
      isolateFailures: false,
    })
  }

  /** @throws {AppError} 503 if too much is waiting */
  async take(item: Item): Promise<Taken<Result>> {
    if (this.#waitingBytes > waitingByteLimit) {
      throw new AppError(
        'service_unavailable',
        'The database does not keep up with the payloads; try again.',
        {
          retryAfterSeconds: 1,
        },
      )
    }
    const bytes = this.#options.sizeBytes(item)
    this.#waitingBytes += bytes
    try {
      const taken = await this.#group.submit(item)
      if (taken.status === 'failed') throw taken.error
      // Not within the commit: a failure there would store the whole batch again.
      return taken.status === 'repeat' ? await this.#repeat(item) : taken
    } finally {
      this.#waitingBytes -= bytes
    }
  }

  drain(): Promise<void> {
    return this.#group.drain()
  }

  async #commit(batch: Item[]): Promise<Outcome<Result>[]> {
    const first = firstOfEachKey(batch)
    const unique = batch.filter((item, index) => first[index] === item)
    const stored = await this.#store(unique)
    const results = new Map(unique.map((item, index) => [item, stored[index]!]))
    return batch.map((item, index) => {
      const result = results.get(first[index]!)!
      const repeats = first[index] !== item && result.status === 'accepted'
      return repeats ? { ...result, status: 'duplicate' } : result
    })
  }

  /** If the database refuses an item, the others of its batch are stored all the same. */
  async #store(items: Item[]): Promise<Outcome<Result>[]> {
    try {
      return await this.#options.store(items)
    } catch (error) {
      // If only the answer was lost, the batch may be stored: without certainty, it is not sent again.
      if (items.length === 1 || !hasStoredNothing(error)) throw error
    }
    const outcomes: Outcome<Result>[] = []
    for (const item of items) outcomes.push(await this.#storeAlone(item))
    return outcomes
  }

  async #storeAlone(item: Item): Promise<Outcome<Result>> {
    try {
      const [stored] = await this.#options.store([item])
      return stored!
    } catch (error) {
      return { status: 'failed', error }
    }
  }

  async #repeat(item: Item): Promise<Taken<Result>> {
    const first = await this.#options.firstAnswer(item)
    // Deleted meanwhile: the next check finds the key free, or no webhook.
    return first === undefined ? { status: 'stale' } : { status: 'duplicate', ...first }
  }
}

/** For each item, the first of its batch with the same sender and idempotency key, or itself. */
function firstOfEachKey<Item extends Incoming>(batch: Item[]): Item[] {
  const seen = new Map<string, Item>()
  return batch.map((item) => {
    if (item.idempotencyKey === null) return item
    const key = `${item.webhookId} ${item.sender?.userId ?? 0} ${item.idempotencyKey}`
    const first = seen.get(key) ?? item
    seen.set(key, first)
    return first
  })
}

/**
 * Whether the database refused with an SQLSTATE, and so has rolled the statement back. Class 57 may also end a
 * connection that waits for a standby after its commit; without an SQLSTATE, as with `EPIPE`, the outcome is unknown.
 */
function hasStoredNothing(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  return /^(?!57|EPIPE)[0-9A-Z]{5}$/.test(code)
}
