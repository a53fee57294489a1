import type { Database } from '../db/database.ts'
import type { Node } from '../db/node.ts'
import type { Announce } from '../live/changes.ts'
import { Delays } from './delays.ts'
import { Inbox } from './inbox.ts'
import type { LegKeeper } from './legs/keeper.ts'
import type { OrderSubscribers } from './order-notifications.ts'
import type { ReconciliationChecks } from './reconciliation/checks.ts'
import { SignalProcessor, type SignalProcessorParts } from './signal-processor.ts'

/** Its messages are the ids of bots with new signals, separated by commas. */
const channel = 'tickwright_bots'
/** Its messages are the id of a bot to compare with its account. */
const checkChannel = 'tickwright_checks'
/** A NOTIFY message has less than 8,000 bytes. */
const idsInMessage = 400
const defaultSweepMs = 3_000

export type BotWorkerParts = Omit<SignalProcessorParts, 'inbox'> & {
  database: Database
  node: Node
  /** Get notifications about failed signals. */
  subscribers?: OrderSubscribers
  checks?: ReconciliationChecks
  legs?: LegKeeper
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
  /** How often it looks for signals and bots without an announcement. */
  sweepMs?: number
}

/**
 * Follows the signals of bots in this process, with one signal processor for each bot. Announcements start it at once.
 * A periodic sweep finds signals without an announcement, and signals that a dead node left.
 */
export class BotWorker {
  #parts: BotWorkerParts
  #inbox: Inbox
  #processors = new Map<number, SignalProcessor>()
  #delays: Delays
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> | undefined
  #stopped = false
  /** Bots with new signals of which the other nodes have not heard yet. */
  #untold = new Set<number>()
  #isTelling = false

  constructor(parts: BotWorkerParts) {
    this.#parts = parts
    const { database, node, subscribers, onChange, onError, sweepMs = defaultSweepMs } = parts
    this.#inbox = new Inbox(database, node, subscribers, onChange)
    this.#delays = new Delays({
      ...{ database, sweepMs },
      onReleased: (botIds, botSignalIds) => {
        this.announce(botIds)
        for (const id of botSignalIds) onChange?.({ kind: 'bot_signal', id })
      },
      onError: (error) => onError(error, 0),
    })
  }

  async start(): Promise<void> {
    const { database } = this.#parts
    await database.listen(channel, (ids) => this.wake(ids.split(',').map(Number)))
    await database.listen(checkChannel, (id) => this.#processorOf(Number(id))?.check())
    this.#sweep()
    await this.#sweeping
    this.#delays.start()
    this.#timer = setInterval(() => this.#sweep(), this.#parts.sweepMs ?? defaultSweepMs).unref()
  }

  /** Announces that this process has stored signals for these bots, on whichever node they are. */
  announce(botIds: number[]): void {
    this.wake(botIds)
    for (const id of botIds) this.#untold.add(id)
    if (!this.#isTelling) void this.#tellOthers()
  }

  /** One message after another: what is announced meanwhile shares the next one. */
  async #tellOthers(): Promise<void> {
    const { database, onError } = this.#parts
    this.#isTelling = true
    while (this.#untold.size > 0) {
      const ids = [...this.#untold]
      this.#untold.clear()
      await tellOfBots(database, ids).catch((error: unknown) => onError(error, 0))
    }
    this.#isTelling = false
  }

  /** Looks for signals of these bots. */
  wake(botIds: Iterable<number>): void {
    for (const id of botIds) this.#processorOf(id)?.wake()
  }

  /** Compares the books of these bots with their accounts now, on the nodes that hold them. */
  checkNow(botIds: number[]): void {
    for (const id of botIds) this.#processorOf(id)?.check()
    const { database, onError } = this.#parts
    tellOfChecks(database, botIds).catch((error: unknown) => onError(error, 0))
  }

  /** Looks at the stop of a bot in a symbol now, if this node may hold the bot: a price has reached it, or it has changed. */
  keepNow(botId: number, symbol: string | null): void {
    const { legs, onError } = this.#parts
    if (legs === undefined || this.#stopped) return
    const prompted = symbol === null ? Promise.resolve() : legs.prompt(botId, symbol)
    prompted.then(
      () => this.#processorOf(botId)?.keep(),
      (error: unknown) => onError(error, botId),
    )
  }

  #processorOf(id: number): SignalProcessor | undefined {
    if (this.#stopped) return undefined
    const { checks } = this.#parts
    const processor =
      this.#processors.get(id) ??
      new SignalProcessor(id, {
        ...this.#parts,
        inbox: this.#inbox,
        onDelayed: (untilDueMs) => this.#delays.expect(untilDueMs),
        // While a close is tried again, no other comparison of its symbol takes place.
        ...(checks && { reconcile: (bot, symbol) => checks.compareNow(bot, symbol) }),
      })
    this.#processors.set(id, processor)
    return processor
  }

  /** Places no more orders. Resolves when this node has released every bot. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#delays.stop()
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
    for (const id of (await this.#parts.checks?.due()) ?? []) this.#processorOf(id)?.check()
    for (const id of (await this.#parts.legs?.due()) ?? []) this.#processorOf(id)?.keep()
  }
}

/** Announces to every worker on this database that these bots have signals. */
export async function tellOfBots(database: Database, botIds: number[]): Promise<void> {
  for (let at = 0; at < botIds.length; at += idsInMessage) {
    await database.notify(channel, botIds.slice(at, at + idsInMessage).join(','))
  }
}

/** Makes the worker that holds each of these bots compare it with its account. */
export async function tellOfChecks(database: Database, botIds: number[]): Promise<void> {
  for (const id of botIds) await database.notify(checkChannel, String(id))
}
