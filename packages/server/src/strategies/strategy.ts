import type { strategies, strategyState } from '../db/schema.ts'

/** A strategy with where its runs have brought it. */
export type Strategy = typeof strategies.$inferSelect & { state: typeof strategyState.$inferSelect }

/** As lists have it: without what can be large. */
export type ListedStrategy = Omit<Strategy, 'code' | 'state'> & { state: Omit<Strategy['state'], 'storage'> }

/** What a user decides about a strategy; what is left out stays as it is, or takes its default. */
export type StrategyWish = {
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
}
