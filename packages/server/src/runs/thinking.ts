import { type RunHost, serviceWaitMs } from '@tickwright/sandbox'
import { type BudgetStore, RunBudget } from '../ai/budget.ts'
import { chartDrawer } from '../ai/chart-drawer.ts'
import { type AiConnections, UnreadableKey } from '../ai/connections.ts'
import type { ThinkHost } from '../ai/gate.ts'
import type { Providers } from '../ai/providers.ts'
import { type PriceName, parseTemplate } from '../ai/template.ts'
import { type ThinkInput, type ThinkOutcome, think } from '../ai/think.ts'
import type { Policy } from '../ai/tools.ts'
import type { TranscriptEntry } from '../ai/transcript.ts'
import type { HttpCall } from '../db/schema.ts'
import { untilReachable } from '../db/until-reachable.ts'
import type { Charts } from '../market/chart/charts.ts'
import type { StrategyPrices } from '../market/strategy-prices.ts'
import type { Vault } from '../secrets/vault.ts'
import { signalOptions } from '../signals/action-options.ts'
import { openVariables, UnreadableVariable } from '../variables/sealed-variables.ts'
import type { ApprovalRequests } from './approval-requests.ts'
import type { HeldStrategy, ModelSettings } from './held-strategy.ts'
import type { FinishEntry } from './journal-statement.ts'
import type { StrategyLogs } from './model-logs.ts'
import { modelMarket } from './model-market.ts'
import { modelStrategies } from './model-strategies.ts'
import type { ModelTexts } from './model-texts.ts'
import type { QueuedRun } from './queued-run.ts'
import { entryFields, reasonToSkip, showStart, skipped, suspendFor, withoutRunning } from './record.ts'
import { type HostParts, runHost } from './run-host.ts'
import type { Standing } from './standing.ts'
import type { StrategyChanges } from './strategy-changes.ts'
import { refresh } from './strategy-state.ts'
import { basisOf, notingHost } from './transcript-basis.ts'
import type { Transcripts } from './transcripts.ts'

export type ThinkingParts = Omit<HostParts, 'prices'> & {
  prices: Pick<StrategyPrices, 'current' | 'latest' | 'named' | 'ofAction'>
  vault: Vault
  connections: Pick<AiConnections, 'openFor'>
  providers: Pick<Providers, 'ask'>
  /** Shared by all nodes. */
  budgets: BudgetStore
  transcripts: Transcripts
  approvals: Pick<ApprovalRequests, 'ask' | 'askForChange' | 'changeAtOnce' | 'respond'>
  changes: StrategyChanges
  logs: Pick<StrategyLogs, 'of'>
  standing(strategyId: number): Promise<Standing | undefined>
  /** The prompt of a version of a strategy, and what it has stored. */
  textsOf(strategyId: number, version: number): Promise<ModelTexts | undefined>
  charts: Pick<Charts, 'draw'>
}

/**
 * Executes one run of an AI strategy, as `execute` does for code.
 * @param stopping cancels the run
 * @throws if the run was cancelled before it sent an action: then it has not ended, and starts again elsewhere
 */
export async function executeModelRun(
  parts: ThinkingParts,
  strategy: HeldStrategy,
  llm: ModelSettings,
  run: QueuedRun,
  stopping: AbortSignal,
): Promise<FinishEntry> {
  const why = reasonToSkip(strategy, Date.now())
  if (why !== undefined) return skipped(strategy, run, why)
  // If the model is asked again, it may decide differently, but its first decision stands.
  if (run.earlierSignal !== null) return withoutRunning(strategy, run, 'FAILED', interrupted)
  if (run.askedEarlier) return withoutRunning(strategy, run, 'FAILED', interruptedAsking)
  const prepared = await prepare(parts, strategy, llm, run)
  if (prepared instanceof Error) return withoutRunning(strategy, run, 'FAILED', prepared)
  stopping.throwIfAborted()
  const startedAtMs = Date.now()
  const shown = showStart(parts.journal, strategy, run, startedAtMs)
  const outcome = await think(parts.providers, { ...prepared.input, signal: stopping })
  clearTimeout(shown)
  const hasActed = outcome.action !== null || outcome.changes > 0
  if (outcome.failure?.kind === 'cancelled' && !hasActed) throw stopping.reason
  const finish = finished(strategy, run, outcome, prepared.httpCalls, startedAtMs, Date.now())
  const words = lastWords(outcome.transcript)
  const hasAsked = outcome.action !== null && 'awaitsApproval' in outcome.action
  if (words !== null && (hasAsked || outcome.changes > 0)) {
    await parts.approvals.respond(run, words)
  }
  const { transcript, picture, answer } = outcome
  const basis = basisOf(prepared.input, { ...prepared, chart: llm.chart }, outcome, prepared.noted)
  await parts.transcripts.write(run, { text: JSON.stringify(transcript), picture, response: words, basis })
  if (llm.sendEmail && answer !== null && finish.status === 'SUCCEEDED') {
    await parts.transcripts.mail(run, answer)
  }
  return finish
}

const interrupted = {
  name: 'interrupted',
  message:
    'The service stopped after the model had sent its action. The action stands, and the model was not asked again.',
}

const interruptedAsking = {
  name: 'interrupted',
  message:
    'The service stopped after the model had requested approval, or had changed a strategy. That stands, and the model was not asked again.',
}

type Prepared = {
  input: ThinkInput
  prompt: string
  httpCalls: readonly HttpCall[]
  noted: ReturnType<typeof notingHost>['noted']
}

/** The input of the model; or, for its owner, the reason why the model cannot be asked. */
async function prepare(
  parts: ThinkingParts,
  strategy: HeldStrategy,
  llm: ModelSettings,
  run: QueuedRun,
): Promise<Prepared | Error> {
  const { settings, state } = strategy
  const texts = await parts.textsOf(settings.id, settings.version)
  const { template } = parseTemplate(texts?.prompt ?? '')
  if (texts === undefined || template === undefined)
    return failure('prompt', 'The prompt cannot be read. Save it again.')
  try {
    const env = openVariables(parts.vault, settings.userId, settings.variables)
    const { connectionId, fallbackId, tokensPerDay: tokens, actionsPerDay: actions } = llm
    const access =
      connectionId && (await parts.connections.openFor(settings.userId, connectionId, fallbackId))
    if (!access)
      return failure('no_connection', 'The AI connection of this strategy was deleted. Choose another one.')
    const now = new Date()
    const { host, httpCalls } = runHost(parts, strategy, run, env, null)
    const noting = notingHost({
      action: actionOf(parts, strategy, run, host),
      price: (name: PriceName) => parts.prices.named(name),
      positions: host.positions,
      http: host.http,
      market: modelMarket(parts.outside, settings.userId),
      logs: parts.logs.of(settings.userId, settings.id),
      strategies: modelStrategies(parts, run, settings.userId),
    })
    const input = {
      ...access,
      template,
      values: {
        ...(run.request ?? withoutPayload),
        lastTrigger: state.lastTrigger,
        storage: texts.storage,
        now,
      },
      host: noting.host,
      policy: policyOf(settings.sendSignal, llm),
      budget: new RunBudget(parts.budgets, { strategyId: settings.id, limits: { tokens, actions }, now }),
      secrets: Object.values(env),
      drawChart: chartDrawer(parts.charts, settings.userId, llm.chart),
    }
    return { input, prompt: texts.prompt, httpCalls, noted: noting.noted }
  } catch (error) {
    if (error instanceof UnreadableVariable || error instanceof UnreadableKey) return error
    throw error
  }
}

/** Sends actions, or asks the owner for approval. */
function actionOf(
  parts: ThinkingParts,
  strategy: HeldStrategy,
  run: QueuedRun,
  host: Pick<RunHost, 'action'>,
): ThinkHost['action'] {
  const { settings, state } = strategy
  return async (action, options, storage) => {
    // The owner may have changed the strategy since the model was asked. One that is now inactive sends nothing.
    const standing = await untilReachable(() => parts.standing(settings.id), { mostMs: serviceWaitMs })
    refresh(state, standing)
    if (standing === undefined || !state.active) throw new Error(switchedOff.message)
    if (standing.needsApproval) {
      return parts.approvals.ask(run, action, settings.symbols, signalOptions(options))
    }
    return host.action(action, options, storage)
  }
}

/** The prompt of a session shows none of these. */
export const withoutPayload = { data: '', headers: {}, ip: '' }

const switchedOff = {
  name: 'switched_off',
  message: 'The strategy was deactivated while the model was being asked. Its action was not sent.',
}

/** Without 'send signal', a model cannot act. */
export function policyOf(sendSignal: boolean, { actions, maxSize, tools, mayChange }: Policy): Policy {
  return { actions: sendSignal ? actions : [], maxSize, tools, mayChange }
}

function failure(name: string, message: string): Error {
  return Object.assign(new Error(message), { name })
}

/** The status in the record, for each outcome. */
export const statusOf = {
  completed: 'SUCCEEDED',
  no_action: 'SUCCEEDED',
  failed: 'FAILED',
  violation: 'VIOLATION',
} as const satisfies Record<ThinkOutcome['status'], FinishEntry['status']>

/** The error in the record of a failed run. */
export function errorOf({ failure }: Pick<ThinkOutcome, 'failure'>): FinishEntry['error'] {
  if (failure === null) return null
  const { kind, message, retryAfterSeconds } = failure
  const later = retryAfterSeconds === undefined ? '' : ` It asks for a wait of ${retryAfterSeconds} s.`
  return { name: kind, message: `${message}${later}`, line: null, column: null }
}

/** The model's last text; `null` if it wrote none. */
export function lastWords(transcript: readonly TranscriptEntry[]): string | null {
  const texts = transcript.flatMap((entry) =>
    entry.type === 'answer' && entry.text !== '' ? [entry.text] : [],
  )
  return texts.at(-1) ?? null
}

function finished(
  strategy: HeldStrategy,
  run: QueuedRun,
  outcome: ThinkOutcome,
  httpCalls: readonly HttpCall[],
  startedAtMs: number,
  finishedAtMs: number,
): FinishEntry {
  const { violation, durationMs, storage } = outcome
  const isOff = !strategy.state.active && violation === null
  return {
    kind: 'finish',
    ...entryFields(strategy, run),
    status: isOff ? 'FAILED' : statusOf[outcome.status],
    version: strategy.settings.version,
    startedAtMs,
    finishedAtMs,
    durationMs,
    error: isOff ? { ...switchedOff, line: null, column: null } : errorOf(outcome),
    violation,
    log: null,
    http: [...httpCalls],
    steps: null,
    // The transcript has what the model was shown.
    seen: null,
    clock: null,
    storage,
    suspension: violation === null ? null : suspendFor(strategy, run, violation, finishedAtMs),
  }
}
