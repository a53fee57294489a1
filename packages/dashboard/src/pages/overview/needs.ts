/** What the overview asks for, to say what needs the user. */

import { queryOptions } from '@tanstack/react-query'
import type { BotSignal, List, NotificationEndpoint } from '@tickwright/client'
import { beginningOfRange } from '../../base/ranges.ts'
import { serviceNow } from '../../base/service-time.ts'
import { client } from '../../data/client.ts'

/** More than this are too many to name. */
export const mostFailures = 100
const mostCloses = 10

const itemsOf = <Item>(answer: List<Item>): Item[] => (Array.isArray(answer) ? answer : answer.items)

export const disabledQuery = queryOptions({
  queryKey: ['endpoints', 'disabled'],
  queryFn: async (): Promise<NotificationEndpoint[]> => {
    const endpoints = itemsOf(await client.notifications.endpoints.list())
    return endpoints.filter(({ status }) => status === 'DISABLED')
  },
  // No live event says that the service has disabled one.
  refetchInterval: 60_000,
})

/** The latest runs that failed in the last day. */
export const failuresQuery = queryOptions({
  queryKey: ['failures', 'day'],
  queryFn: async () => {
    const since = beginningOfRange('day', serviceNow())
    return itemsOf(await client.runs.list({ status: 'FAILED', since, limit: mostFailures }))
  },
  refetchInterval: 60_000,
})

/** Closes that wait for a decision of the user, and those that an exchange refused and bots try again. */
export const closesQuery = queryOptions({
  queryKey: ['bot-signals', 'closes'],
  queryFn: async (): Promise<{ waiting: BotSignal[]; refused: BotSignal[] }> => {
    const [waiting, refused] = await Promise.all(
      (['WAITING', 'CLOSING'] as const).map((status) =>
        client.botSignals.list({ status, limit: mostCloses }),
      ),
    )
    return { waiting: itemsOf(waiting!), refused: itemsOf(refused!) }
  },
})
