import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { List } from '@tickwright/client'
import { useRef } from 'react'
import { botNamesQuery } from '../../data/bot-names.ts'
import { changeRows } from '../../data/change-rows.ts'
import { client } from '../../data/client.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { useThrottled } from '../../data/use-throttled.ts'
import {
  deliveryItem,
  type FeedChange,
  type FeedItem,
  feedOf,
  fillItem,
  orderItem,
  put,
  putResult,
  runItem,
  signalItem,
} from './feed.ts'

/** So many of each kind. Payloads come with their bodies, so there are fewer. */
const part = { limit: 12 }
const fewer = { limit: 6 }
/** A page shows at most so many changes a second, however many events come. */
const intervalMs = 250
/** A browser lets a hidden page wait for a minute. Changes must not pile up until then. */
const mostWaiting = 200

const itemsOf = <Item>(answer: List<Item>): Item[] => (Array.isArray(answer) ? answer : answer.items)

async function readFeed(): Promise<readonly FeedItem[]> {
  const [deliveries, failed, violations, signals, orders, fills] = await Promise.all([
    client.deliveries.list(fewer),
    client.runs.list({ status: 'FAILED', ...part }),
    client.runs.list({ status: 'VIOLATION', ...part }),
    client.signals.list(part),
    client.orders.list(part),
    client.fills.list(part),
  ])
  const runs = [...itemsOf(failed), ...itemsOf(violations)].map(runItem)
  return feedOf([
    ...itemsOf(deliveries).map(deliveryItem),
    ...runs.filter((item) => item !== null),
    ...itemsOf(signals).map(signalItem),
    ...itemsOf(orders).map(orderItem),
    ...itemsOf(fills).map(fillItem),
  ])
}

/** Not one of the keys that are read again after events: events change its rows. */
const feedQuery = queryOptions({ queryKey: ['feed'], queryFn: readFeed, gcTime: 0 })

/** What happens, as it happens. */
export function useFeed() {
  const queries = useQueryClient()
  const { data: bots } = useQuery(botNamesQuery)
  const changes = useRef<FeedChange[]>([])
  const make = () => {
    const made = changes.current.splice(0)
    changeRows<readonly FeedItem[]>(queries, feedQuery.queryKey, (items) =>
      made.reduce((rows, change) => change(rows), items),
    )
  }
  const makeSoon = useThrottled(make, intervalMs)
  const note = (change: FeedChange) => {
    if (changes.current.push(change) >= mostWaiting) make()
    else makeSoon()
  }
  useEvents('delivery', (delivery) => note(put(deliveryItem(delivery))))
  useEvents('run', (run) => {
    const item = runItem(run)
    if (item !== null) note(put(item))
  })
  useEvents('signal', (signal) => note(put(signalItem(signal))))
  useEvents('bot_signal', (result) =>
    note(putResult(result, bots?.get(result.bot_id)?.name ?? `Bot ${result.bot_id}`)),
  )
  useEvents('order', (order) => note(put(orderItem(order))))
  useEvents('fill', (fill) => note(put(fillItem(fill))))
  return useQuery(feedQuery)
}
