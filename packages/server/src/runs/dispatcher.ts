import { Semaphore, SharedSemaphore } from '../base/semaphore.ts'
import type { Database } from '../db/database.ts'
import type { HeldStrategy } from './held-strategy.ts'
import type { Journal } from './journal.ts'
import type { FinishEntry } from './journal-statement.ts'
import type { Leases } from './leases.ts'
import { OpenRuns } from './open-runs.ts'
import type { QueuedRun } from './queued-run.ts'
import { RunQueue, type RunQueueParts } from './run-queue.ts'

/** Each message has the ids of strategies with new runs, separated by commas. */
const queuedChannel = 'tickwright_runs'
/** Each message has the id of a changed strategy; or `user` and the id of an account, for all its strategies. */
const changedChannel = 'tickwright_strategies'
/** NOTIFY accepts less than 8,000 bytes. */
const idsInMessage = 400

/** Runs that execute at once in this process: enough for many that wait for an answer, few enough for the memory. */
const runsAtOnce = 512
/** Runs of models that execute at once, of all accounts and of each. They have places of their own, so code has all of its. */
const modelRunsAtOnce = 16
const modelRunsOfAccount = 4
const sweepMs = 3000
/** A strategy without runs is released after this time, so that other nodes can claim it. */
const idleMs = 60_000

/** What an owner changed: one strategy, or something that applies to all strategies of the account. */
export type Change = { strategyId: number } | { userId: number }

export type DispatcherParts = {
  database: Database
  leases: Leases
  journal: Journal
  execute: RunQueueParts['execute']
  onFinished(strategy: HeldStrategy, run: QueuedRun, finish: FinishEntry): void
  onError(error: unknown, strategyId?: number): void
}

/**
 * Has every stored run executed: by this process if it holds the strategy or can claim it, otherwise by another, which
 * it notifies. A notification is the fast way; a sweep finds the runs whose notification was lost.
 */
export class Dispatcher {
  #parts: DispatcherParts
  #queues = new Map<number, RunQueue>()
  #queueParts: RunQueueParts
  /** Strategies for which this process stored runs. If it cannot execute them, it must notify the holder. */
  #offeredHere = new Set<number>()
  #elsewhere = new Set<number>()
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    const codePlaces = new Semaphore(runsAtOnce)
    const modelPlaces = new SharedSemaphore(modelRunsAtOnce, modelRunsOfAccount)
    this.#queueParts = {
      leases: parts.leases,
      journal: parts.journal,
      openRuns: new OpenRuns(parts.database),
      execute: parts.execute,
      admit: ({ settings: { llm, userId } }) =>
        llm === null ? codePlaces.acquire() : modelPlaces.acquire(userId),
      onFinished: parts.onFinished,
      onElsewhere: (strategyId) => this.#leaveToOthers(strategyId),
      onError: (strategyId, error) => parts.onError(error, strategyId),
    }
  }

  async start(): Promise<void> {
    const { database } = this.#parts
    await database.listen(queuedChannel, (ids) => this.#hear(ids))
    await database.listen(
      changedChannel,
      (text) => this.#invalidate(readChange(text)),
      () => this.#invalidateAll(),
    )
    await this.#lookForUnattended()
    this.#timer = setInterval(() => {
      this.#sweep().catch((error: unknown) => this.#parts.onError(error))
    }, sweepMs)
    this.#timer.unref()
  }

  /** The number of strategies that have a queue in this process. */
  get runQueues(): number {
    return this.#queues.size
  }

  /** Takes runs that this process has just stored, in the order of ids. */
  offer(runs: QueuedRun[]): void {
    if (this.#stopped) return
    for (const run of runs) {
      this.#offeredHere.add(run.strategyId)
      this.#queueOf(run.strategyId).offer(run)
    }
  }

  /** Looks for stored runs of these strategies. */
  look(strategyIds: Iterable<number>): void {
    if (this.#stopped) return
    for (const id of strategyIds) this.#queueOf(id).look()
  }

  /** After a change by an owner, every node reads the strategies that it applies to again before their next run. */
  async changed(change: Change): Promise<void> {
    this.#invalidate(change)
    await tellOfChange(this.#parts.database, change)
  }

  /** Starts no further run. Resolves when the current ones have ended and their ends are written. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()))
  }

  #queueOf(strategyId: number): RunQueue {
    let queue = this.#queues.get(strategyId)
    if (queue === undefined) {
      queue = new RunQueue(strategyId, this.#queueParts)
      this.#queues.set(strategyId, queue)
    }
    return queue
  }

  #invalidate(change: Change): void {
    if ('strategyId' in change) this.#queues.get(change.strategyId)?.invalidate()
    else for (const queue of this.#queues.values()) queue.invalidate(change.userId)
  }

  #invalidateAll(): void {
    for (const queue of this.#queues.values()) queue.invalidate()
  }

  /**
   * Another node stored runs. If this node may hold the strategy, it looks. If nobody holds it, one node claims it: if all
   * tried, each run would cost a claim on every node, and one node would win most of them. The sweep finds the rest.
   */
  #hear(ids: string): void {
    const { node } = this.#parts.leases
    const isForThis = (id: number) => this.#queues.has(id) || node.isFirstFor(id)
    this.look(ids.split(',').map(Number).filter(isForThis))
  }

  /**
   * Notifies other nodes if this process stored runs that it cannot execute, once for all of this turn of the event
   * loop. A process that only heard about the runs notifies nobody.
   */
  #leaveToOthers(strategyId: number): void {
    this.#queues.delete(strategyId)
    if (!this.#offeredHere.delete(strategyId)) return
    if (this.#elsewhere.size === 0) setImmediate(() => this.#tellOthers())
    this.#elsewhere.add(strategyId)
  }

  #tellOthers(): void {
    const ids = [...this.#elsewhere]
    this.#elsewhere.clear()
    tellOfRuns(this.#parts.database, ids).catch((error: unknown) => this.#parts.onError(error))
  }

  async #lookForUnattended(): Promise<void> {
    this.look(await this.#parts.leases.unattended())
  }

  async #sweep(): Promise<void> {
    await this.#lookForUnattended()
    const nowMs = performance.now()
    const idle = [...this.#queues.values()].filter(
      (queue) => queue.idle && nowMs - queue.idleSinceMs > idleMs,
    )
    if (idle.length === 0) return
    for (const { strategyId } of idle) {
      this.#queues.delete(strategyId)
      this.#offeredHere.delete(strategyId)
    }
    await this.#parts.leases.release(idle.map(({ strategyId }) => strategyId))
  }
}

/** Notifies every worker on this database that these strategies have new runs. */
export async function tellOfRuns(database: Database, strategyIds: number[]): Promise<void> {
  for (let at = 0; at < strategyIds.length; at += idsInMessage) {
    await database.notify(queuedChannel, strategyIds.slice(at, at + idsInMessage).join(','))
  }
}

/** Notifies every worker on this database of a change by an owner. */
export async function tellOfChange(database: Database, change: Change): Promise<void> {
  await database.notify(changedChannel, 'userId' in change ? `user ${change.userId}` : `${change.strategyId}`)
}

function readChange(text: string): Change {
  const [what, id] = text.split(' ')
  return id === undefined ? { strategyId: Number(what) } : { userId: Number(id) }
}
