import { queryOptions } from '@tanstack/react-query'
import { eachOf } from '@tickwright/client'
import { client } from './client.ts'
import type { StrategyType } from './paths.ts'
import { useQuery } from './use-query.ts'

/** With more things than this, the others are shown by their numbers. */
const most = 5000

type Suspension = { run_id: number; rule: string; limit: number; actual: number }

/** What other pages say about a strategy. */
export type StrategyName = {
  name: string
  type: StrategyType
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  next_run_at: string | null
  suspendedUntil: string | null
  suspension: Suspension | null
}

type Listed = Omit<StrategyName, 'next_run_at' | 'suspendedUntil' | 'suspension'> & {
  id: number
  next_run_at?: string | null
  suspended_until: string | null
  suspension_reason: Suspension | null
}

/** All strategies and reactions, by their ids: records of runs and signals have only the ids. */
export const strategyNamesQuery = queryOptions({
  queryKey: ['strategies', 'names'],
  queryFn: async () => {
    const names = new Map<number, StrategyName>()
    const add = async (things: AsyncIterable<Listed>) => {
      for await (const { id, name, type, status, ...rest } of things) {
        const { next_run_at = null, suspended_until: suspendedUntil, suspension_reason: suspension } = rest
        names.set(id, { name, type, status, next_run_at, suspendedUntil, suspension })
        if (names.size >= most) return
      }
    }
    await Promise.all([
      add(eachOf(client.strategies.code.list)),
      add(eachOf(client.reactions.code.list)),
      add(eachOf(client.reactions.llm.list)),
      add(eachOf(client.strategies.llmSessions.list)),
    ])
    return names
  },
})

/** Finds the name of a strategy, or its number while the name is not known. */
export function useStrategyNames(): (id: number | null) => string {
  const { data } = useQuery(strategyNamesQuery)
  return (id) => (id === null ? '–' : data?.get(id)?.name || `Strategy ${id}`)
}
