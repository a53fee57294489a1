import { queryOptions } from '@tanstack/react-query'
import { type ApprovalInList, eachOf } from '@tickwright/client'
import { client } from './client.ts'
import { type Follower, type Routes, type Target, targetOf } from './targets.ts'

/** The most that a page shows. A strategy has few that wait: an action, and the changes of each strategy that it may change. */
const most = 100

/** The actions and changes that wait for the user's decision, newest first. */
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

type Asked = Pick<ApprovalInList, 'strategy_id' | 'change'>

/** Whose signals a decision is about, and where they go; `null` if that strategy is gone. */
export function targetQuery({ strategy_id, change }: Asked) {
  return queryOptions({
    queryKey: ['bots', 'target', change?.strategy_id ?? strategy_id],
    queryFn: async ({ client: queries }): Promise<Target | null> => {
      const routes = await queries.fetchQuery({ ...routesQuery, staleTime: 0 })
      if (change === null) return targetOf(strategy_id, routes) ?? null
      const { strategy_id: id, strategy_type } = change
      const { webhook_id } = await codeOf[strategy_type].get(id)
      return targetOf(id, { ...routes, webhooks: new Map([[id, webhook_id]]) }) ?? null
    },
  })
}

const codeOf = { 'code-strategy': client.strategies.code, 'code-reaction': client.reactions.code }

async function forEach<Item>(items: AsyncIterable<Item>, act: (item: Item) => unknown): Promise<void> {
  for await (const item of items) act(item)
}
