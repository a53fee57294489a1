import type { Logger } from 'pino'
import { type BotWorker, tellOfBots } from '../bots/worker.ts'
import type { Database } from '../db/database.ts'
import { type Change, tellOfChange, tellOfRuns } from '../runs/dispatcher.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import type { Worker } from '../runs/worker.ts'
import { notifySchedulers } from '../schedules/schedules.ts'

/**
 * Says what there is to do to those who do it: directly where they work on this node, else by a notification of the
 * database. What a notification that got lost was about, is found by their sweeps.
 */
export class Switchboard {
  /** Set once this node works off runs, or signals of bots. */
  worker: Worker | undefined
  bots: Pick<BotWorker, 'announce'> | undefined
  #database: Database
  #logger: Logger

  constructor(database: Database, logger: Logger) {
    this.#database = database
    this.#logger = logger
  }

  /** Runs were stored, in this order. */
  queued(runs: QueuedRun[]): void {
    if (this.worker !== undefined) this.worker.offer(runs)
    else this.#tellOfRuns([...new Set(runs.map((run) => run.strategyId))])
  }

  /** There may be runs of these strategies. */
  look(strategyIds: number[]): void {
    if (this.worker !== undefined) this.worker.look(strategyIds)
    else this.#tellOfRuns(strategyIds)
  }

  /** Somebody changed what runs are given: resolves when the next run of this node sees it. */
  changed(change: Change): Promise<void> {
    return this.worker === undefined ? tellOfChange(this.#database, change) : this.worker.changed(change)
  }

  /** Signals were put before these bots. */
  signalled(botIds: number[]): void {
    if (this.bots !== undefined) this.bots.announce(botIds)
    else this.#tell(tellOfBots(this.#database, botIds), 'bots not told of signals')
  }

  /** Other moments or prices may set strategies off. */
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
