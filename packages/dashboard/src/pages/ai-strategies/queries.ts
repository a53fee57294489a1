import { queryOptions } from '@tanstack/react-query'
import { type AiConnection, type AiReactionInList, eachOf } from '@tickwright/client'
import { client } from '../../data/client.ts'

/** Where exchanges and models are connected. */
export const connectionsPath = '/settings/connections'

/** A reaction with the tag of its settings, which the client hides from copies of the record. */
export function reactionQuery(id: number) {
  return queryOptions({
    queryKey: ['strategies', 'llm', id],
    queryFn: async () => {
      const record = await client.reactions.llm.get(id)
      return { record, etag: record.etag }
    },
  })
}

export const reactionsQuery = queryOptions({
  queryKey: ['strategies', 'llm', 'all'],
  queryFn: async (): Promise<AiReactionInList[]> => {
    const found = await all(eachOf(client.reactions.llm.list))
    return found.sort((one, other) => one.name.localeCompare(other.name))
  },
})

/** What was spent today. Each run changes it, so the key is one of runs. */
export function budgetQuery(id: number) {
  return queryOptions({
    queryKey: ['runs', 'budget', id],
    queryFn: () => client.reactions.llm.budget(id),
  })
}

export type Budget = Awaited<ReturnType<typeof client.reactions.llm.budget>>

export const budgetsQuery = queryOptions({
  queryKey: ['runs', 'budgets'],
  queryFn: async () => {
    const budgets = new Map<number, Budget>()
    // Budgets have no id of their own, so a page of the largest size has to do.
    const answer = await client.reactions.llm.budgets({ limit: 200 })
    for (const budget of Array.isArray(answer) ? answer : answer.items)
      budgets.set(budget.strategy_id, budget)
    return budgets
  },
})

export type Model = AiConnection & { service: string }

/** The connections to models, with the names of their services. */
export const modelsQuery = queryOptions({
  queryKey: ['ai-connections', 'models'],
  queryFn: async (): Promise<Model[]> => {
    const [connections, services] = await Promise.all([
      all(eachOf(client.aiConnections.list)),
      client.aiConnections.services(),
    ])
    const names = new Map(services.map(({ id, name }) => [id, name]))
    return connections.map((one) => ({ ...one, service: names.get(one.service_id) ?? 'unknown service' }))
  },
})

/** How a connection to a model is called. */
export function modelName({ name, model, service }: Model): string {
  return name === '' ? `${model} (${service})` : `${name}: ${model} (${service})`
}

export type WebhookChoice = { id: number; name: string; isShared: boolean }

/** The user's webhooks, and those that others share with the user. */
export function webhookChoicesQuery(kind: 'data' | 'bot') {
  return queryOptions({
    queryKey: ['webhooks', kind, 'choices'],
    queryFn: async (): Promise<WebhookChoice[]> => {
      const [own, shared] = await Promise.all([
        all<{ id: number; name: string }>(eachOf(client.webhooks[kind].list)),
        all<{ id: number; name: string }>(eachOf(client.webhooks[kind].shared)),
      ])
      return [
        ...own.map(({ id, name }) => ({ id, name, isShared: false })),
        ...shared.map(({ id, name }) => ({ id, name, isShared: true })),
      ]
    },
  })
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}
