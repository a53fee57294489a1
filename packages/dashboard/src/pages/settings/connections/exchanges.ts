import { queryOptions } from '@tanstack/react-query'
import { eachOf } from '@tickwright/client'
import { client } from '../../../data/client.ts'
import { type CredentialField, fieldsNeeded } from './credentials.ts'

/** The catalogue, for the names of exchanges. */
export const exchangesQuery = queryOptions({
  queryKey: ['exchanges', 'all'],
  queryFn: () => client.exchanges.list(),
  staleTime: 600_000,
})

/** The exchanges that a connection can be to, in order of their names. */
export const connectableQuery = queryOptions({
  queryKey: ['exchanges', 'cex'],
  queryFn: async () => {
    const exchanges = await client.exchanges.cex()
    return exchanges.toSorted((one, other) => one.name.localeCompare(other.name) || one.id - other.id)
  },
  staleTime: 600_000,
})

/** The credentials that an exchange needs. */
export function neededQuery(exchangeId: number) {
  return queryOptions({
    queryKey: ['exchange-credentials', exchangeId],
    queryFn: async (): Promise<CredentialField[]> => {
      try {
        await client.connections.test({ exchange_id: exchangeId })
        return []
      } catch (error) {
        return fieldsNeeded(error)
      }
    },
    staleTime: 600_000,
  })
}

/** The names of the bots that use a connection. */
export function botsOfQuery(connectionId: number) {
  return queryOptions({
    queryKey: ['bots', 'connection', connectionId],
    queryFn: async () => {
      const names: string[] = []
      for await (const { id, name, connection_id } of eachOf(client.bots.signal.list))
        if (connection_id === connectionId) names.push(name || `Bot ${id}`)
      return names
    },
    staleTime: 0,
  })
}
