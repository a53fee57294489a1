import type { ActionName, ActionOptions, BotPosition, LastTrigger } from '@tickwright/sandbox'
import { type BudgetStore, MemoryBudgets, RunBudget, type Spend } from '../ai/budget.ts'
import { chartDrawer } from '../ai/chart-drawer.ts'
import { type AiConnections, UnreadableKey } from '../ai/connections.ts'
import type { AcceptedAction } from '../ai/gate.ts'
import { type Preview, previewOf } from '../ai/preview.ts'
import type { FindPrice, PromptHost } from '../ai/prompt.ts'
import type { Providers } from '../ai/providers.ts'
import type { ModelStrategies, WantedChange } from '../ai/strategy-tools.ts'
import { parseTemplate } from '../ai/template.ts'
import { type ThinkOutcome, think } from '../ai/think.ts'
import { AppError, invalidField } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import type { LlmType, ModelTool, SignalOptions } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import type { ChartSettings } from '../market/chart/chart-settings.ts'
import type { Charts } from '../market/chart/charts.ts'
import type { OutsideParts } from '../outgoing/outside.ts'
import type { StrategyLogs } from '../runs/model-logs.ts'
import { modelMarket } from '../runs/model-market.ts'
import { goneWords } from '../runs/model-strategies.ts'
import type { StrategyChanges } from '../runs/strategy-changes.ts'
import { policyOf, withoutPayload } from '../runs/thinking.ts'
import { signalOptions } from '../signals/action-options.ts'
import { refuseExitAfterExit } from '../signals/exit-after-exit.ts'
import { splitSymbols } from '../signals/symbol-list.ts'
import { chartOf, checkPrompt, demandChart } from '../strategies/llm-settings.ts'
import type { Strategies } from '../strategies/strategies.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { requestOf, type TestInput } from './test-input.ts'
import { UnderWay } from './under-way.ts'

/** The settings of an AI strategy that a test run uses. */
export type LlmPlan = {
  type: LlmType
  prompt: string
  connectionId: number
  /** Default: the fallback of the connection. */
  fallbackId?: number | null
  actions: ActionName[]
  maxSize: number | null
  tools: readonly ModelTool[]
  mayChange: readonly number[]
  changeNeedsApproval: boolean
  needsApproval: boolean
  sendSignal: boolean
  symbol: string | null
  folderId: number | null
  /** The chart that the model sees. */
  chart: ChartSettings | null
}

/** What a preview needs of a plan: no model is asked. */
export type PreviewPlan = Pick<
  LlmPlan,
  'type' | 'prompt' | 'actions' | 'maxSize' | 'tools' | 'mayChange' | 'sendSignal' | 'chart'
>

/** A saved strategy of a user. */
type SavedLlm = { userId: number; type: LlmType; id: number }

export type LlmTrace = ThinkOutcome & {
  /** The action that it would have sent. */
  acted: Acted | null
  /** The changes of strategies that it would have made or asked for. */
  changed: WouldChange[]
  /** The stored value before the run, as JSON text. `storage` is the value after it. */
  before: string | null
}

/** With `needsApproval`, the change would have waited for its owner. */
export type WouldChange = WantedChange & { targetId: number; needsApproval: boolean }

/** With `needsApproval`, the action would have waited for its owner. */
type Acted = { action: ActionName; symbols: string[]; options: SignalOptions; needsApproval: boolean }

export type LlmTrialParts = {
  strategies: Pick<Strategies, 'get'>
  connections: Pick<AiConnections, 'openFor' | 'checkFallback'>
  providers: Pick<Providers, 'ask'>
  budgets: BudgetStore
  findPrice: FindPrice
  /** The requests of prompts. It caches answers for each owner separately. */
  send: OutsideParts['send']
  candles: OutsideParts['candles']
  logs: Pick<StrategyLogs, 'of'>
  charts: Pick<Charts, 'draw'>
  changes: StrategyChanges
  database: Pick<Database, 'db'>
  /** What the bots hold that follow a strategy. */
  positions(strategyId: number): Promise<BotPosition[]>
  /** The variables that a strategy in this folder can read. Their values must not appear in the transcript. */
  environment(userId: number, folderId: number | null): Promise<Record<string, string>>
}

/** These runs mostly wait for the model, so that several at once cost this node little. */
const atOnce = 8

/** Test runs of AI strategies: the service asks the model, but sends and stores nothing. */
export class LlmTrials {
  #parts: LlmTrialParts
  #underWay = new UnderWay(atOnce)
  #closing = new AbortController()

  constructor(parts: LlmTrialParts) {
    this.#parts = parts
  }

  /**
   * The tokens count towards the strategy's budget of the day.
   * @param prompt replaces the saved prompt
   * @throws {AppError} 404 if the user has no such strategy, 400 if it has no connection or the prompt is invalid, 429
   */
  async ofStrategy(
    { userId, type, id }: SavedLlm,
    prompt: string | undefined,
    input: TestInput,
  ): Promise<LlmTrace> {
    const strategy = await this.#parts.strategies.get(userId, type, id)
    const { state, sendSignal, symbol, folderId } = strategy
    const { connectionId, tokensPerDay: tokens, actionsPerDay, ...llm } = strategy.llm!
    if (connectionId === null)
      throw invalidField('connection_id', `of the ${typeName(type)} is not set: there is no model to ask`)
    const limits = { tokens, actions: actionsPerDay }
    const budget = new RunBudget(this.#parts.budgets, { strategyId: id, limits, now: new Date() })
    const plan = { ...llm, type, prompt: prompt ?? llm.prompt, connectionId, sendSignal, symbol, folderId }
    const chart = usedChart(llm)
    return this.#try(userId, { ...plan, chart, strategyId: id }, completed(input, state), budget)
  }

  /** @throws {AppError} 400 if the prompt is invalid or a connection is not the user's, 429 */
  async ofPrompt(userId: number, plan: LlmPlan, input: TestInput): Promise<LlmTrace> {
    const limits = { tokens: Number.MAX_SAFE_INTEGER, actions: 1 }
    const budget = new RunBudget(new MemoryBudgets(), { strategyId: 0, limits, now: new Date() })
    const { connectionId, fallbackId = null } = plan
    if (fallbackId !== null) await this.#parts.connections.checkFallback(userId, connectionId, fallbackId)
    // No bot follows a prompt that is not saved.
    return this.#try(userId, { ...plan, strategyId: 0 }, input, budget)
  }

  /**
   * The first question that the model would get.
   * @param prompt replaces the saved prompt
   * @throws {AppError} 404 if the user has no such strategy, 400 if the prompt is invalid, 429
   */
  async previewOfStrategy(
    { userId, type, id }: SavedLlm,
    prompt: string | undefined,
    input: TestInput,
  ): Promise<Preview> {
    const { llm, state, sendSignal } = await this.#parts.strategies.get(userId, type, id)
    const { actions, maxSize, tools, mayChange } = llm!
    const policy = { actions, maxSize, tools, mayChange, sendSignal }
    const plan = { type, prompt: prompt ?? llm!.prompt, ...policy, chart: usedChart(llm!) }
    return this.preview(userId, plan, completed(input, state))
  }

  /** @throws {AppError} 400 if the prompt is invalid, 429 */
  async preview(userId: number, plan: PreviewPlan, input: TestInput): Promise<Preview> {
    checkQuestion(plan)
    return this.#underWay.run(userId, () =>
      previewOf({
        ...this.#questionOf(userId, plan, input),
        host: this.#hostOf(userId),
        policy: policyOf(plan.sendSignal, plan),
        signal: this.#closing.signal,
      }),
    )
  }

  /** Aborts the test runs that are in progress. */
  close(): void {
    this.#closing.abort()
  }

  async #try(
    userId: number,
    plan: LlmPlan & { strategyId: number },
    input: TestInput,
    budget: RunBudget,
  ): Promise<LlmTrace> {
    checkQuestion(plan)
    const access = await this.#open(userId, plan)
    const env = await this.#parts.environment(userId, plan.folderId)
    const { storage: before = null, lastTrigger = none } = input
    const { host, acted } = recordingHost(plan, lastTrigger)
    const recording = recordingStrategies(this.#parts, userId, plan)
    const outcome = await this.#underWay.run(userId, () =>
      think(this.#parts.providers, {
        ...access,
        ...this.#questionOf(userId, plan, input),
        host: {
          ...host,
          ...this.#hostOf(userId),
          positions: () => this.#parts.positions(plan.strategyId),
          market: modelMarket(this.#parts, userId),
          logs: this.#parts.logs.of(userId, plan.strategyId),
          strategies: recording.host,
        },
        policy: policyOf(plan.sendSignal, plan),
        budget: withoutActions(budget),
        secrets: Object.values(env),
        signal: this.#closing.signal,
      }),
    )
    return { ...outcome, acted: acted(), changed: recording.changed, before }
  }

  #questionOf(
    userId: number,
    { type, prompt, chart }: Pick<LlmPlan, 'type' | 'prompt' | 'chart'>,
    input: TestInput,
  ) {
    const { storage = null, lastTrigger = none } = input
    const request = type === 'llm-reaction' ? requestOf(input) : withoutPayload
    return {
      template: parseTemplate(prompt).template!,
      values: { ...request, lastTrigger, storage, now: new Date() },
      drawChart: chartDrawer(this.#parts.charts, userId, chart),
    }
  }

  #hostOf(userId: number): PromptHost {
    return {
      price: this.#parts.findPrice,
      // No strategy has such an id, so that no live run gets an answer of a test run.
      http: (request, signal) => this.#parts.send(-userId, request, signal),
    }
  }

  async #open(userId: number, { connectionId, fallbackId }: LlmPlan) {
    try {
      const access = await this.#parts.connections.openFor(userId, connectionId, fallbackId)
      if (access !== undefined) return access
    } catch (error) {
      if (!(error instanceof UnreadableKey)) throw error
      throw new AppError('resource_conflict', error.message, { cause: error })
    }
    throw invalidField(
      'connection_id',
      `must be the id of one of your AI connections; ${connectionId} is not`,
    )
  }
}

/** What a test leaves out is as the runs of the strategy have left it. */
function completed(input: TestInput, state: Strategy['state']): TestInput {
  const { lastAction: action, lastPrice: price, lastActionAt } = state
  return {
    ...input,
    storage: input.storage === undefined ? state.storage : input.storage,
    lastTrigger: input.lastTrigger ?? { action, price, at: lastActionAt?.getTime() ?? null },
  }
}

/** @throws {AppError} 400 if the prompt or the chart is invalid */
function checkQuestion({ prompt, type, chart }: Pick<LlmPlan, 'prompt' | 'type' | 'chart'>): void {
  checkPrompt(prompt, type)
  if (chart !== null) demandChart(chart)
}

function usedChart(llm: Parameters<typeof chartOf>[0] & { useChart: boolean }): ChartSettings | null {
  return llm.useChart ? chartOf(llm) : null
}

const none: LastTrigger = { action: null, price: null, at: null }

/** Records an action instead of sending it. */
function recordingHost({ symbol, needsApproval }: LlmPlan, lastTrigger: LastTrigger) {
  const symbols = splitSymbols(symbol)
  let acted: LlmTrace['acted'] = null
  const action = async (name: ActionName, options: ActionOptions): Promise<AcceptedAction> => {
    refuseExitAfterExit(name, lastTrigger.action)
    acted = { action: name, symbols, options: signalOptions(options), needsApproval }
    if (needsApproval) return { action: name, symbols, awaitsApproval: true }
    return { id: 0, action: name, symbols, price: null, at: Date.now(), delivered: false }
  }
  return { host: { action }, acted: () => acted }
}

/** Reads and checks as a run does, and records a change instead of making it. */
function recordingStrategies(
  { changes, database }: Pick<LlmTrialParts, 'changes' | 'database'>,
  userId: number,
  { changeNeedsApproval }: LlmPlan,
) {
  const changed: WouldChange[] = []
  const host: ModelStrategies = {
    read: (id) => changes.read(userId, id),
    change: async (targetId, wanted) => {
      const known = await changes.read(userId, targetId)
      if (known === undefined) return { problem: goneWords(targetId) }
      const problem = await changes.problemWith(userId, known, wanted)
      if (problem !== undefined) return { problem }
      const needsApproval =
        changeNeedsApproval || (await changes.needsPerson(database.db, userId, targetId, wanted))
      changed.push({ ...wanted, targetId, needsApproval })
      return { awaitsApproval: needsApproval }
    },
  }
  return { host, changed }
}

/** The tokens are spent, but an action that is not sent does not count. */
function withoutActions(budget: RunBudget): Pick<RunBudget, 'reserve'> {
  return {
    reserve: async (wanted: Spend) => {
      const settle = await budget.reserve({ ...wanted, actions: 0 })
      return settle && ((used) => settle({ ...used, actions: 0 }))
    },
  }
}
