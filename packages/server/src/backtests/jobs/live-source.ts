/** What a backtest that asks a model needs from its request on: settings, recorded decisions, and what it announces. */

import { mostPictureTokens, mostTokens } from '../../ai/budget.ts'
import type { AiConnections } from '../../ai/connections.ts'
import { shownLimits } from '../../ai/prompt.ts'
import { findService } from '../../ai/services.ts'
import { limitsFor } from '../../ai/think.ts'
import { describeTools } from '../../ai/tools.ts'
import { invalidField } from '../../base/errors.ts'
import type { Db } from '../../db/database.ts'
import type { BacktestPlan } from '../../db/schema.ts'
import { storageDigest } from '../../runs/transcript-basis.ts'
import type { MarketTimes } from '../market-times.ts'
import type { EventRecord, RecordedDecision } from '../model/live-model.ts'
import { findDecision } from '../model/missing.ts'
import { openAccess } from './live-access.ts'
import type { ModelSource } from './model-source.ts'
import { packJson, packLater } from './packed.ts'
import { foundBy, holdPrices } from './recorded-runs.ts'
import type { FoundDeliveries } from './stored-deliveries.ts'

/** A page is in memory at once. */
const recordsInPage = 500

type Asked = {
  userId: number
  strategyId: number
  model: ModelSource
  deliveries: FoundDeliveries
  plan: BacktestPlan
  /** In tokens. */
  budget: number
}

/**
 * What is kept for the process, packed: first the settings, then what is recorded of the deliveries. Says in the plan what is
 * to expect.
 * @throws {AppError} 400 if the model cannot be asked
 */
export async function readLive(
  db: Db,
  connections: Pick<AiConnections, 'openFor'>,
  data: MarketTimes,
  asked: Asked,
): Promise<Buffer[]> {
  const { userId, strategyId, deliveries, plan, budget } = asked
  const { service, model, question, settings } = asked.model
  const access = await openAccess(connections, userId, settings.connectionId, settings.fallbackId)
  if (typeof access === 'string') throw invalidField('strategy_id', `cannot ask its model. ${access}`)
  const { serviceId, apiKey } = access.connection
  if (apiKey === null && findService(serviceId)?.needsKey !== false) {
    throw invalidField('strategy_id', 'has an AI connection without a key, so its model cannot be asked')
  }
  const pages = [packJson(settings)]
  const counts = { recorded: 0, asked: 0, questionTokens: 0 }
  const isRecorded = recorder(data, asked)
  const tokensOf = questionSize(asked.model)
  let page: EventRecord[] = []
  for await (const [index, found] of foundBy(db, { strategyId, deliveries })) {
    const runs = found.filter(({ basis }) => basis?.question === question && !basis.asksBots)
    page.push({ deliveryId: deliveries.ids[index]!, runs })
    await holdPrices(data, runs)
    if (isRecorded(runs)) counts.recorded += 1
    else {
      counts.asked += 1
      counts.questionTokens += tokensOf(deliveries.sizes[index]!)
    }
    if (page.length < recordsInPage && index + 1 < deliveries.ids.length) continue
    pages.push(await packLater(JSON.stringify(page)))
    page = []
  }
  const events = deliveries.ids.length
  plan.model = { mode: 'live', service, model, question, events, missing: {}, budget, ...counts }
  plan.examines = false
  return pages
}

/**
 * Whether a delivery has a decision, if those without one decide nothing. What the model will decide is not known before, so
 * this is a guess.
 */
function recorder(data: MarketTimes, { plan, model: { question } }: Asked) {
  const storage = storageDigest(plan.storage)
  let { action: lastAction, at: lastActionAt } = plan.lastTrigger
  return (runs: readonly RecordedDecision[]): boolean => {
    const usable = runs.filter(({ basis }) => basis?.kept === basis?.storage)
    const decision = findDecision(usable, () => ({ question, storage, lastAction, lastActionAt }), data)
    if ('reason' in decision) return false
    const { signal } = decision.run
    if (signal !== null) [lastAction, lastActionAt] = [signal.action, signal.atMs]
    return true
  }
}

/** About the most tokens of the first question about a delivery: JSON within JSON has about twice its bytes. */
function questionSize({
  prompt,
  settings: { policy, chart },
}: ModelSource): (payloadBytes: number) => number {
  const tools = JSON.stringify(describeTools(policy))
  const fixed =
    mostTokens(rulesBytes + Buffer.byteLength(prompt) + Buffer.byteLength(tools)) +
    (chart === null ? 0 : mostPictureTokens) +
    limitsFor(policy).maxOutputTokens
  return (payloadBytes) => fixed + 2 * Math.min(payloadBytes, shownLimits.data + shownLimits.headers)
}

/** About those of what the service itself says to a model. */
const rulesBytes = 1_200
