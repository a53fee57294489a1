import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { AppError, invalidField, notFound } from '../../base/errors.ts'
import { SharedSemaphore } from '../../base/semaphore.ts'
import type { Window } from '../../base/window.ts'
import { lockAccount } from '../../db/account-lock.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  type BacktestModel,
  type BacktestPlan,
  backtestParts,
  backtests,
  type StrategyType,
  type SweepSummary,
  strategies,
} from '../../db/schema.ts'
import { asksModel } from '../../db/strategy-types.ts'
import { betweenCursors, inOrder, newestFirst } from '../../db/windows.ts'
import type { Announce } from '../../live/changes.ts'
import type { CandleStore } from '../../market/stored/candle-store.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { CheckQueue } from '../../strategies/check-queue.ts'
import { checkCode } from '../../strategies/code-check.ts'
import { Versions } from '../../strategies/versions.ts'
import type { FundingMoment } from '../../trading/funding.ts'
import type { Decisions } from '../decide.ts'
import { runnable } from '../delivery-runs.ts'
import type { MarketData } from '../market-data.ts'
import type { CandleRange } from '../question.ts'
import { readBots } from './bots.ts'
import { checkMargins } from './conditions.ts'
import { decisionsKey } from './decisions-key.ts'
import { sealEnvironment } from './environment.ts'
import { readMoments } from './funding-rates.ts'
import { checkVolume, readMarketModel } from './market.ts'
import { demandModelFields, readModelSource, readRecorded } from './model-source.ts'
import { nothingYet, packArrival, packCandles, packDecided, packLater } from './packed.ts'
import { Reports } from './reports.ts'
import {
  type BacktestRequest,
  type CandleSource,
  checkSymbol,
  demandSource,
  Problems,
  planOf,
  readCandles,
  readParameters,
  readRange,
  sourceOf,
} from './request.ts'
import { readStart } from './start-state.ts'
import { channel, ended } from './store.ts'
import { readStoredCandles } from './stored-candles.ts'
import { copyDeliveries, type FoundDeliveries, findDeliveries } from './stored-deliveries.ts'
import { decisionsOf } from './stored-signals.ts'
import { checkWork, readSweep, timesOf } from './sweep-request.ts'
import { trainedCandles } from './sweep-walk.ts'

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
/** Answers and the combinations of a sweep can have megabytes, which no list needs. Storage can have secrets. */
type ShownPlan = Omit<BacktestPlan, 'answers' | 'storage' | 'sweep'> & { sweep?: SweepSummary }
const shownPlan = sql<ShownPlan>`${plan} - 'answers' - 'storage' #- '{sweep,axes}' #- '{sweep,sets}'`
const shown = { ...columns, plan: shownPlan.mapWith(plan) }

/** A backtest without its code, candles, variables, answers, storage and combinations. */
export type StoredBacktest = Pick<typeof backtests.$inferSelect, keyof typeof columns> & { plan: ShownPlan }

export type Estimate = {
  candles: number
  /** `null` if the code does not run on deliveries. */
  deliveries: number | null
  runs: number
  model: BacktestModel | null
  gaps: number
  longestGapMs: number
  unknownRates: number
  seconds: number
}

export type BacktestsParts = {
  candles: CandleStore
  database: Database
  vault: Vault
  syntax: Pick<CheckQueue, 'check'>
  /** The variables that a strategy in this folder can read; `null` for no folder. */
  environment(userId: number, folderId: number | null): Promise<Record<string, string>>
  /** For how many days the service keeps deliveries. */
  retentionDays: number
  /** Tells live streams. */
  announce: Announce
}

type Prepared = {
  strategyId: number | null
  version: number | null
  code: string
  symbol: string
  env: Record<string, string>
  plan: BacktestPlan
  data: MarketData
  range: CandleRange
  /** How often the code runs. */
  runs: number
  /** Those that it runs on, if not at the ends of candles. */
  deliveries: FoundDeliveries | null
  /** If they come from stored signals, and not from code. */
  decisions: Decisions | null
  /** When positions pay; `null`: never. */
  funding: FundingMoment[] | null
}

/** The backtests of all users. Another user's counts as missing. */
export class Backtests {
  /** What came of those that have ended. */
  readonly reports: Reports
  #parts: BacktestsParts
  #versions: Versions
  /** Candles of requests that are in memory at the same time. */
  #places = new SharedSemaphore(2, 1)

  constructor(parts: BacktestsParts) {
    this.#parts = parts
    this.reports = new Reports(parts.database)
    this.#versions = new Versions(parts.database)
  }

  /**
   * What a backtest would take.
   * @throws as `start` does
   */
  async estimate(userId: number, request: BacktestRequest): Promise<Estimate> {
    const release = await this.#places.acquire(userId)
    try {
      return await this.#estimate(userId, request)
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
      return await this.#start(userId, request)
    } finally {
      release()
    }
  }

  async #estimate(userId: number, request: BacktestRequest): Promise<Estimate> {
    const { data, range, plan, runs } = await this.#prepare(userId, request)
    const gaps = data.gaps(range.warmUp, range.end)
    const candles = range.end - range.first
    const times = timesOf(plan)
    return {
      ...{ candles, deliveries: plan.deliveries?.count ?? null, runs: runs * times.code, gaps: gaps.length },
      model: plan.model ?? null,
      unknownRates: plan.market?.funding?.unknown ?? 0,
      longestGapMs: gaps.reduce((longest, { fromMs, toMs }) => Math.max(longest, toMs - fromMs), 0),
      seconds: secondsFor(runs * (times.code + (plan.examines ? 3 : 0)), candles * times.trades),
    }
  }

  async #start(userId: number, request: BacktestRequest): Promise<StoredBacktest> {
    const { database, vault } = this.#parts
    const prepared = await this.#prepare(userId, request)
    const { data, range, env, runs, deliveries, decisions, strategyId, version, code, symbol } = prepared
    const funding = prepared.funding && (await packLater(JSON.stringify(prepared.funding)))
    const candles = await packCandles(data.candles)
    const planned = (plan: BacktestPlan) => ({
      ...{
        plan,
        decisionsKey: decisionsKey(vault, { ...prepared, plan, candles }),
      },
    })
    if ((await this.#waiting(database.db, userId)) >= mostWaiting) throw tooMany()
    const stored = await database.db.transaction(async (tx) => {
      const [inserted] = await tx
        .insert(backtests)
        .values({
          ...{ userId, strategyId, version, code, symbol, ...planned(prepared.plan) },
          environment: sealEnvironment(vault, userId, env),
          ...{ candles, candleCount: range.end - range.first, periodMs: data.candles.periodMs },
          runs: runs * timesOf(prepared.plan).code,
          funding,
        })
        .returning(shown)
      let row = inserted
      if (deliveries !== null) {
        const digest = await copyDeliveries(tx, row!.id, deliveries)
        const plan = { ...prepared.plan, deliveries: { ...prepared.plan.deliveries!, digest } }
        const isRow = eq(backtests.id, row!.id)
        ;[row] = await tx.update(backtests).set(planned(plan)).where(isRow).returning(shown)
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
        .set({ ...ended, status: 'CANCELLED', isDecided: false })
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

  async #prepare(userId: number, request: BacktestRequest): Promise<Prepared> {
    demandSource(request)
    const { environment, syntax } = this.#parts
    const source = await this.#codeOf(userId, request)
    if (request.code !== undefined) await checkCode(request.code, userId, syntax)
    const problems = new Problems()
    const parameters = readParameters(request.parameters ?? {}, source.code, problems)
    const { db } = this.#parts.database
    const rest = { ...planOf(request), ...(await readStart(db, source.strategyId, request, problems)) }
    const { symbol, candles } = await this.#candlesOf(userId, request, rest, problems)
    const bots = await readBots(db, userId, { ...request, symbol }, problems)
    const market = readMarketModel(request.market, symbol, problems)
    checkMargins(market, bots, symbol, problems)
    const plan: BacktestPlan = { ...rest, candleId: request.candle_id ?? null, parameters, bots, market }
    const sweep = readSweep(request, { code: source.code, symbol }, problems)
    if (sweep !== undefined) plan.sweep = sweep
    const range = candles && readRange(candles, plan, bots.length, problems)
    if (range !== null) {
      const trained = trainedCandles(sweep, candles!.data, range, problems)
      checkWork(sweep, range.end - range.first + trained, problems)
    }
    if (candles !== null) checkVolume(market, candles.data, problems)
    problems.throwIfAny()
    const env = await environment(userId, source.folderId)
    const { data } = candles!
    const funding = await this.#fundingOf(userId, request, { plan, data, range: range!, symbol }, problems)
    problems.throwIfAny()
    const known = { ...source, symbol, plan, env, data, range: range!, funding }
    if (plan.botWebhookId !== undefined) {
      const fromMs = data.candles.times[range!.first]!
      const asked = { userId, webhookId: plan.botWebhookId, fromMs, toMs: data.endOf(range!.end - 1) }
      return { ...known, runs: 0, deliveries: null, decisions: await decisionsOf(db, data, asked) }
    }
    if (plan.source !== 'deliveries') {
      return { ...known, runs: range!.end - range!.warmUp, deliveries: null, decisions: null }
    }
    const webhookId = webhookOf(request, source)
    const { usesPrice } = source
    const deliveries = await findDeliveries(
      db,
      { userId, webhookId, ...spanOf(data, range!, plan) },
      this.#parts.retentionDays,
    )
    const { times } = deliveries
    plan.deliveries = { webhookId, usesPrice, count: times.length, digest: '' }
    const { strategyId, model } = source
    if (model !== null) {
      const asked = { strategyId: strategyId!, model, deliveries, request, plan }
      return { ...known, runs: 0, deliveries: null, decisions: await readRecorded(db, data, asked) }
    }
    return { ...known, runs: runnable(data, { times, usesPrice }).length, deliveries, decisions: null }
  }

  /** From a stored series, or from the request itself. Notes what is wrong with them. */
  async #candlesOf(
    userId: number,
    { candle_id: id, symbol: asked, candles: rows }: BacktestRequest,
    times: Pick<BacktestPlan, 'fromMs' | 'toMs' | 'warmUpFromMs'>,
    problems: Problems,
  ): Promise<{ symbol: string; candles: CandleSource | null }> {
    if (asked !== undefined) checkSymbol(asked, problems)
    if (id !== undefined) {
      if (rows !== undefined) problems.add('candles', 'cannot come with `candle_id`')
      return readStoredCandles(this.#parts.candles, { userId, id, symbol: asked, times }, problems)
    }
    if (asked === undefined) problems.add('symbol', 'is missing: the market of the candles')
    if (rows === undefined) problems.add('candle_id', 'is missing: name a stored series, or send `candles`')
    const symbol = asked ?? ''
    const data = rows === undefined ? null : readCandles(symbol, rows, Date.now(), problems)
    return { symbol, candles: data && sourceOf(data) }
  }

  async #codeOf(userId: number, request: BacktestRequest) {
    const { strategy_id: strategyId, version, code } = request
    if (strategyId === undefined) {
      const none = { strategyId: null, version: null, folderId: null, webhookId: null, type: null }
      return { ...none, code: code ?? '', usesPrice: true, model: null }
    }
    const { db } = this.#parts.database
    const [strategy] = await db
      .select()
      .from(strategies)
      .where(and(eq(strategies.id, strategyId), eq(strategies.userId, userId)))
    if (strategy === undefined) throw notFound('strategy', strategyId)
    const { folderId, type, dataWebhookId: webhookId, usePrice: usesPrice } = strategy
    const facts = { strategyId, folderId, type, webhookId, usesPrice, model: null }
    if (asksModel(type)) {
      demandModelFields(request)
      const saved = version === undefined ? undefined : await this.#versions.get(strategyId, version)
      const model = await readModelSource(db, strategy, saved?.text)
      const own = { version: saved?.version ?? strategy.version, code: model.prompt, usesPrice: false }
      return { ...facts, ...own, model }
    }
    if (code !== undefined) return { ...facts, version: null, code }
    const saved = version === undefined ? strategy : await this.#versions.get(strategyId, version)
    return { ...facts, version: saved.version, code: 'text' in saved ? saved.text : saved.code }
  }

  /** The moments at which positions pay while the bots trade; `null`: never. */
  async #fundingOf(
    userId: number,
    { market: given }: BacktestRequest,
    { plan, data, range, symbol }: Pick<Prepared, 'plan' | 'data' | 'range' | 'symbol'>,
    problems: Problems,
  ): Promise<FundingMoment[] | null> {
    const terms = plan.market?.funding ?? null
    if (terms === null) return null
    const period = { fromMs: data.candles.times[range.first]!, toMs: data.endOf(range.end - 1) }
    const asked = { userId, symbol, terms, given: given?.funding?.rates ?? [], period }
    const moments = await readMoments(this.#parts.candles, asked, problems)
    terms.moments = moments?.length ?? 0
    terms.unknown = moments?.filter(({ rate }) => rate === null).length ?? 0
    return moments
  }

  async #tell(backtest: { id: number; userId: number }): Promise<void> {
    const { database, announce } = this.#parts
    announce({ kind: 'backtest', id: backtest.id, userId: backtest.userId })
    await database.notify(channel, String(backtest.id))
  }
}

/** @throws {AppError} 400 for a strategy that gets no deliveries */
function webhookOf(
  request: BacktestRequest,
  { type, webhookId }: { type: StrategyType | null; webhookId: number | null },
): number {
  if (type !== null && type !== 'code-reaction' && type !== 'llm-reaction') {
    throw invalidField('strategy_id', 'must be that of a reaction: no other strategy gets deliveries')
  }
  const id = request.webhook_id ?? webhookId
  if (id !== null) return id
  throw invalidField('webhook_id', 'is missing: the reaction is attached to no data webhook')
}

/** When the deliveries of a backtest came, and which field says when they begin. */
function spanOf(data: MarketData, { warmUp, end }: CandleRange, { warmUpFromMs }: BacktestPlan) {
  const field = warmUpFromMs === null ? 'from' : 'warmup_from'
  return { fromMs: data.candles.times[warmUp]!, toMs: data.endOf(end - 1), field }
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

function secondsFor(runs: number, candles: number): number {
  return Math.ceil(startSeconds + runs / runsPerSecond + candles / candlesPerSecond)
}
