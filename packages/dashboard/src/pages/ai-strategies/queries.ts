import { queryOptions } from '@tanstack/react-query'
import { type AiConnection, type AiReactionInList, type AiSessionInList, eachOf } from '@tickwright/client'
import { allOf } from '../../data/all-of.ts'
import { client } from '../../data/client.ts'
import { apiOf, type Budget } from './api.ts'
import { type AiKind, aiKinds } from './kinds.ts'

/** Where exchanges and models are connected. */
export const connectionsPath = '/settings/connections'

/** A strategy with the tag of its settings, which the client hides from copies of the record. */
export function strategyQuery(kind: AiKind, id: number) {
  return queryOptions({
    queryKey: ['strategies', 'ai', id],
    queryFn: async () => {
      const record = await apiOf[kind].get(id)
      return { record, etag: record.etag }
    },
  })
}

export type Listed = AiReactionInList | AiSessionInList

/** Those of both kinds, by name. */
export const strategiesQuery = queryOptions({
  queryKey: ['strategies', 'ai', 'all'],
  queryFn: async (): Promise<Listed[]> => {
    const lists = await Promise.all([
      allOf<Listed>(eachOf(client.reactions.llm.list)),
      allOf<Listed>(eachOf(client.strategies.llmSessions.list)),
    ])
    return lists.flat().sort((one, other) => one.name.localeCompare(other.name) || one.id - other.id)
  },
})

/** What was spent today. Each run changes it, so the key is one of runs. */
export function budgetQuery(kind: AiKind, id: number) {
  return queryOptions({
    queryKey: ['runs', 'budget', id],
    queryFn: () => apiOf[kind].budget(id),
  })
}

export const budgetsQuery = queryOptions({
  queryKey: ['runs', 'budgets'],
  queryFn: async () => {
    const budgets = new Map<number, Budget>()
    // Budgets have no id of their own, so a page of the largest size of each kind has to do.
    const answers = await Promise.all(aiKinds.map((kind) => apiOf[kind].budgets({ limit: 200 })))
    for (const budget of answers.flatMap((answer) => (Array.isArray(answer) ? answer : answer.items)))
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
      allOf(eachOf(client.aiConnections.list)),
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
