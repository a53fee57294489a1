import { and, eq, sql } from 'drizzle-orm'
import { AppError, invalidQuery, notFound } from '../../base/errors.ts'
import type { Window } from '../../base/window.ts'
import type { Database } from '../../db/database.ts'
import { type BacktestPlan, backtestParts, backtests } from '../../db/schema.ts'
import { replayedIntervals } from '../../market/simulated/replayed-candles.ts'
import { fewCandles, joinedCandles, latestCandles } from './chart-candles.ts'
import { unpackCandlesMeanwhile, unpackJson, unpackText } from './packed.ts'
import type { RecordKind } from './records.ts'

/** The latest `count` that open before `untilMs`, in Unix ms; `null`: the latest of all. */
type CandleWindow = { interval: string | undefined; count: number; untilMs: number | null }

/** What came of the backtests of all users. Another user's counts as missing. */
export class Reports {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * What a backtest depends on, in full.
   * @throws {AppError} 404
   */
  async plan(userId: number, id: number): Promise<BacktestPlan> {
    const [row] = await this.#database.db
      .select({ plan: backtests.plan })
      .from(backtests)
      .where(and(eq(backtests.userId, userId), eq(backtests.id, id)))
    if (row === undefined) throw notFound('backtest', id)
    return row.plan
  }

  /**
   * The report of one of its bots, which count from 1, as JSON text.
   * @throws {AppError} 404; 409 if it has none yet
   */
  async report(userId: number, id: number, bot: number): Promise<unknown> {
    return unpackJson(await this.#only(userId, id, bot, 'report'))
  }

  /** The same as a page. */
  async page(userId: number, id: number, bot: number): Promise<string> {
    return unpackText(await this.#only(userId, id, bot, 'page'))
  }

  /**
   * The combinations of a sweep.
   * @throws as `report` does; 404 for a backtest that is no sweep
   */
  async sweep(userId: number, id: number): Promise<unknown> {
    return unpackJson(await this.#only(userId, id, 1, 'sweep', 'sweep of the backtest'))
  }

  /**
   * The latest of the candles on which its bots traded, oldest first.
   * @throws as `report` does; 400 for an interval that they do not have
   */
  async candles(userId: number, id: number, { interval, count, untilMs }: CandleWindow) {
    await this.#demandReport(userId, id, 1)
    const [part] = await this.#database.db
      .select({ content: backtestParts.content })
      .from(backtestParts)
      .where(ofBot(id, 1, 'candle'))
    // Backtests that are older than their charts have none.
    if (part === undefined) return { interval: null, intervals: [], candles: [] }
    const kept = await unpackCandlesMeanwhile(part.content)
    const intervals = replayedIntervals(kept)
    if (interval !== undefined && !intervals.includes(interval)) {
      throw invalidQuery('interval', `must be one of ${intervals.join(', ')}`)
    }
    const chosen =
      interval === undefined
        ? fewCandles(kept, intervals, count)
        : { interval, candles: joinedCandles(kept, interval) }
    return {
      ...{ interval: chosen.interval, intervals },
      candles: latestCandles(chosen.candles, count, untilMs),
    }
  }

  /**
   * Records of one of its bots, newest first.
   * @throws as `report` does
   */
  async records(
    userId: number,
    id: number,
    bot: number,
    kind: RecordKind,
    window: Window,
  ): Promise<{ id: number }[]> {
    const total = await this.recordCount(userId, id, bot, kind)
    const { limit, offset, before = total + 1, after = 0 } = window
    // Ids count from 1 without gaps.
    const isUpwards = window.after !== undefined && window.before === undefined
    const newest = Math.min(before - 1, total) - offset
    const [low, high] = isUpwards
      ? [after + 1, Math.min(after + limit, total)]
      : [Math.max(after, newest - limit) + 1, newest]
    if (low > high) return []
    const parts = await this.#database.db
      .select({ content: backtestParts.content })
      .from(backtestParts)
      .where(
        and(
          ofBot(id, bot, kind),
          sql`${backtestParts.first} < ${high}`,
          sql`${backtestParts.first} + ${backtestParts.records} >= ${low}`,
        ),
      )
      .orderBy(backtestParts.number)
    const records = parts.flatMap(({ content }) => unpackJson(content) as { id: number }[])
    return records.filter((record) => record.id >= low && record.id <= high).reverse()
  }

  /** @throws as `report` does */
  async recordCount(userId: number, id: number, bot: number, kind: RecordKind): Promise<number> {
    await this.#demandReport(userId, id, bot)
    const [row] = await this.#database.db
      .select({ total: sql<string>`coalesce(sum(${backtestParts.records}), 0)` })
      .from(backtestParts)
      .where(ofBot(id, bot, kind))
    return Number(row!.total)
  }

  async #only(
    userId: number,
    id: number,
    bot: number,
    kind: 'report' | 'page' | 'sweep',
    what = 'backtest',
  ): Promise<Buffer> {
    await this.#demandReport(userId, id, bot)
    const [part] = await this.#database.db
      .select({ content: backtestParts.content })
      .from(backtestParts)
      .where(ofBot(id, bot, kind))
    if (part === undefined) throw notFound(what, id)
    return part.content
  }

  async #demandReport(userId: number, id: number, bot: number): Promise<void> {
    const [backtest] = await this.#database.db
      .select({
        status: backtests.status,
        bots: sql<number>`jsonb_array_length(${backtests.plan} -> 'bots')`.mapWith(Number),
      })
      .from(backtests)
      .where(and(eq(backtests.id, id), eq(backtests.userId, userId)))
    if (backtest === undefined) throw notFound('backtest', id)
    const { status, bots } = backtest
    if (status !== 'FINISHED') {
      throw new AppError('resource_conflict', `The backtest ${id} has no report: it is ${status}.`)
    }
    if (bot > bots) throw notFound('bot of the backtest', bot)
  }
}

/** @param bot counts from 1 */
function ofBot(backtestId: number, bot: number, kind: (typeof backtestParts.$inferSelect)['kind']) {
  return and(
    eq(backtestParts.backtestId, backtestId),
    eq(backtestParts.bot, bot - 1),
    eq(backtestParts.kind, kind),
  )
}
