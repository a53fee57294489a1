/** The kinds of strategies, as addresses and words. */

import type { StrategyType } from '../../data/paths.ts'

export type Kind = 'code' | 'reaction' | 'ai' | 'session'
/** The kinds that run code. Those with a prompt have pages of their own. */
export type CodeKind = Exclude<Kind, 'ai' | 'session'>

const kindOfType: Record<StrategyType, Kind> = {
  'code-strategy': 'code',
  'code-reaction': 'reaction',
  'llm-reaction': 'ai',
  'llm-session': 'session',
}

export const kindTexts: Record<Kind, string> = {
  code: 'Code strategy',
  reaction: 'Code reaction',
  ai: 'AI reaction',
  session: 'AI session',
}

export const kinds = Object.keys(kindTexts) as Kind[]

export function kindOf(type: StrategyType): Kind {
  return kindOfType[type]
}

export function isCodeKind(text: string): text is CodeKind {
  return text === 'code' || text === 'reaction'
}
