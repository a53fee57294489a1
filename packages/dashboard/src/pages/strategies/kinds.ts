/** The kinds of strategies, as addresses and words. */

export type Kind = 'code' | 'reaction' | 'ai'
/** The kinds that run code. Those with a prompt have pages of their own. */
export type CodeKind = Exclude<Kind, 'ai'>

type TypeName = 'code-strategy' | 'code-reaction' | 'llm-reaction'

const kindOfType: Record<TypeName, Kind> = {
  'code-strategy': 'code',
  'code-reaction': 'reaction',
  'llm-reaction': 'ai',
}

export const kindTexts: Record<Kind, string> = {
  code: 'Code strategy',
  reaction: 'Code reaction',
  ai: 'AI reaction',
}

export const kinds = Object.keys(kindTexts) as Kind[]

export function kindOf(type: TypeName): Kind {
  return kindOfType[type]
}

export function isCodeKind(text: string): text is CodeKind {
  return text === 'code' || text === 'reaction'
}

/** The page of a strategy. */
export function pathOf(kind: Kind, id: number): string {
  return kind === 'ai' ? `/ai-reactions/${id}` : `/strategies/${kind}/${id}`
}
