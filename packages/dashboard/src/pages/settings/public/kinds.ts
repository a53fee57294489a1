import { queryOptions } from '@tanstack/react-query'
import { client } from '../../../data/client.ts'
import { allOf } from '../lists.ts'

export const publicKinds = [
  { id: 'code', name: 'Code strategies' },
  { id: 'reaction', name: 'Code reactions' },
  { id: 'ai', name: 'AI reactions' },
  { id: 'session', name: 'AI sessions' },
] as const

export type PublicKind = (typeof publicKinds)[number]['id']

/** What a list shows of a public strategy of any kind. */
export type PublicItem = {
  id: number
  user_id: number
  name: string
  symbol: string | null
  updated_at: string
  cron_interval?: string | null
  timezone?: string | null
}

type Full = PublicItem & { text: string }

type Access = {
  list: (part: {
    page?: number
    limit: number
  }) => Promise<PublicItem[] | { items: PublicItem[]; total: number; limit: number }>
  get: (id: number) => Promise<Full>
  copy: (id: number) => Promise<{ id: number; name: string }>
}

const access: Record<PublicKind, Access> = {
  code: {
    list: client.strategies.code.public.list,
    get: async (id) => {
      const strategy = await client.strategies.code.public.get(id)
      return { ...strategy, text: strategy.code }
    },
    copy: (id) => client.strategies.code.duplicate({ id }),
  },
  reaction: {
    list: client.reactions.code.public.list,
    get: async (id) => {
      const reaction = await client.reactions.code.public.get(id)
      return { ...reaction, text: reaction.code }
    },
    copy: (id) => client.reactions.code.duplicate({ id }),
  },
  ai: {
    list: client.reactions.llm.public.list,
    get: async (id) => {
      const reaction = await client.reactions.llm.public.get(id)
      return { ...reaction, text: reaction.prompt }
    },
    copy: (id) => client.reactions.llm.duplicate({ id }),
  },
  session: {
    list: client.strategies.llmSessions.public.list,
    get: async (id) => {
      const session = await client.strategies.llmSessions.public.get(id)
      return { ...session, text: session.prompt }
    },
    copy: (id) => client.strategies.llmSessions.duplicate({ id }),
  },
}

/** The public strategies of one kind, of all users. */
export function publicListQuery(kind: PublicKind) {
  return allOf<PublicItem>(`public-${kind}`, access[kind].list)
}

/** One of them, with its code or prompt. */
export function publicQuery(kind: PublicKind, id: number) {
  return queryOptions({ queryKey: [`public-${kind}`, id], queryFn: () => access[kind].get(id) })
}

/** Copies one of them. The copy belongs to the user, and is off. */
export function copyPublic(kind: PublicKind, id: number): Promise<{ id: number; name: string }> {
  return access[kind].copy(id)
}
