/** The kinds of strategies that ask a model: what triggers them, and their words. */

import type { AiReaction, AiSession } from '@tickwright/client'

export const aiKinds = ['reaction', 'session'] as const
export type AiKind = (typeof aiKinds)[number]

export type AiStrategy = AiReaction | AiSession

export function isAiKind(text: unknown): text is AiKind {
  return text === 'reaction' || text === 'session'
}

export function kindOf({ type }: { type: AiStrategy['type'] }): AiKind {
  return type === 'llm-reaction' ? 'reaction' : 'session'
}

export const kindWords: Record<AiKind, { one: string; short: string; about: string }> = {
  reaction: {
    ...{ one: 'AI reaction', short: 'reaction' },
    about: 'The model is asked with each payload that a data webhook gets, such as an alert of TradingView.',
  },
  session: {
    ...{ one: 'AI session', short: 'session' },
    about: 'The model is asked on a schedule, such as every four hours.',
  },
}

/** The name of a strategy, or its number. */
export function nameOf({ name, id, type }: { name: string; id: number; type: AiStrategy['type'] }): string {
  return name || `${type === 'llm-reaction' ? 'Reaction' : 'Session'} ${id}`
}
