import { hash } from 'node:crypto'
import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { AppError, notFound } from '../../base/errors.ts'
import { SharedSemaphore } from '../../base/semaphore.ts'
import type { Window } from '../../base/window.ts'
import { lockAccount } from '../../db/account-lock.ts'
import type { Db } from '../../db/database.ts'
import { type BacktestPlan, backtestParts, backtests, type SweepSummary } from '../../db/schema.ts'
import { betweenCursors, inOrder, newestFirst } from '../../db/windows.ts'
import type { Announce } from '../../live/changes.ts'
import type { Vault } from '../../secrets/vault.ts'
import { MarketData } from '../market-data.ts'
import { decisionsKey } from './decisions-key.ts'
import { sealEnvironment } from './environment.ts'
import { presentModel } from './model-fields.ts'
import { nothingYet, packArrival, packCandles, packDecided, packLater } from './packed.ts'
import { Preparation, type PreparationParts } from './preparation.ts'
import { Reports } from './reports.ts'
import type { BacktestRequest } from './request.ts'
import { copySeries } from './series-parts.ts'
import { channel, ended } from './store.ts'
import { copyDeliveries } from './stored-deliveries.ts'
import { contentsOf, StoredMarket, unlessSeriesChange } from './stored-market.ts'
import { timesOf } from './sweep-request.ts'

/** Backtests of an account that may wait, besides the one that runs. */
const mostWaiting = 20
const open = ['QUEUED', 'RUNNING'] as const

const {
  code: _code,
  environment: _environment,
  candles: _candles,
  funding: _funding,
  decisionsKey: _decisionsKey,
  plan,
  ...columns
} = getTableColumns(backtests)
/** Answers, the combinations of a sweep and rates can have megabytes, which no list needs. Storage can have secrets. */
type ShownPlan = Omit<BacktestPlan, 'answers' | 'storage' | 'sweep'> & { sweep?: SweepSummary }
const shownPlan = sql<ShownPlan>`${plan} - 'answers' - 'storage' #- '{sweep,axes}' #- '{sweep,sets}' #- '{market,funding,rates}'`
const shown = { ...columns, plan: shownPlan.mapWith(plan) }

/** A backtest without its code, candles, variables, answers, storage and combinations. */
export type StoredBacktest = Pick<typeof backtests.$inferSelect, keyof typeof columns> & { plan: ShownPlan }

export type Estimate = {
  candles: number
  /** `null` if the code does not run on deliveries. */
  deliveries: number | null
  runs: number
  model: ReturnType<typeof presentModel> | null
  gaps: number
  longestGapMs: number
  unknownRates: number
  /** Of a sweep. */
  combinations: number | null
  seconds: number
}

export type BacktestsParts = PreparationParts & {
  vault: Vault
  /** Tells live streams. */
  announce: Announce
}

/** The backtests of all users. Another user's counts as missing. */
export class Backtests {
  /** What came of those that have ended. */
  readonly reports: Reports
  #parts: BacktestsParts
  #preparation: Preparation
  /** Requests that are prepared at the same time. */
  #places = new SharedSemaphore(2, 1)

  constructor(parts: BacktestsParts) {
    this.#parts = parts
    this.reports = new Reports(parts.database)
    this.#preparation = new Preparation(parts)
  }

  /**
   * What a backtest would take.
   * @throws as `start` does
   */
  async estimate(userId: number, request: BacktestRequest): Promise<Estimate> {
    const release = await this.#places.acquire(userId)
    try {
      return await unlessSeriesChange(() => this.#estimate(userId, request))
    } finally {
      release()
    }
  }

  /**
   * Stores a backtest, which a node executes soon.
   * @throws {AppError} 400 with every field that is wrong; 404 for a strategy that the user does not have; 429 if too many wait
   */
  async start(userId: number, request: BacktestRequest): Promise<StoredBacktest> {
    const release = await this.#places.acquire(userId)
    try {
      return await unlessSeriesChange(() => this.#start(userId, request))
    } finally {
      release()
    }
  }

  async #estimate(userId: number, request: BacktestRequest): Promise<Estimate> {
    const { data, range, plan, runs, trained } = await this.#preparation.prepare(userId, request)
    const gaps = await data.countGaps(range.warmUp, range.end)
    const candles = range.end - range.first
    const times = timesOf(plan)
    return {
      ...{ candles, deliveries: plan.deliveries?.count ?? null, runs: runs * times.code, gaps: gaps.count },
      model: plan.model === undefined ? null : presentModel(plan.model, null),
      unknownRates: plan.market?.funding?.unknown ?? 0,
      combinations: plan.sweep?.combinations ?? null,
      longestGapMs: gaps.longestMs,
      seconds:
        secondsFor(runs * (times.code + (plan.examines ? 3 : 0)), (candles + trained) * times.trades) +
        secondsPerQuestion * (plan.model?.asked ?? 0),
    }
  }

  async #start(userId: number, request: BacktestRequest): Promise<StoredBacktest> {
    const { database, vault } = this.#parts
    const prepared = await this.#preparation.prepare(userId, request)
    const { data, range, env, runs, deliveries, decisions, live, strategyId, version, code, symbol } =
      prepared
    const funding = prepared.funding && (await packLater(JSON.stringify(prepared.funding)))
    const copied = data instanceof StoredMarket ? data.copied : null
    if (copied !== null) prepared.plan.series = { skip: copied.skip, count: copied.count }
    const candles = data instanceof MarketData ? await packCandles(data.candles) : Buffer.alloc(0)
    const contents = copied === null ? hash('sha256', candles) : contentsOf(copied, data.periodMs)
    const planned = (plan: BacktestPlan) => ({
      plan,
      decisionsKey: decisionsKey(vault, { ...prepared, plan, candles: contents }),
    })
    if ((await this.#waiting(database.db, userId)) >= mostWaiting) throw tooMany()
    const stored = await database.db.transaction(async (tx) => {
      const [inserted] = await tx
        .insert(backtests)
        .values({
          ...{ userId, strategyId, version, code, symbol, ...planned(prepared.plan) },
          environment: sealEnvironment(vault, userId, env),
          ...{ candles, candleCount: range.end - range.first, periodMs: data.periodMs },
          runs: runs * timesOf(prepared.plan).code,
          funding,
        })
        .returning(shown)
      if (copied !== null) await copySeries(tx, inserted!.id, copied)
      let row = inserted
      if (deliveries !== null) {
        const digest = await copyDeliveries(tx, row!.id, deliveries)
        const plan = { ...prepared.plan, deliveries: { ...prepared.plan.deliveries!, digest } }
        const isRow = eq(backtests.id, row!.id)
        ;[row] = await tx.update(backtests).set(planned(plan)).where(isRow).returning(shown)
      }
      if (live.length > 0) {
        const parts = live.map((content, number) => ({ number, content, backtestId: row!.id }))
        await tx
          .insert(backtestParts)
          .values(parts.map((part) => ({ ...part, bot: 0, kind: 'model' as const })))
      }
      if (decisions !== null) {
        // As if code had decided it: a bot goes on from there.
        const parts = [
          { kind: 'checkpoint' as const, content: packArrival({ decisions, at: null }) },
          { kind: 'decided' as const, content: packDecided(decisions, nothingYet)! },
        ]
        await tx
          .insert(backtestParts)
          .values(parts.map((part) => ({ backtestId: row!.id, bot: 0, number: 0, ...part })))
      }
      // Copying takes a while, in which the account must not be locked. This backtest counts too.
      await lockAccount(tx, userId)
      if ((await this.#waiting(tx, userId)) > mostWaiting) throw tooMany()
      return row!
    })
    await this.#tell(stored)
    return stored
  }

  #waiting(db: Db, userId: number): Promise<number> {
    return db.$count(backtests, and(eq(backtests.userId, userId), eq(backtests.status, 'QUEUED')))
  }

  /** Newest first. */
  async list(userId: number, window: Window): Promise<StoredBacktest[]> {
    const rows = await this.#parts.database.db
      .select(shown)
      .from(backtests)
      .where(and(eq(backtests.userId, userId), betweenCursors(backtests.id, window)))
      .orderBy(...inOrder(window, backtests.id))
      .limit(window.limit)
      .offset(window.offset)
    return newestFirst(rows, window)
  }

  count(userId: number): Promise<number> {
    return this.#parts.database.db.$count(backtests, eq(backtests.userId, userId))
  }

  /** Those of these that belong to one of these users. */
  byId(userIds: readonly number[], ids: readonly number[]): Promise<StoredBacktest[]> {
    return this.#parts.database.db
      .select(shown)
      .from(backtests)
      .where(and(inArray(backtests.userId, [...userIds]), inArray(backtests.id, [...ids])))
  }

  /** @throws {AppError} 404 */
  async get(userId: number, id: number): Promise<StoredBacktest> {
    const [row] = await this.#parts.database.db.select(shown).from(backtests).where(own(userId, id))
    if (row === undefined) throw notFound('backtest', id)
    return row
  }

  /**
   * Ends a backtest that waits or runs.
   * @throws {AppError} 404; 409 if it has ended
   */
  async cancel(userId: number, id: number): Promise<StoredBacktest> {
    const cancelled = await this.#parts.database.db.transaction(async (tx) => {
      const [row] = await tx
        .update(backtests)
        .set({ ...ended, status: 'CANCELLED', error: null, isDecided: false })
        .where(and(own(userId, id), inArray(backtests.status, [...open])))
        .returning(shown)
      if (row === undefined) return undefined
      await tx.delete(backtestParts).where(eq(backtestParts.backtestId, id))
      return row
    })
    if (cancelled === undefined) {
      const { status } = await this.get(userId, id)
      throw new AppError('resource_conflict', `The backtest ${id} has ended: it is ${status}.`)
    }
    await this.#tell(cancelled)
    return cancelled
  }

  /**
   * Deletes a backtest with its report. One that runs ends.
   * @throws {AppError} 404
   */
  async delete(userId: number, id: number): Promise<void> {
    const { db } = this.#parts.database
    const gone = await db.delete(backtests).where(own(userId, id)).returning({ id: backtests.id })
    if (gone.length === 0) throw notFound('backtest', id)
    await this.#tell({ id, userId })
  }

  async #tell(backtest: { id: number; userId: number }): Promise<void> {
    const { database, announce } = this.#parts
    announce({ kind: 'backtest', id: backtest.id, userId: backtest.userId })
    await database.notify(channel, String(backtest.id))
  }
}

function own(userId: number, id: number) {
  return and(eq(backtests.id, id), eq(backtests.userId, userId))
}

function tooMany(): AppError {
  return new AppError(
    'rate_limited',
    `${mostWaiting} of your backtests wait already, and no more may. Cancel one, or try again when one has ended.`,
    { retryAfterSeconds: 10 },
  )
}

/** About what one processor does, with code that calls nothing of the service. */
const runsPerSecond = 30_000
const candlesPerSecond = 100_000
const startSeconds = 2
/** Of a model: the slowest part of asking it about a delivery is the model itself. */
const secondsPerQuestion = 5

function secondsFor(runs: number, candles: number): number {
  return Math.ceil(startSeconds + runs / runsPerSecond + candles / candlesPerSecond)
}
