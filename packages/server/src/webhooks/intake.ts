import { AppError } from '../base/errors.ts'
import { GroupCommit } from '../db/group-commit.ts'
import type { Sender } from './addresses.ts'

/** What came in for a webhook, and passed every check but those that only the database can make. */
export type Incoming = {
  webhookId: number
  /** The version of the webhook that the checks were made with. */
  webhookVersion: number
  /** `null`: it came by the URL of the webhook's owner. */
  sender: Sender | null
  idempotencyKey: string | null
  receivedAtMs: number
}

/** The columns of what came in that {@link isCurrentSql} reads, of a row of the statement's JSON. */
export function senderColumns({ webhookId, webhookVersion, sender }: Incoming) {
  return {
    webhook_id: webhookId,
    version: webhookVersion,
    // Left out where there is none, which reads as null: the owner's payloads cost nothing more.
    ...(sender === null ? {} : { share_id: sender.shareId, sender_id: sender.userId }),
  }
}

/**
 * Whether what came in as `i` may still be taken by its webhook, `w`: it has not changed since it was checked, and
 * whoever sent it still may. For all but the owner that is two lookups.
 * @param shares the table of them
 */
export const isCurrentSql = (shares: string) => `
  w.id = i.webhook_id and w.version = i.version
  and (i.share_id is null or (
    select true from ${shares} h join users u on u.id = h.user_id where h.id = i.share_id and u.status = 'ACTIVE'))`

/** What was stored, and when it came. */
type Kept = { id: number; receivedAtMs: number }

/** It is durable: since now, or since it came for the first time. */
export type Done<Answer> = { status: 'accepted' | 'duplicate' } & Kept & Answer

/** `stale`: the webhook has changed since it was checked; check again with the stored one. */
export type Taken<Answer> = Done<Answer> | { status: 'stale' }

/** `repeat`: its idempotency key stands for something else already. */
export type Stored<Answer> =
  | ({ status: 'accepted' } & Kept & Answer)
  | { status: 'stale' }
  | { status: 'repeat' }

export type IntakeOptions<Item, Answer> = {
  /**
   * Makes items durable in one statement, all or none, and says what became of each, in their order. No two of them
   * have the same webhook, sender and idempotency key.
   */
  store(items: Item[]): Promise<Stored<Answer>[]>
  /**
   * What was answered to the first with this item's webhook, sender and key; `undefined` where that has been forgotten
   * since.
   */
  firstAnswer(item: Item): Promise<(Kept & Answer) | undefined>
  /** About as many bytes as an item holds while it waits. */
  sizeBytes(item: Item): number
}

/** `failed`: this item itself was refused, and none of its neighbours. */
type Outcome<Answer> = Stored<Answer> | Taken<Answer> | { status: 'failed'; error: unknown }

const batchLimit = 256
/** What may wait for a commit before more is refused: a database this far behind is not keeping up. */
const waitingByteLimit = 128 * 1024 * 1024

/**
 * Takes in what is posted to webhooks: durable before it is answered, each once. What arrives together is committed
 * together.
 */
export class Intake<Item extends Incoming, Answer> {
  #options: IntakeOptions<Item, Answer>
  #group: GroupCommit<Item, Outcome<Answer>>
  #waitingBytes = 0

  constructor(options: IntakeOptions<Item, Answer>) {
    this.#options = options
    this.#group = new GroupCommit({
      commit: (batch) => this.#commit(batch),
      batchLimit,
      // It is done here, where it is known which failures have stored nothing.
      isolateFailures: false,
    })
  }

  /** @throws {AppError} 503 when too much is waiting already */
  async take(item: Item): Promise<Taken<Answer>> {
    if (this.#waitingBytes > waitingByteLimit) {
      throw new AppError('service_unavailable', 'The database does not keep up; try again.', {
        retryAfterSeconds: 1,
      })
    }
    const bytes = this.#options.sizeBytes(item)
    this.#waitingBytes += bytes
    try {
      const taken = await this.#group.submit(item)
      if (taken.status === 'failed') throw taken.error
      // Not within the commit: if it failed there, all that the batch has stored would be stored again.
      return taken.status === 'repeat' ? await this.#repeat(item) : taken
    } finally {
      this.#waitingBytes -= bytes
    }
  }

  drain(): Promise<void> {
    return this.#group.drain()
  }

  async #commit(batch: Item[]): Promise<Outcome<Answer>[]> {
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

  /** What the database refuses does not take its neighbours along. */
  async #store(items: Item[]): Promise<Outcome<Answer>[]> {
    try {
      return await this.#options.store(items)
    } catch (error) {
      // Where only the answer was lost, all of it may be stored: what is not known is not sent again.
      if (items.length === 1 || !hasStoredNothing(error)) throw error
    }
    const outcomes: Outcome<Answer>[] = []
    for (const item of items) outcomes.push(await this.#storeAlone(item))
    return outcomes
  }

  async #storeAlone(item: Item): Promise<Outcome<Answer>> {
    try {
      const [stored] = await this.#options.store([item])
      return stored!
    } catch (error) {
      return { status: 'failed', error }
    }
  }

  async #repeat(item: Item): Promise<Taken<Answer>> {
    const first = await this.#options.firstAnswer(item)
    // Forgotten in between: to check again will find the key free, or the webhook gone.
    return first === undefined ? { status: 'stale' } : { status: 'duplicate', ...first }
  }
}

/** For each item the first of its batch with the same idempotency key of the same sender, or itself. */
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
 * Whether the database itself has said no, by an SQLSTATE, and so has undone the statement. Class 57 may also end a
 * connection that waits for a standby after its commit; without an SQLSTATE, as with `EPIPE`, nothing is known.
 */
function hasStoredNothing(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  return /^(?!57|EPIPE)[0-9A-Z]{5}$/.test(code)
}
