/** The pages of things that records have only by type and id. */

export type StrategyType = 'code-strategy' | 'code-reaction' | 'llm-reaction' | 'llm-session'

/** What people call each type. */
export const strategyKinds: Record<StrategyType, string> = {
  'code-strategy': 'Code strategy',
  'code-reaction': 'Code reaction',
  'llm-reaction': 'AI reaction',
  'llm-session': 'AI session',
}

const pages: Record<StrategyType, string> = {
  'code-strategy': '/strategies/code',
  'code-reaction': '/strategies/reaction',
  'llm-reaction': '/ai-strategies/reaction',
  'llm-session': '/ai-strategies/session',
}

/** The page of a strategy or reaction. */
export function strategyPath(type: StrategyType, id: number): string {
  return `${pages[type]}/${id}`
}
