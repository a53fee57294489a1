import { and, eq, isNotNull } from 'drizzle-orm'
import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import { schedules, strategies } from '../db/schema.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { nextMoment, type Schedule } from './cron-interval.ts'
import { dueSql, earliestSql, fireSql, fireTicksSql, resetSql, upcomingSql } from './firing-statements.ts'

/** Schedules that one statement moves on: its time is what the first of them waits for its run. */
const batchLimit = 500
/** Schedules that are checked in one go: a thousand cron expressions would hold everything else up for a tenth of a second. */
const pageLimit = 250
/** A clock that goes back by less shows some moments twice, and must not make them come twice. */
const smallStepMs = 60_000
/** When a schedule that cannot be read is looked at again. */
const unreadableAgainMs = 3_600_000

/** A strategy that prices set off. */
export type TickStrategy = { strategyId: number; exchangeId: number; priceSymbol: string }

export type Fired = {
  /** The runs that were stored, in the order of their ids. */
  runs: QueuedRun[]
  /** The moment that was due, in Unix ms, of each of them. */
  dueMs: number[]
  /** `more`: others may be due; `taken`: those that are due are in the hands of another node; `none`: nothing is. */
  left: 'more' | 'taken' | 'none'
}

type DueRow = [strategyId: number, dueUs: number, version: number, cronInterval: string, timezone: string]
type UpcomingRow = [strategyId: number, nextUs: number, cronInterval: string, timezone: string]
type RunRow = [id: number, strategyId: number, version: number, previousId: number | null]

/** Turns moments that have come into queued runs: each once, however many nodes are at it. */
export class Firing {
  #database: Database
  #onError: (error: unknown) => void
  #due: PreparedStatement
  #fire: PreparedStatement
  #fireTicks: PreparedStatement
  #earliest: PreparedStatement
  #upcoming: PreparedStatement
  #reset: PreparedStatement

  /** @param onError told of a schedule whose next moment cannot be found; the others go on */
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
   * Fires a batch of what is due. A schedule that was due more than once meanwhile fires once, and goes on from now.
   * @param nowMs the present moment, Unix ms
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

  /** When the next schedule is due, in Unix ms; `undefined` when there is none. */
  async earliestMs(): Promise<number | undefined> {
    const [row] = await this.#earliest([])
    return row === undefined ? undefined : Number(row[0])
  }

  /**
   * Brings schedules back that a clock which was over a minute ahead has put off, a page of them in the order of
   * their strategies. Clocks that differ by less leave no trace: none comes again at a moment that it has had.
   * @param afterId the strategy that the last page ended with, or 0
   * @returns the strategy that this page ended with; `undefined` when it was the last page
   */
  async bringBack(nowMs: number, afterId: number): Promise<number | undefined> {
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

  /** Strategies of these that a price may set off now: once a second at the most, over all nodes. */
  async fireTicks(strategyIds: number[]): Promise<QueuedRun[]> {
    if (strategyIds.length === 0) return []
    const fired = await this.#fireTicks([`{${strategyIds.join(',')}}`, 'tick', Date.now()])
    return queuedRuns(readJson<{ runs: RunRow[] | null }>(fired)!.runs, 'tick')
  }

  /** Every strategy that is switched on and set off by prices. */
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

  /** A zone that this system no longer knows must not keep all the others from running. */
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
