import { and, eq, isNotNull } from 'drizzle-orm'
import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import { schedules, strategies } from '../db/schema.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { nextMoment, type Schedule } from './cron-interval.ts'
import { dueSql, earliestSql, fireSql, fireTicksSql, resetSql, upcomingSql } from './firing-statements.ts'

/** Schedules in one statement: the first of them waits for its run until the statement is done. */
const batchLimit = 500
/** Schedules that are checked at once: a thousand cron expressions would block the event loop for a tenth of a second. */
const pageLimit = 250
/** A clock that is set back by less shows some times twice. Schedules must not fire at them twice. */
const smallStepMs = 60_000
/** When to try again to read a schedule that cannot be read. */
const unreadableAgainMs = 3_600_000

/** A strategy that prices trigger. */
export type TickStrategy = { strategyId: number; exchangeId: number; priceSymbol: string }

export type Fired = {
  /** The stored runs, in order of id. */
  runs: QueuedRun[]
  /** The due time of each run, in Unix ms. */
  dueMs: number[]
  /** `more`: other schedules may be due; `taken`: another node is firing those that are due; `none`: none is due. */
  left: 'more' | 'taken' | 'none'
}

type DueRow = [strategyId: number, dueUs: number, version: number, cronInterval: string, timezone: string]
type UpcomingRow = [strategyId: number, nextUs: number, cronInterval: string, timezone: string]
type RunRow = [id: number, strategyId: number, version: number, previousId: number | null]

/** Turns due times into queued runs, each once, however many nodes do this. */
export class Firing {
  #database: Database
  #onError: (error: unknown) => void
  #due: PreparedStatement
  #fire: PreparedStatement
  #fireTicks: PreparedStatement
  #earliest: PreparedStatement
  #upcoming: PreparedStatement
  #reset: PreparedStatement

  /** @param onError called for a schedule whose next time cannot be found; the others fire */
  constructor(database: Database, onError: (error: unknown) => void = () => undefined) {
    this.#database = database
    this.#onError = onError
    this.#due = database.prepare('due_schedules', dueSql)
    this.#fire = database.prepare('fire_schedules', fireSql)
    this.#fireTicks = database.prepare('fire_ticks', fireTicksSql)
    this.#earliest = database.prepare('earliest_schedule', earliestSql)
    this.#upcoming = database.prepare('upcoming_schedules', upcomingSql)
    this.#reset = database.prepare('reset_schedules', resetSql)
  }

  /**
   * Fires a batch of due schedules. A schedule that has missed several times fires once; its next time counts from now.
   * @param nowMs the current time in Unix ms
   */
  async fireDue(nowMs: number): Promise<Fired> {
    const askedAt = performance.now()
    const due = readJson<DueRow[]>(await this.#due([nowMs, batchLimit])) ?? []
    if (due.length === 0) return { runs: [], dueMs: [], left: 'none' }
    const moves = due.map(([strategyId, dueUs, version, cronInterval, timezone]) => ({
      strategy_id: strategyId,
      due_us: dueUs,
      version,
      ...this.#next(strategyId, { cronInterval, timezone }, nowMs),
    }))
    const sentMs = nowMs + performance.now() - askedAt
    const fired = await this.#fire([JSON.stringify(moves), 'schedule', sentMs])
    const { claimed, runs } = readJson<{ claimed: number; runs: RunRow[] | null }>(fired)!
    const dueMs = new Map(due.map(([strategyId, dueUs]) => [strategyId, dueUs / 1000]))
    return {
      runs: queuedRuns(runs, 'schedule'),
      dueMs: (runs ?? []).map(([, strategyId]) => dueMs.get(strategyId)!),
      left: claimed === 0 ? 'taken' : claimed < due.length || due.length === batchLimit ? 'more' : 'none',
    }
  }

  /** The earliest due time in Unix ms; `undefined` if there are no schedules. */
  async earliestMs(): Promise<number | undefined> {
    const [row] = await this.#earliest([])
    return row === undefined ? undefined : Number(row[0])
  }

  /**
   * Corrects the due times that a clock more than a minute ahead has put off, for one page of schedules in order of
   * strategy. A clock that was less than a minute ahead needs no correction: no schedule may fire twice for one time.
   * @param afterId the last strategy of the previous page, or 0
   * @returns the last strategy of this page; `undefined` if this was the last page
   */
  async correct(nowMs: number, afterId: number): Promise<number | undefined> {
    const page = readJson<UpcomingRow[]>(await this.#upcoming([afterId, nowMs, pageLimit])) ?? []
    const late = page.flatMap(([strategyId, nextUs, cronInterval, timezone]) => {
      const schedule = { cronInterval, timezone }
      const latest = this.#next(strategyId, schedule, nowMs + smallStepMs)
      if (!latest.runs || nextUs / 1000 <= latest.next) return []
      return [
        { strategy_id: strategyId, next_us: nextUs, next: this.#next(strategyId, schedule, nowMs).next },
      ]
    })
    if (late.length > 0) await this.#reset([JSON.stringify(late)])
    return page.length < pageLimit ? undefined : page.at(-1)![0]
  }

  /** Queues a run for each of these strategies that a price may trigger now: at most once a second, across all nodes. */
  async fireTicks(strategyIds: number[]): Promise<QueuedRun[]> {
    if (strategyIds.length === 0) return []
    const fired = await this.#fireTicks([`{${strategyIds.join(',')}}`, 'tick', Date.now()])
    return queuedRuns(readJson<{ runs: RunRow[] | null }>(fired)!.runs, 'tick')
  }

  /** All active strategies that prices trigger. */
  async tickStrategies(): Promise<TickStrategy[]> {
    const rows = await this.#database.db
      .select({
        strategyId: strategies.id,
        exchangeId: strategies.exchangeId,
        priceSymbol: strategies.priceSymbol,
      })
      .from(schedules)
      .innerJoin(strategies, eq(strategies.id, schedules.strategyId))
      .where(
        and(
          schedules.ticks,
          eq(strategies.status, 'ACTIVE'),
          isNotNull(strategies.exchangeId),
          isNotNull(strategies.priceSymbol),
        ),
      )
      .orderBy(strategies.id)
    return rows as TickStrategy[]
  }

  /** A time zone that this system no longer knows must not stop the other schedules. */
  #next(strategyId: number, schedule: Schedule, afterMs: number): { next: number; runs: boolean } {
    try {
      return { next: nextMoment(schedule, afterMs), runs: true }
    } catch (cause) {
      this.#onError(new Error(`The schedule of strategy ${strategyId} cannot be read.`, { cause }))
      return { next: afterMs + unreadableAgainMs, runs: false }
    }
  }
}

function readJson<T>([row]: TextRow[]): T | null {
  return JSON.parse(row?.[0] ?? 'null') as T | null
}

function queuedRuns(rows: RunRow[] | null, trigger: 'schedule' | 'tick'): QueuedRun[] {
  return (rows ?? []).map(([id, strategyId, version, previousId]) => ({
    id,
    strategyId,
    previousId: previousId ?? 0,
    version,
    trigger,
    request: null,
    earlierSignal: null,
  }))
}
