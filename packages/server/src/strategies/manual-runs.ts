import { and, eq, inArray, sql } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import { keepPace, type TokenBuckets } from '../base/token-buckets.ts'
import type { Database } from '../db/database.ts'
import { runs, type StrategyType } from '../db/schema.ts'
import { hold } from './rows.ts'
import { currentStatus } from './status.ts'
import type { ListedStrategy } from './strategy.ts'

export type ManualRunsParts = {
  database: Database
  /** How often an account may trigger runs. */
  pace: TokenBuckets
  /** Called after a run is stored. */
  onQueued(run: { id: number; strategyId: number }): void
}

/** Runs that an owner asks for, without waiting for the schedule. */
export class ManualRuns {
  #parts: ManualRunsParts

  constructor(parts: ManualRunsParts) {
    this.#parts = parts
  }

  /**
   * Queues a run of a strategy that a schedule or prices trigger.
   * @returns the id of the run
   * @throws {AppError} 404; 409 if the strategy is inactive or suspended, or has a run that waits; 429
   */
  async queue(userId: number, type: StrategyType, id: number): Promise<number> {
    const { database, pace, onQueued } = this.#parts
    keepPace(pace, userId, 'You are triggering runs too fast.')
    const runId = await database.db.transaction(async (tx) => {
      // The lock makes two requests, or a request and a switch, follow each other.
      demandActive(await hold(tx, userId, type, id))
      const waits = and(
        ...[eq(runs.strategyId, id), eq(runs.status, 'QUEUED')],
        inArray(runs.trigger, ['schedule', 'tick', 'manual']),
      )
      const [waiting] = await tx.select({ id: runs.id }).from(runs).where(waits).limit(1)
      if (waiting !== undefined)
        throw conflict(
          `Run ${waiting.id} still waits for its turn. Until a run has started, no further one is queued.`,
        )
      const queued = { strategyId: id, trigger: 'manual' as const, queuedAt: sql`now()` }
      const [run] = await tx.insert(runs).values(queued).returning({ id: runs.id })
      return run!.id
    })
    onQueued({ id: runId, strategyId: id })
    return runId
  }
}

function demandActive(strategy: ListedStrategy): void {
  const status = currentStatus(strategy, new Date())
  if (status === 'INACTIVE')
    throw conflict('The strategy is INACTIVE, so it does not run. Activate it first.')
  if (status === 'SUSPENDED')
    throw conflict(
      `The strategy is suspended until ${strategy.state.suspendedUntil!.toISOString()}, so it does not run. To end the suspension, activate it.`,
    )
}

function conflict(message: string): AppError {
  return new AppError('resource_conflict', message)
}
