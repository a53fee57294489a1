/** The pages of things that records have only by type and id. */

export type StrategyType = 'code-strategy' | 'code-reaction' | 'llm-reaction'

/** What people call each type. */
export const strategyKinds: Record<StrategyType, string> = {
  'code-strategy': 'Code strategy',
  'code-reaction': 'Code reaction',
  'llm-reaction': 'AI reaction',
}

/** The page of a strategy or reaction. */
export function strategyPath(type: StrategyType, id: number): string {
  if (type === 'llm-reaction') return `/ai-reactions/${id}`
  return `/strategies/${type === 'code-strategy' ? 'code' : 'reaction'}/${id}`
}
