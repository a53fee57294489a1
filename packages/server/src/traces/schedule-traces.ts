import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Database } from '../db/database.ts'
import type { Slot } from '../db/reads.ts'
import { runs, type StrategyType, schedules, strategies, strategyState } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import { boundsOf } from '../db/time-bounds.ts'
import { inOrder, ofOneBetween } from '../db/windows.ts'
import { canFire, latestMoments, type Schedule, ticks } from '../schedules/cron-interval.ts'
import {
  explainTimes,
  obstacleNow,
  type ScheduledRun,
  type ScheduleTime,
  type Violation,
} from './schedule-times.ts'

export type ScheduleTrace = {
  strategyId: number
  schedule: Schedule
  ticks: boolean
  /** Why the strategy gets no run now; `null` if nothing stands in its way. */
  reason: string | null
  /** Newest first. */
  times: ScheduleTime[]
  hasEarlier: boolean
}

export type ScheduleTracesParts = {
  database: Database
  findExchange(id: number): CatalogueExchange | undefined
}

/** A time has at most one run. Some runs before the first time may explain it. */
const earlierRuns = 100
/** How long a price may take to arrive before its absence is a reason. A symbol that is traded has one each second. */
const quietMs = 5_000
/** Greater than every id. */
const noBound = Number.MAX_SAFE_INTEGER

const runColumns = {
  ...{ id: runs.id, status: runs.status, dueAt: runs.dueAt, queuedAt: runs.queuedAt },
  ...{ startedAt: runs.startedAt, finishedAt: runs.finishedAt, error: runs.error },
}

/** Says what became of the times of a schedule. */
export class ScheduleTraces {
  #parts: ScheduleTracesParts

  constructor(parts: ScheduleTracesParts) {
    this.#parts = parts
  }

  /**
   * The latest `count` times of a strategy's schedule until a moment.
   * @throws {AppError} 404 if the user has no strategy of this type with this id
   */
  async of(
    { userId, type, id }: { userId: number; type: StrategyType; id: number },
    count: number,
    until?: Date,
  ): Promise<ScheduleTrace> {
    const strategy = await this.#strategy(userId, type, id)
    const nowMs = Date.now()
    const schedule = { cronInterval: strategy.cronInterval ?? '', timezone: strategy.timezone ?? 'UTC' }
    const untilMs = Math.min(until?.getTime() ?? nowMs, nowMs)
    const all = canFire(schedule) ? latestMoments(schedule, untilMs, count) : []
    const times = all.filter((atMs) => atMs >= strategy.createdAt.getTime())
    const [latest, around] = await Promise.all([
      this.#runs(id, noBound, 1),
      times.length === 0 ? undefined : this.#around(id, count + earlierRuns, until),
    ])
    return {
      ...{ strategyId: id, schedule, ticks: ticks(schedule) },
      reason:
        obstacleNow(strategy, latest[0], nowMs) ?? this.#quietness(strategy, schedule, latest[0], nowMs),
      times: around === undefined ? [] : explainTimes(times, { strategy, ...around }),
      hasEarlier: times.length === count,
    }
  }

  async #strategy(userId: number, type: StrategyType, id: number) {
    const { db, read } = this.#parts.database
    const [row] = await read('traced_schedule', { userId, type, id }, ({ userId, type, id }) =>
      db
        .select({
          ...{
            status: strategies.status,
            cronInterval: strategies.cronInterval,
            timezone: strategies.timezone,
          },
          ...{ exchangeId: strategies.exchangeId, priceSymbol: strategies.priceSymbol },
          ...{ createdAt: strategies.createdAt, updatedAt: strategies.updatedAt },
          ...{ suspendedUntil: strategyState.suspendedUntil, suspension: strategyState.suspension },
          nextRunAt: schedules.nextRunAt,
        })
        .from(strategies)
        .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
        .leftJoin(schedules, eq(schedules.strategyId, strategies.id))
        .where(and(eq(strategies.id, id), eq(strategies.userId, userId), eq(strategies.type, type))),
    )
    if (row === undefined) throw notFound(typeName(type), id)
    return row
  }

  /** The runs and violations from before `until`. */
  async #around(id: number, most: number, until: Date | undefined) {
    const { db } = this.#parts.database
    const bounds =
      until === undefined ? {} : await boundsOf(db, { name: 'runs', time: 'queued_at' }, { until })
    const high = bounds.high ?? noBound
    const [found, violations] = await Promise.all([
      this.#runs(id, high, most),
      this.#violations(id, high, most),
    ])
    return { runs: found, violations }
  }

  #runs(id: number, high: number, most: number): Promise<ScheduledRun[]> {
    const { db, read } = this.#parts.database
    return read('scheduled_runs', { id, high, most }, ({ id, high, most }) =>
      db
        .select(runColumns)
        .from(runs)
        .where(ofStrategy(id, high))
        .orderBy(...newestFirst(high))
        .limit(most),
    )
  }

  #violations(id: number, high: number, most: number): Promise<Violation[]> {
    const { db, read } = this.#parts.database
    return read('violations_of_schedule', { id, high, most }, ({ id, high, most }) =>
      db
        .select({ id: runs.id, finishedAt: runs.finishedAt, violation: runs.violation })
        .from(runs)
        // Spelled out, so that the plan that PostgreSQL keeps uses the index of unsuccessful runs.
        .where(and(sql`${runs.status} = 'VIOLATION'`, ofStrategy(id, high), isNotNull(runs.finishedAt)))
        .orderBy(...newestFirst(high))
        .limit(most),
    )
  }

  /** Why a strategy that prices trigger has not run for a while; `null` if it has. */
  #quietness(
    {
      exchangeId,
      priceSymbol,
      updatedAt,
    }: { exchangeId: number | null; priceSymbol: string | null; updatedAt: Date },
    schedule: Schedule,
    latest: ScheduledRun | undefined,
    nowMs: number,
  ): string | null {
    if (!ticks(schedule))
      return canFire(schedule) ? null : `This system does not know the time zone ${schedule.timezone}.`
    if (exchangeId === null || priceSymbol === null) return null
    const exchange = this.#parts.findExchange(exchangeId)
    if (!exchange?.enabled) return `Exchange ${exchangeId} is switched off, so it has no prices.`
    const sinceMs = Math.max(updatedAt.getTime(), latest?.queuedAt.getTime() ?? 0)
    if (nowMs - sinceMs < quietMs) return null
    return `No node has received a price of ${priceSymbol} from ${exchange.name} since ${new Date(sinceMs).toISOString()}.`
  }
}

function ofStrategy(id: Slot<number>, high: Slot<number>) {
  return ofOneBetween(runs.strategyId, runs.id, id, { before: high })
}

function newestFirst(high: Slot<number>) {
  return inOrder({ before: high }, runs.strategyId, runs.id)
}
