import { queryOptions } from '@tanstack/react-query'
import { type AiConnection, eachOf } from '@tickwright/client'
import { client } from '../../../data/client.ts'

/** The providers of language models. */
export const servicesQuery = queryOptions({
  queryKey: ['ai-services'],
  queryFn: () => client.aiConnections.services(),
  staleTime: 600_000,
})

/** Some models of a provider; with a connection, all that it has for the key. */
export function modelsQuery(serviceId: number, connectionId?: number) {
  return queryOptions({
    queryKey: ['ai-models', serviceId, connectionId ?? null],
    queryFn: () =>
      client.aiConnections.models(
        serviceId,
        connectionId === undefined ? {} : { connection_id: connectionId },
      ),
    staleTime: 600_000,
    // A provider that does not answer leaves a field without suggestions.
    retry: false,
  })
}

/** What uses a connection: others that fall back to it, and strategies. */
export function usersOfQuery(connectionId: number, connections: readonly AiConnection[]) {
  return queryOptions({
    queryKey: ['strategies', 'connection', connectionId],
    queryFn: async () => {
      const names = connections
        .filter(({ fallback_id }) => fallback_id === connectionId)
        .map(({ id, name }) => `Connection ${name || id}, which falls back to it`)
      for await (const { id, name, connection_id } of eachOf(client.reactions.llm.list))
        if (connection_id === connectionId) names.push(`AI reaction ${name || id}`)
      for await (const { id, name, connection_id } of eachOf(client.strategies.llmSessions.list))
        if (connection_id === connectionId) names.push(`AI session ${name || id}`)
      return names
    },
    staleTime: 0,
  })
}
