import { queryOptions } from '@tanstack/react-query'
import { eachOf, type List } from '@tickwright/client'
import { client } from '../../data/client.ts'
import type { Things } from './example.ts'
import { findExample } from './example.ts'
import type { Strategy } from './own-steps.ts'

/** Who has more than this is no newcomer. */
const most = 1000

async function all<Item>(
  list: (part: { page?: number; limit: number }) => Promise<List<Item>>,
): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of eachOf(list)) {
    found.push(item)
    if (found.length >= most) break
  }
  return found
}

export async function readThings(): Promise<Things> {
  const [dataWebhooks, reactions, botWebhooks, bots] = await Promise.all([
    all(client.webhooks.data.list),
    all(client.reactions.code.list),
    all(client.webhooks.bot.list),
    all(client.bots.signal.list),
  ])
  return { dataWebhooks, reactions, botWebhooks, bots }
}

// The page is often left for a form and opened again, and no event tells of new things.
const staleTime = 0

/** The parts of the example. */
export const exampleQuery = queryOptions({
  queryKey: ['strategies', 'example'],
  queryFn: async () => findExample(await readThings()),
  staleTime,
})

/** All strategies and reactions. */
export const strategiesQuery = queryOptions({
  queryKey: ['strategies', 'first-steps'],
  queryFn: async (): Promise<Strategy[]> => {
    const kinds = await Promise.all<Strategy[]>([
      all(client.strategies.code.list),
      all(client.reactions.code.list),
      all(client.reactions.llm.list),
      all(client.strategies.llmSessions.list),
    ])
    return kinds.flat()
  },
  staleTime,
})

export const botsQuery = queryOptions({
  queryKey: ['bots', 'first-steps'],
  queryFn: () => all(client.bots.signal.list),
  staleTime,
})

/** The latest signals of a strategy. */
export function signalsQuery(strategyId: number | undefined) {
  return queryOptions({
    queryKey: ['signals', 'first-steps', strategyId],
    queryFn: async () => {
      const answer = await client.signals.list({ strategy_id: strategyId, limit: 20 })
      return Array.isArray(answer) ? answer : answer.items
    },
    enabled: strategyId !== undefined,
    staleTime,
  })
}

/** What has become of a payload. Events refresh it; while something is open, it is also read each second. */
export function traceQuery(deliveryId: number) {
  return queryOptions({
    queryKey: ['traces', 'delivery', deliveryId],
    queryFn: () => client.deliveries.trace(deliveryId),
    refetchInterval: ({ state }) => (state.data?.outcome.status === 'OPEN' ? 1000 : false),
  })
}
