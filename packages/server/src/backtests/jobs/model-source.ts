/** The AI reaction of a request, and the decisions that its model has made live. */
import { and, eq } from 'drizzle-orm'
import { questionDigest } from '../../ai/question-digest.ts'
import { findService } from '../../ai/services.ts'
import { invalidField } from '../../base/errors.ts'
import type { Db } from '../../db/database.ts'
import { aiConnections, type BacktestPlan, llmSettings, type strategies } from '../../db/schema.ts'
import { policyOf } from '../../runs/thinking.ts'
import { chartOf } from '../../strategies/llm-settings.ts'
import type { Decisions } from '../decide.ts'
import type { MarketTimes } from '../market-times.ts'
import type { LiveSettings } from '../model/live-model.ts'
import { reasonsIn } from '../model/missing.ts'
import { recordedDecisions } from './recorded-runs.ts'
import type { BacktestRequest } from './request.ts'
import type { FoundDeliveries } from './stored-deliveries.ts'

/** `prompt` is that of the version that was asked for. `question` is a digest. */
export type ModelSource = {
  prompt: string
  service: string
  model: string
  question: string
  settings: LiveSettings
}

/** @throws {AppError} 400 if the strategy has no model to compare with */
export async function readModelSource(
  db: Db,
  strategy: typeof strategies.$inferSelect,
  versionText: string | undefined,
): Promise<ModelSource> {
  const [llm] = await db.select().from(llmSettings).where(eq(llmSettings.strategyId, strategy.id))
  const prompt = versionText ?? llm!.prompt
  const isOwn = and(eq(aiConnections.id, llm!.connectionId ?? 0), eq(aiConnections.userId, strategy.userId))
  const [connection] = await db.select().from(aiConnections).where(isOwn)
  if (connection === undefined) throw invalidField('strategy_id', 'has no AI connection, and so no model')
  const { id: connectionId, serviceId, baseUrl, model } = connection
  const policy = policyOf(strategy.sendSignal, llm!)
  const chart = llm!.useChart ? chartOf(llm!) : null
  return {
    ...{ prompt, model, service: findService(serviceId)?.name ?? 'unknown' },
    question: questionDigest({ access: { serviceId, baseUrl, model }, prompt, policy, chart }),
    settings: {
      ...{ connectionId, fallbackId: llm!.fallbackId, policy, chart },
      actionsPerDay: llm!.actionsPerDay,
    },
  }
}

/** @throws {AppError} 400 for what no model of a backtest has */
export function demandModelFields(request: BacktestRequest): void {
  const { code, parameters, sweep, source, answers, http, model, model_budget: budget } = request
  const isLive = model === 'live'
  const filled = (value: object | undefined) => value && Object.keys(value).length > 0
  const ofCode = {
    code: code !== undefined,
    parameters: filled(parameters),
    answers: !isLive && filled(answers),
    http: !isLive && http === 'read',
    'sweep.parameters': filled(sweep?.parameters),
    'sweep.sets': filled(sweep?.sets),
  }
  const needless = Object.entries(ofCode).find(([, isGiven]) => isGiven)
  if (needless !== undefined) {
    throw invalidField(needless[0], 'cannot come with the strategy of a model, for which no code runs')
  }
  if (source !== 'deliveries') {
    throw invalidField('source', 'must be `deliveries` for an AI reaction: its model decides on these')
  }
  if (isLive && budget === undefined) {
    throw invalidField('model_budget', 'is missing: the most tokens that the model may use')
  }
  if (isLive && sweep !== undefined) {
    throw invalidField(
      'sweep',
      'cannot come with the model `live`: only recorded decisions are the same each time',
    )
  }
  if (!isLive && budget !== undefined) throw invalidField('model_budget', 'needs the model `live`')
}

/** @throws {AppError} 400 if the request says how to ask a model, and there is none */
export function refuseModelFields({ model, model_budget: budget }: BacktestRequest): void {
  const field = model !== undefined ? 'model' : budget !== undefined ? 'model_budget' : undefined
  if (field !== undefined) throw invalidField(field, 'needs the `strategy_id` of an AI reaction')
}

/**
 * What the model has decided live on these deliveries. Says so in the plan.
 * @throws {AppError} 400 if it has decided on none of them
 */
export async function readRecorded(
  db: Db,
  data: MarketTimes,
  {
    strategyId,
    model: { service, model, question },
    deliveries,
    request,
    plan,
  }: {
    strategyId: number
    model: ModelSource
    deliveries: FoundDeliveries
    request: BacktestRequest
    plan: BacktestPlan
  },
): Promise<Decisions> {
  const start = {
    storage: request.storage === undefined ? undefined : plan.storage,
    lastTrigger: request.last_trigger === undefined ? undefined : plan.lastTrigger,
  }
  const recorded = await recordedDecisions(db, data, { strategyId, question, deliveries, start })
  if (recorded.recorded === 0) {
    const why = reasonsIn(recorded.missing)
    throw invalidField('strategy_id', `has no recorded decision on these deliveries: ${why}`)
  }
  const { decisions, ...counts } = recorded
  plan.model = { mode: 'recorded', service, model, question, events: deliveries.ids.length, ...counts }
  plan.starts = {
    storage: start.storage === undefined ? 'recorded' : plan.starts!.storage,
    lastTrigger: start.lastTrigger === undefined ? 'recorded' : plan.starts!.lastTrigger,
  }
  plan.examines = false
  return decisions
}
