import type { NotificationEndpoint } from '@tickwright/client'
import { useQuery } from '../../../data/use-query.ts'
import { callbackHostsQuery, endpointsQuery, nameOf } from './endpoints.ts'

/** Where a notification goes. `endpoint`: to one of the user's; `isCallback`: to a host that a signal has named. */
export type Receiver = { name: string; endpoint: NotificationEndpoint | undefined; isCallback: boolean }

/** Finds who gets a notification, by the id in its deliveries. */
export function useReceivers(): (id: number) => Receiver {
  const { data: endpoints } = useQuery(endpointsQuery)
  const { data: hosts } = useQuery(callbackHostsQuery)
  return (id) => {
    const endpoint = endpoints?.find((known) => known.id === id)
    const host = hosts?.find((known) => known.id === id)
    const name = endpoint === undefined ? (host?.origin ?? `Endpoint ${id}`) : nameOf(endpoint)
    return { name, endpoint, isCallback: host !== undefined }
  }
}
