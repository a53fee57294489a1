import { queryOptions } from '@tanstack/react-query'
import { type Exchange, type ExchangeConnection, eachOf } from '@tickwright/client'
import { client } from './client.ts'

/** The exchanges that bots can trade on: those that are enabled, and the simulated market, which comes first. */
export const botExchangesQuery = queryOptions({
  queryKey: ['exchanges', 'enabled'],
  queryFn: async (): Promise<Exchange[]> => {
    const enabled = await client.exchanges.list({ enabled: true })
    const fitting = enabled.filter(({ type }) => type === 'CEX' || type === 'SIM')
    return fitting.sort(
      (one, other) => other.type.localeCompare(one.type) || one.name.localeCompare(other.name),
    )
  },
  // It changes only when an administrator changes it.
  staleTime: 300_000,
})

/** The user's accounts on exchanges. */
export const connectionsQuery = queryOptions({
  queryKey: ['connections', 'all'],
  queryFn: async (): Promise<ExchangeConnection[]> => {
    const found: ExchangeConnection[] = []
    for await (const connection of eachOf(client.connections.list)) found.push(connection)
    return found
  },
})

/** An exchange by the name that people use: spot and futures are two. */
export function exchangeText({ type, name, service }: Pick<Exchange, 'type' | 'name' | 'service'>): string {
  return type === 'SIM' ? name : `${name} ${service}`
}
