import type { llmReactions, StrategyType, strategies, strategyState } from '../db/schema.ts'

type Llm = typeof llmReactions.$inferSelect

/** What texts call the strategies of a type. */
export function typeName(type: StrategyType): string {
  return type.replace('llm', 'AI').replace('-', ' ')
}

/** A strategy with where its runs have brought it; `llm` is what AI reactions have besides. */
export type Strategy = typeof strategies.$inferSelect & {
  state: typeof strategyState.$inferSelect
  llm: Llm | null
}

/** As lists have it: without what can be large. */
export type ListedStrategy = Omit<Strategy, 'code' | 'state' | 'llm'> & {
  state: Omit<Strategy['state'], 'storage'>
  llm: ListedLlm | null
}
export type ListedLlm = Omit<Llm, 'prompt' | 'response'>

/** What a user decides about an AI reaction besides. */
export type LlmSettings = Partial<Omit<Llm, 'strategyId' | 'response'>>

/** What a user decides about a strategy; what is left out stays as it is, or takes its default. */
export type StrategySettings = {
  name?: string
  folderId?: number | null
  /** Whether every user may read and copy the code. */
  isPublic?: boolean
  sendSignal?: boolean
  /** The bot webhook that its signals go to. */
  webhookId?: number | null
  symbol?: string | null
  code?: string
  usePrice?: boolean
  exchangeId?: number | null
  priceSymbol?: string | null
  /** Of reactions. */
  dataWebhookId?: number | null
  delay?: number | null
  /** Of strategies that the clock or a price sets off. */
  cronInterval?: string
  timezone?: string
  /** Of AI reactions. */
  llm?: LlmSettings
}
