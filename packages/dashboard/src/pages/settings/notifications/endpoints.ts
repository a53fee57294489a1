import type { ApiClient, NotificationEndpoint } from '@tickwright/client'
import { client } from '../../../data/client.ts'
import { allOf } from '../lists.ts'

/** All endpoints. No event tells when one starts to fail, so a page that shows them reads them again. */
export const endpointsQuery = {
  ...allOf<NotificationEndpoint>('endpoints', client.notifications.endpoints.list),
  refetchInterval: 10_000,
}

export type CallbackHost = Extract<
  Awaited<ReturnType<ApiClient['notifications']['callbacks']['list']>>,
  readonly unknown[]
>[number]

/** All hosts that receive callbacks. A signal can add one at any time. */
export const callbackHostsQuery = {
  ...allOf<CallbackHost>('callback-hosts', client.notifications.callbacks.list),
  refetchInterval: 10_000,
}

/** How a page calls an endpoint. */
export function nameOf({ id, url, receiver, description }: NotificationEndpoint): string {
  return description || url || receiver || `Endpoint ${id}`
}
