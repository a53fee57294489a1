/** What a request for a backtest comes to: code, candles, bots and what else it names. */
import { and, eq } from 'drizzle-orm'
import type { AiConnections } from '../../ai/connections.ts'
import { invalidField, notFound } from '../../base/errors.ts'
import type { Database } from '../../db/database.ts'
import { type BacktestPlan, type StrategyType, strategies } from '../../db/schema.ts'
import { asksModel } from '../../db/strategy-types.ts'
import type { CandleStore } from '../../market/stored/candle-store.ts'
import type { CheckQueue } from '../../strategies/check-queue.ts'
import { checkCode } from '../../strategies/code-check.ts'
import { Versions } from '../../strategies/versions.ts'
import type { FundingMoment } from '../../trading/funding.ts'
import type { Decisions } from '../decide.ts'
import { runnable } from '../delivery-runs.ts'
import type { MarketTimes } from '../market-times.ts'
import type { CandleRange } from '../question.ts'
import { readBots } from './bots.ts'
import { checkMargins } from './conditions.ts'
import { readMoments } from './funding-rates.ts'
import { readLive } from './live-source.ts'
import { checkVolume, readMarketModel } from './market.ts'
import { demandModelFields, readModelSource, readRecorded, refuseModelFields } from './model-source.ts'
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
import { findStoredCandles } from './stored-candles.ts'
import { type FoundDeliveries, findDeliveries } from './stored-deliveries.ts'
import { decisionsOf } from './stored-signals.ts'
import { checkWork, readSweep } from './sweep-request.ts'
import { trainedCandles } from './sweep-walk.ts'

export type PreparationParts = {
  candles: CandleStore
  connections: Pick<AiConnections, 'openFor'>
  database: Database
  syntax: Pick<CheckQueue, 'check'>
  /** The variables that a strategy in this folder can read; `null` for no folder. */
  environment(userId: number, folderId: number | null): Promise<Record<string, string>>
  /** For how many days the service keeps deliveries. */
  retentionDays: number
}

export type Prepared = {
  strategyId: number | null
  version: number | null
  code: string
  symbol: string
  env: Record<string, string>
  plan: BacktestPlan
  data: MarketTimes
  range: CandleRange
  /** How often the code runs. */
  runs: number
  /** Candles of all trainings of a walk-forward, which each combination trades on besides. */
  trained: number
  /** Those that it runs on, if not at the ends of candles. */
  deliveries: FoundDeliveries | null
  /** If they come from stored signals, and not from code. */
  decisions: Decisions | null
  /** What a backtest that asks a model keeps for it, packed; empty: it asks none. */
  live: Buffer[]
  /** When positions pay; `null`: never. */
  funding: FundingMoment[] | null
}

/** Reads all that requests name, and refuses what cannot be a backtest. */
export class Preparation {
  #parts: PreparationParts
  #versions: Versions

  constructor(parts: PreparationParts) {
    this.#parts = parts
    this.#versions = new Versions(parts.database)
  }

  /** @throws {AppError} 400 with every field that is wrong; 404 for a strategy that the user does not have */
  async prepare(userId: number, request: BacktestRequest): Promise<Prepared> {
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
    const trained = range === null ? 0 : trainedCandles(sweep, candles!.data, range, problems)
    if (range !== null) checkWork(sweep, range.end - range.first + trained, problems)
    if (candles !== null) await checkVolume(market, candles.data, problems)
    problems.throwIfAny()
    const env = await environment(userId, source.folderId)
    const { data } = candles!
    const funding = await this.#fundingOf(userId, request, { plan, data, range: range!, symbol }, problems)
    problems.throwIfAny()
    const known = { ...source, symbol, plan, env, data, range: range!, trained, funding, live: [] }
    if (plan.botWebhookId !== undefined) {
      const fromMs = data.timeOf(range!.first)
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
      if (request.model === 'live') {
        const live = await readLive(db, this.#parts.connections, data, {
          ...{ ...asked, userId, budget: request.model_budget! },
        })
        return { ...known, runs: times.length, deliveries, decisions: null, live }
      }
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
      return findStoredCandles(this.#parts, { userId, id, symbol: asked, times }, problems)
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
      refuseModelFields(request)
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
    if (!asksModel(type)) refuseModelFields(request)
    else {
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
    const period = { fromMs: data.timeOf(range.first), toMs: data.endOf(range.end - 1) }
    const asked = { userId, symbol, terms, given: given?.funding?.rates ?? [], period }
    const moments = await readMoments(this.#parts.candles, asked, problems)
    terms.moments = moments?.length ?? 0
    terms.unknown = moments?.filter(({ rate }) => rate === null).length ?? 0
    return moments
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
function spanOf(data: MarketTimes, { warmUp, end }: CandleRange, { warmUpFromMs }: BacktestPlan) {
  const field = warmUpFromMs === null ? 'from' : 'warmup_from'
  return { fromMs: data.timeOf(warmUp), toMs: data.endOf(end - 1), field }
}
