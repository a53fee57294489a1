import type { ActionName } from '@tickwright/sandbox'
import type { ModelTool, StrategyType } from '../db/schema.ts'
import type { ChartSettings } from '../market/chart/chart-settings.ts'
import type { SealedVariable } from '../variables/sealed-variables.ts'
import type { StrategyState } from './strategy-state.ts'

/** A strategy as the node that holds it works with it. */
export type HeldStrategy = {
  readonly claim: Claim
  readonly settings: StrategySettings
  readonly state: StrategyState
}

/**
 * One claim of a strategy by this node. Each run under a claim builds on the runs before it. So when the journal
 * rejects a write, the claim is lost, and the journal rejects everything that follows under it.
 */
export class Claim {
  readonly strategyId: number
  /** The last large storage that the record of a run got, which later records refer to. */
  lastKept: { runId: number; storage: string; atMs: number } | null = null
  #isLost = false

  constructor(strategyId: number) {
    this.strategyId = strategyId
  }

  get isLost(): boolean {
    return this.#isLost
  }

  lose(): void {
    this.#isLost = true
  }
}

/** The owner's settings, as the claim read them. */
export type StrategySettings = Readonly<{
  id: number
  version: number
  userId: number
  type: StrategyType
  code: string
  /** `null` except for AI strategies. */
  llm: ModelSettings | null
  sendSignal: boolean
  usePrice: boolean
  exchangeId: number | null
  priceSymbol: string | null
  symbols: string[]
  /** The variables of `$.Env` that apply to this strategy. */
  variables: readonly SealedVariable[]
  /** The maximum; `null` for no maximum. */
  runsPerSecond: number | null
}>

/** The settings of an AI strategy, except its prompt: its connection, and the limits of its model. */
export type ModelSettings = Readonly<{
  connectionId: number | null
  fallbackId: number | null
  actions: ActionName[]
  maxSize: number | null
  tools: ModelTool[]
  mayChange: number[]
  tokensPerDay: number
  actionsPerDay: number
  sendEmail: boolean
  /** The chart that the model sees; `null`: none. */
  chart: ChartSettings | null
}>
