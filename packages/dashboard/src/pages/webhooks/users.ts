import { queryOptions } from '@tanstack/react-query'
import { type CodeReactionInList, eachOf, type SignalBotInList } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { type StrategyType, strategyKinds, strategyPath } from '../../data/paths.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Kind } from '../../data/webhooks.ts'

/** Something that gets the payloads of a webhook, or that sends signals to it. */
export type WebhookUser = {
  id: number
  name: string
  /** What it is, such as `AI reaction`. */
  what: string
  status: string
  path: string
  /** The webhook that it uses now. */
  webhookId: number | null
  /** For a bot. */
  bot?: Pick<SignalBotInList, 'mode' | 'demo'>
  /** Lets it use another webhook, or none. Without it, that is a setting of the strategy. */
  use?: (webhookId: number | null) => Promise<unknown>
}

type Listed = Pick<CodeReactionInList, 'id' | 'name' | 'status' | 'webhook_id'> & {
  type: StrategyType
  data_webhook_id?: number | null
}

async function allOf<Item>(items: AsyncIterable<Item>, fits: (item: Item) => boolean): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) if (fits(item)) found.push(item)
  return found
}

function strategyUser(listed: Listed, webhookId: number | null): WebhookUser {
  const { id, name, status, type } = listed
  return { id, name, status, what: strategyKinds[type], path: strategyPath(type, id), webhookId }
}

/** All reactions of the user, with the data webhook that triggers each. */
export const reactionsQuery = queryOptions({
  queryKey: ['strategies', 'reactions'],
  queryFn: async (): Promise<WebhookUser[]> => {
    const [code, llm] = await Promise.all([
      allOf(eachOf(client.reactions.code.list), () => true),
      allOf(eachOf(client.reactions.llm.list), () => true),
    ])
    return [
      ...code.map((one) => ({
        ...strategyUser(one, one.data_webhook_id),
        use: (data_webhook_id: number | null) => client.reactions.code.update(one.id, { data_webhook_id }),
      })),
      ...llm.map((one) => ({
        ...strategyUser(one, one.data_webhook_id),
        use: (data_webhook_id: number | null) => client.reactions.llm.update(one.id, { data_webhook_id }),
      })),
    ]
  },
})

/** All bots of the user, with the bot webhook that each follows. */
export const followersQuery = queryOptions({
  queryKey: ['bots', 'followers'],
  queryFn: async (): Promise<WebhookUser[]> => {
    const bots = await allOf(eachOf(client.bots.signal.list), () => true)
    return bots.map(({ id, name, status, mode, demo, webhook_id: webhookId }) => ({
      ...{ id, name, status, what: 'Bot', path: `/bots/${id}`, webhookId, bot: { mode, demo } },
      use: (webhook_id: number | null) => client.bots.signal.update(id, { webhook_id }),
    }))
  },
})

/** The strategies and reactions that send their signals to a bot webhook. */
function sendersQuery(webhookId: number) {
  const fits = (one: Listed) => one.webhook_id === webhookId
  return queryOptions({
    queryKey: ['strategies', 'senders', webhookId],
    queryFn: async (): Promise<WebhookUser[]> => {
      const lists = await Promise.all([
        allOf<Listed>(eachOf(client.strategies.code.list), fits),
        allOf<Listed>(eachOf(client.reactions.code.list), fits),
        allOf<Listed>(eachOf(client.reactions.llm.list), fits),
        allOf<Listed>(eachOf(client.strategies.llmSessions.list), fits),
      ])
      return lists.flat().map((one) => strategyUser(one, webhookId))
    },
  })
}

/** Those that send signals to a bot webhook; `undefined` while they are read. */
export function useSenders(id: number, isWanted = true): WebhookUser[] | undefined {
  return useQuery({ ...sendersQuery(id), enabled: isWanted }).data
}

/** Everything of the user that uses a webhook, so that it cannot be deleted; `undefined` while it is read. */
export function useUsers(kind: Kind, id: number): WebhookUser[] | undefined {
  const { data: takers } = useQuery(kind === 'data' ? reactionsQuery : followersQuery)
  const senders = useSenders(id, kind === 'bot')
  const taking = takers?.filter(({ webhookId }) => webhookId === id)
  return kind === 'data' ? taking : taking && senders && [...taking, ...senders]
}
