import { queryOptions } from '@tanstack/react-query'
import { eachOf } from '@tickwright/client'
import { client } from './client.ts'
import type { Follower, Routes } from './targets.ts'

/** A strategy has at most one approval that waits. */
const most = 100

/** The actions that wait for the user's decision, newest first. */
export const waitingQuery = queryOptions({
  queryKey: ['approvals', 'waiting'],
  queryFn: async () => {
    const answer = await client.approvals.list({ status: 'PENDING', limit: most })
    return Array.isArray(answer) ? answer : answer.items
  },
})

/** Where the actions of the user's AI strategies go. */
export const routesQuery = queryOptions({
  queryKey: ['bots', 'routes'],
  queryFn: async (): Promise<Routes> => {
    const webhooks = new Map<number, number | null>()
    const bots: Follower[] = []
    const shared = new Set<number>()
    await Promise.all([
      forEach(eachOf(client.reactions.llm.list), ({ id, webhook_id }) => webhooks.set(id, webhook_id)),
      forEach(eachOf(client.strategies.llmSessions.list), ({ id, webhook_id }) =>
        webhooks.set(id, webhook_id),
      ),
      forEach(eachOf(client.bots.signal.list), (bot) => bots.push(bot)),
      forEach(eachOf(client.webhooks.bot.shared), ({ id }) => shared.add(id)),
    ])
    return { webhooks, bots, shared }
  },
})

async function forEach<Item>(items: AsyncIterable<Item>, act: (item: Item) => unknown): Promise<void> {
  for await (const item of items) act(item)
}
