import type { ActionName, ActionOptions, LastTrigger } from '@tickwright/sandbox'
import { type BudgetStore, MemoryBudgets, RunBudget, type Spend } from '../ai/budget.ts'
import { type AiConnections, UnreadableKey } from '../ai/connections.ts'
import type { AcceptedAction } from '../ai/gate.ts'
import type { FindPrice } from '../ai/prompt.ts'
import type { Providers } from '../ai/providers.ts'
import { parseTemplate } from '../ai/template.ts'
import { type ThinkOutcome, think } from '../ai/think.ts'
import { AppError, invalidField } from '../base/errors.ts'
import { policyOf } from '../runs/thinking.ts'
import { refuseExitAfterExit } from '../signals/exit-after-exit.ts'
import { splitSymbols } from '../signals/symbol-list.ts'
import { checkPrompt } from '../strategies/llm-settings.ts'
import type { Strategies } from '../strategies/strategies.ts'
import { type Circumstances, requestOf } from './circumstances.ts'
import { UnderWay } from './under-way.ts'

/** What of a reaction a test run goes by. */
export type LlmPlan = {
  prompt: string
  connectionId: number
  actions: ActionName[]
  maxSize: number | null
  needsApproval: boolean
  sendSignal: boolean
  symbol: string | null
  folderId: number | null
}

export type LlmTrace = ThinkOutcome & {
  /** What it would have sent. */
  acted: Acted | null
  /** What was stored before, as JSON text; what would be stored then is in `storage`. */
  before: string | null
}

/** `needsApproval`: or would have asked its owner for. */
type Acted = { action: ActionName; symbols: string[]; options: ActionOptions; needsApproval: boolean }

export type LlmTrialParts = {
  strategies: Pick<Strategies, 'get'>
  connections: Pick<AiConnections, 'openFor'>
  providers: Pick<Providers, 'ask'>
  budgets: BudgetStore
  findPrice: FindPrice
  /** The variables that apply to a strategy in a folder, or in none: they are kept out of the transcript. */
  environment(userId: number, folderId: number | null): Promise<Record<string, string>>
}

/** A model takes its time, and costs little of ours. */
const atOnce = 8

/** Test runs of AI reactions: the model is asked, and nothing comes of what it decides. */
export class LlmTrials {
  #parts: LlmTrialParts
  #underWay = new UnderWay(atOnce)
  #closing = new AbortController()

  constructor(parts: LlmTrialParts) {
    this.#parts = parts
  }

  /**
   * Counts in the tokens of the reaction's day.
   * @param prompt in place of what is saved
   * @throws {AppError} 404 when there is no such reaction of this user, 400 when it has nobody to ask, 429
   */
  async ofReaction(
    userId: number,
    id: number,
    prompt: string | undefined,
    found: Circumstances,
  ): Promise<LlmTrace> {
    const reaction = await this.#parts.strategies.get(userId, 'llm-reaction', id)
    const { state, sendSignal, symbol, folderId } = reaction
    const { connectionId, tokensPerDay: tokens, actionsPerDay, ...llm } = reaction.llm!
    if (connectionId === null) throw invalidField('connection_id', 'of the reaction names nobody to ask')
    const { lastAction: action, lastPrice: price, lastActionAt } = state
    const circumstances = {
      ...found,
      storage: found.storage === undefined ? state.storage : found.storage,
      lastTrigger: found.lastTrigger ?? { action, price, at: lastActionAt?.getTime() ?? null },
    }
    const limits = { tokens, actions: actionsPerDay }
    const budget = new RunBudget(this.#parts.budgets, { reactionId: id, limits, now: new Date() })
    const plan = { ...llm, prompt: prompt ?? llm.prompt, connectionId, sendSignal, symbol, folderId }
    return this.#try(userId, plan, circumstances, budget)
  }

  /** @throws {AppError} 400 when the prompt is none, or the connection none of this user's; 429 */
  ofPrompt(userId: number, plan: LlmPlan, found: Circumstances): Promise<LlmTrace> {
    const limits = { tokens: Number.MAX_SAFE_INTEGER, actions: 1 }
    const budget = new RunBudget(new MemoryBudgets(), { reactionId: 0, limits, now: new Date() })
    return this.#try(userId, plan, found, budget)
  }

  /** Gives up what is under way. */
  close(): void {
    this.#closing.abort()
  }

  async #try(userId: number, plan: LlmPlan, found: Circumstances, budget: RunBudget): Promise<LlmTrace> {
    checkPrompt(plan.prompt)
    const access = await this.#open(userId, plan.connectionId)
    const env = await this.#parts.environment(userId, plan.folderId)
    const { storage: before = null, lastTrigger = none } = found
    const { host, acted } = notingHost(plan, lastTrigger)
    const outcome = await this.#underWay.run(userId, () =>
      think(this.#parts.providers, {
        ...access,
        template: parseTemplate(plan.prompt).template!,
        values: { ...requestOf(found), lastTrigger, storage: before, now: new Date() },
        host: { ...host, price: this.#parts.findPrice },
        policy: policyOf(plan.sendSignal, plan),
        budget: withoutActions(budget),
        secrets: Object.values(env),
        signal: this.#closing.signal,
      }),
    )
    return { ...outcome, acted: acted(), before }
  }

  async #open(userId: number, connectionId: number) {
    try {
      const access = await this.#parts.connections.openFor(userId, connectionId)
      if (access !== undefined) return access
    } catch (error) {
      if (!(error instanceof UnreadableKey)) throw error
      throw new AppError('resource_conflict', error.message, { cause: error })
    }
    throw invalidField('connection_id', `is not one of your AI connections: ${connectionId}`)
  }
}

const none: LastTrigger = { action: null, price: null, at: null }

/** Notes an action in place of sending it. */
function notingHost({ symbol, needsApproval }: LlmPlan, lastTrigger: LastTrigger) {
  const symbols = splitSymbols(symbol)
  let acted: LlmTrace['acted'] = null
  const action = async (name: ActionName, options: ActionOptions): Promise<AcceptedAction> => {
    refuseExitAfterExit(name, lastTrigger.action)
    acted = { action: name, symbols, options, needsApproval }
    if (needsApproval) return { action: name, symbols, awaitsApproval: true }
    return { id: 0, action: name, symbols, price: null, at: Date.now(), delivered: false }
  }
  return { host: { action }, acted: () => acted }
}

/** Tokens are really spent; an action that nobody is sent is not. */
function withoutActions(budget: RunBudget): Pick<RunBudget, 'reserve'> {
  return {
    reserve: async (wanted: Spend) => {
      const settle = await budget.reserve({ ...wanted, actions: 0 })
      return settle && ((used) => settle({ ...used, actions: 0 }))
    },
  }
}
