import type { Database } from '../db/database.ts'
import type { Node } from '../db/node.ts'
import { Inbox } from './inbox.ts'
import type { OrderSubscribers } from './order-notifications.ts'
import { SignalProcessor, type SignalProcessorParts } from './signal-processor.ts'

/** Says the ids of bots that have new signals, separated by commas. */
const channel = 'tickwright_bots'
/** NOTIFY takes less than 8,000 bytes. */
const idsInMessage = 400
const sweepMs = 3_000

export type BotWorkerParts = Omit<SignalProcessorParts, 'inbox'> & {
  database: Database
  node: Node
  /** Who is told of signals that failed. */
  audience?: OrderSubscribers
}

/**
 * The part of a process that has bots follow their signals. Being told is the fast way; a sweep finds what nobody was
 * told of, and what a node that died has left.
 */
export class BotWorker {
  #parts: BotWorkerParts
  #inbox: Inbox
  #processors = new Map<number, SignalProcessor>()
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> | undefined
  #stopped = false

  constructor(parts: BotWorkerParts) {
    this.#parts = parts
    this.#inbox = new Inbox(parts.database, parts.node, parts.audience)
  }

  async start(): Promise<void> {
    const { database } = this.#parts
    // The embedded database has one process: whatever held a bot on it before is gone.
    if (database.kind === 'pglite') {
      await database.prepare('clear_bots', 'update bots set holder = null where holder is not null')([])
    } else {
      await database.listen(channel, (ids) => this.wake(ids.split(',').map(Number)))
    }
    this.#sweep()
    await this.#sweeping
    this.#timer = setInterval(() => this.#sweep(), sweepMs).unref()
  }

  /** These bots have signals that this process has just stored, whichever node holds them. */
  announce(botIds: number[]): void {
    this.wake(botIds)
    const { database, onError } = this.#parts
    if (database.kind === 'pglite') return
    tellOfBots(database, botIds).catch((error: unknown) => onError(error, 0))
  }

  /** These bots may have signals to follow. */
  wake(botIds: Iterable<number>): void {
    if (this.#stopped) return
    for (const id of botIds) {
      const processor =
        this.#processors.get(id) ?? new SignalProcessor(id, { ...this.#parts, inbox: this.#inbox })
      this.#processors.set(id, processor)
      processor.wake()
    }
  }

  /** Places nothing more; resolves when every bot is given back. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#sweeping
    await Promise.all([...this.#processors.values()].map((processor) => processor.stop()))
    await this.#inbox.releaseAll()
  }

  #sweep(): void {
    this.#sweeping ??= this.#look()
      .catch((error: unknown) => this.#parts.onError(error, 0))
      .finally(() => {
        this.#sweeping = undefined
      })
  }

  async #look(): Promise<void> {
    for (const [id, processor] of this.#processors) if (processor.isIdle) this.#processors.delete(id)
    this.wake(await this.#inbox.unattended())
    await this.#inbox.endOrphans()
  }
}

/** Tells every worker on this database that these bots have signals to follow. */
export async function tellOfBots(database: Database, botIds: number[]): Promise<void> {
  for (let at = 0; at < botIds.length; at += idsInMessage) {
    await database.notify(channel, botIds.slice(at, at + idsInMessage).join(','))
  }
}
