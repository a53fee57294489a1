/** The access to the model of a backtest that asks one, and what its process learns of it. */
import type { BudgetStore } from '../../ai/budget.ts'
import { type AiConnections, UnreadableKey } from '../../ai/connections.ts'
import type { ModelAccess, Providers } from '../../ai/providers.ts'
import { questionDigest } from '../../ai/question-digest.ts'
import type { Database } from '../../db/database.ts'
import type { LiveModel, LiveSettings } from '../model/live-model.ts'
import { ModelAnswers } from './model-answers.ts'
import { ModelDesk } from './model-desk.ts'
import { unpackJson } from './packed.ts'
import type { HeldBacktest } from './store.ts'

export type LiveParts = {
  connections: Pick<AiConnections, 'openFor'>
  providers: Pick<Providers, 'ask'>
  /** Of the days of strategies, shared by all nodes. */
  budgets: BudgetStore
}

export type LiveAccess = { model: LiveModel; desk: ModelDesk }

/**
 * @param packed {@link LiveSettings}
 * @returns a sentence if the model cannot be asked any more
 */
export async function openLive(
  { connections, database, nodeId, ...parts }: LiveParts & { database: Database; nodeId: string },
  { id: backtestId, userId, strategyId, code: prompt, plan }: HeldBacktest,
  packed: Uint8Array,
): Promise<LiveAccess | string> {
  const settings = unpackJson(packed) as LiveSettings
  const { connectionId, fallbackId, policy, chart } = settings
  const access = await openAccess(connections, userId, connectionId, fallbackId)
  if (typeof access === 'string') return access
  const { connection, fallback } = access
  const { question, budget } = plan.model!
  if (questionDigest({ access: connection, prompt, policy, chart }) !== question) {
    return 'The AI connection has another model since the request, so the model was not asked.'
  }
  const asking = { userId, backtestId, strategyId: strategyId!, nodeId }
  const answers = new ModelAnswers(database, asking)
  return {
    model: { ...settings, connection: withoutKey(connection), fallback: fallback && withoutKey(fallback) },
    desk: new ModelDesk({ ...parts, answers, asking, access, budget: budget! }),
  }
}

/** The accesses of a model and of its fallback; or, as a sentence, why there are none. */
export async function openAccess(
  connections: Pick<AiConnections, 'openFor'>,
  userId: number,
  connectionId: number,
  fallbackId: number | null,
): Promise<{ connection: ModelAccess; fallback: ModelAccess | null } | string> {
  try {
    return (await connections.openFor(userId, connectionId, fallbackId)) ?? 'The AI connection was deleted.'
  } catch (error) {
    if (error instanceof UnreadableKey) return error.message
    throw error
  }
}

function withoutKey(access: ModelAccess): ModelAccess {
  return { ...access, apiKey: null }
}
