import type { llmSettings, strategies, strategyState } from '../db/schema.ts'

type Llm = typeof llmSettings.$inferSelect

/**
 * A strategy with the state that its runs left. `llm` has the further settings of an AI strategy, and `savedVersion` is
 * the latest of its versions.
 */
export type Strategy = typeof strategies.$inferSelect & {
  savedVersion: number
  state: typeof strategyState.$inferSelect
  llm: Llm | null
  /** From its row in `schedules`; `null` if it has none. */
  nextRunAt: Date | null
}

/** A strategy in a list: without the fields that can be large. */
export type ListedStrategy = Omit<Strategy, 'code' | 'savedVersion' | 'state' | 'llm'> & {
  state: Omit<Strategy['state'], 'storage'>
  llm: ListedLlm | null
}
export type ListedLlm = Omit<Llm, 'prompt' | 'response'>

/** The further settings that the user of an AI strategy chooses. */
export type LlmSettings = Partial<Omit<Llm, 'strategyId' | 'response'>>

/** The settings that a user chooses. A missing field keeps its value, or gets its default in a new strategy. */
export type StrategySettings = {
  name?: string
  folderId?: number | null
  /** Whether every user can read and copy it. */
  isPublic?: boolean
  sendSignal?: boolean
  /** The bot webhook that receives its signals. */
  webhookId?: number | null
  symbol?: string | null
  code?: string
  usePrice?: boolean
  exchangeId?: number | null
  priceSymbol?: string | null
  /** For reactions only. */
  dataWebhookId?: number | null
  delay?: number | null
  /** For strategies with a schedule only. */
  cronInterval?: string
  timezone?: string
  /** For AI strategies only. */
  llm?: LlmSettings
}
