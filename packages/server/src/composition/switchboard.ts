import type { Logger } from 'pino'
import { type BotWorker, tellOfBots, tellOfChecks } from '../bots/worker.ts'
import type { Database } from '../db/database.ts'
import type { Announce } from '../live/changes.ts'
import { type Change, tellOfChange, tellOfRuns } from '../runs/dispatcher.ts'
import { justQueued, type QueuedRun } from '../runs/queued-run.ts'
import type { Worker } from '../runs/worker.ts'
import { notifySchedulers } from '../schedules/schedules.ts'
import type { CallbackTeller } from '../webhooks/callbacks/teller.ts'

/**
 * Passes news of work to the workers: directly if they work on this node, otherwise by a notification of the database.
 * If a notification is lost, the sweeps of the workers find the work. Live streams hear of new runs here too.
 */
export class Switchboard {
  #worker: Worker | undefined
  #bots: Pick<BotWorker, 'announce' | 'checkNow'> | undefined
  #callbacks: Pick<CallbackTeller, 'stored'> | undefined
  #database: Database
  #logger: Logger
  #announce: Announce

  constructor(database: Database, logger: Logger, announce: Announce) {
    this.#database = database
    this.#logger = logger
    this.#announce = announce
  }

  /** From now on, this node executes runs itself. Until then, it tells other nodes. */
  connectWorker(worker: Worker): void {
    this.#worker = worker
  }

  /** From now on, bots on this node follow signals. Until then, it tells other nodes. */
  connectBots(bots: Pick<BotWorker, 'announce' | 'checkNow'>): void {
    this.#bots = bots
  }

  /** From now on, this node tells callbacks itself. Until then, other nodes find them in their sweeps. */
  connectCallbacks(callbacks: Pick<CallbackTeller, 'stored'>): void {
    this.#callbacks = callbacks
  }

  /** Signals with a callback were stored. */
  calledBack(signalIds: number[]): void {
    this.#callbacks?.stored(signalIds)
  }

  /** Runs were stored, in this order. */
  queued(runs: QueuedRun[]): void {
    for (const run of runs)
      this.#announce({ kind: 'run', id: run.id, strategyId: run.strategyId }, justQueued(run))
    if (this.#worker !== undefined) this.#worker.offer(runs)
    else this.#tellOfRuns([...new Set(runs.map((run) => run.strategyId))])
  }

  /** Runs were stored whose input is only in the database. */
  stored(runs: Pick<QueuedRun, 'id' | 'strategyId'>[]): void {
    for (const { id, strategyId } of runs) this.#announce({ kind: 'run', id, strategyId })
    const strategyIds = runs.map(({ strategyId }) => strategyId)
    if (this.#worker !== undefined) this.#worker.look(strategyIds)
    else this.#tellOfRuns(strategyIds)
  }

  /** Someone changed a value that runs receive. Resolves when the next run on this node will see it. */
  changed(change: Change): Promise<void> {
    return this.#worker === undefined ? tellOfChange(this.#database, change) : this.#worker.changed(change)
  }

  /** Signals are waiting for these bots. */
  signalled(botIds: number[]): void {
    if (this.#bots !== undefined) this.#bots.announce(botIds)
    else this.#tell(tellOfBots(this.#database, botIds), 'bots not told of signals')
  }

  /** A bot must be compared with its account now. */
  compare(botId: number): void {
    if (this.#bots !== undefined) this.#bots.checkNow([botId])
    else this.#tell(tellOfChecks(this.#database, [botId]), 'workers not told to compare a bot')
  }

  /** Other times or prices may trigger strategies. */
  scheduled(): void {
    this.#tell(notifySchedulers(this.#database), 'schedulers not told')
  }

  #tellOfRuns(strategyIds: number[]): void {
    this.#tell(tellOfRuns(this.#database, strategyIds), 'workers not told of runs')
  }

  #tell(told: Promise<void>, failure: string): void {
    told.catch((err: unknown) => this.#logger.error({ err }, failure))
  }
}
