/** What happens in the account, newest first: some of each kind of record, in one list that stays short. */

import type { BotSignal, Delivery, Fill, LiveRecords, Order, Signal } from '@tickwright/client'
import { withResult } from '../signals/words.ts'

type Run = LiveRecords['run']

/** What a row shows. Of what came from outside, such as payloads, it keeps nothing that can be large. */
export type FeedItem = { key: string; at: string } & (
  | { kind: 'delivery'; record: Pick<Delivery, 'id' | 'webhook_id' | 'reactions'> }
  | { kind: 'run'; record: Pick<Run, 'id' | 'strategy_id' | 'status' | 'violation'> & { message: string } }
  | { kind: 'signal'; record: Signal }
  | { kind: 'order'; record: Order }
  | { kind: 'fill'; record: Fill }
)

/** Changes the rows of the feed. */
export type FeedChange = (items: readonly FeedItem[]) => readonly FeedItem[]

/** More rows nobody reads, and pages stay open for days. */
export const mostItems = 24
const mostMessageChars = 300

export function deliveryItem({ id, webhook_id, reactions, received_at }: Delivery): FeedItem {
  return { key: `delivery ${id}`, at: received_at, kind: 'delivery', record: { id, webhook_id, reactions } }
}

/** A run that failed, or that broke a rule and so suspended its strategy; `null` for any other. */
export function runItem(run: Run): FeedItem | null {
  const { id, strategy_id, status, violation, error, finished_at, queued_at } = run
  if (status !== 'FAILED' && status !== 'VIOLATION') return null
  const message = (error?.message ?? '').slice(0, mostMessageChars)
  const record = { id, strategy_id, status, violation, message }
  return { key: `run ${id}`, at: finished_at ?? queued_at, kind: 'run', record }
}

export function signalItem(record: Signal): FeedItem {
  return { key: `signal ${record.id}`, at: record.created_at, kind: 'signal', record }
}

/** An order. What it bought or sold, its fills say. */
export function orderItem(record: Order): FeedItem {
  return { key: `order ${record.id}`, at: record.created_at, kind: 'order', record }
}

export function fillItem(record: Fill): FeedItem {
  return { key: `fill ${record.id}`, at: record.filled_at, kind: 'fill', record }
}

/** Puts a record into the feed, or in the place of its earlier state. */
export function put(item: FeedItem): FeedChange {
  return (items) => {
    const others = items.filter(({ key }) => key !== item.key)
    // A filled order has fills, which say more.
    return item.kind === 'order' && item.record.status === 'FILLED' ? others : newest([...others, item])
  }
}

/** Says what became of a signal of the feed. */
export function putResult(result: BotSignal, botName: string): FeedChange {
  return (items) =>
    items.map((item) =>
      item.kind === 'signal' && item.record.id === result.signal_id
        ? { ...item, record: withResult(item.record, result, botName) }
        : item,
    )
}

/** The newest of these, as many as the feed has. Orders that were filled are left out. */
export function feedOf(items: readonly FeedItem[]): readonly FeedItem[] {
  return newest(items.filter((item) => item.kind !== 'order' || item.record.status !== 'FILLED'))
}

function newest(items: readonly FeedItem[]): FeedItem[] {
  return items
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at) || order(one, other))
    .slice(0, mostItems)
}

/** In one instant, what comes later in a chain of events is newer. */
const chain = ['delivery', 'run', 'signal', 'order', 'fill']

function order(one: FeedItem, other: FeedItem): number {
  return chain.indexOf(other.kind) - chain.indexOf(one.kind) || other.record.id - one.record.id
}
