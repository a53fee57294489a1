import { useQueryClient } from '@tanstack/react-query'
import type { BotSignal, Fill, List, Order } from '@tickwright/client'
import { type ReactNode, useEffect, useRef } from 'react'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import { readMerged } from '../../data/merged.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import { useEvents } from '../../data/use-live.ts'
import type { Column } from '../Rows.tsx'
import {
  botColumn,
  botSignalColumns,
  fillColumns,
  orderColumns,
  type Trade,
  tradeColumns,
} from './columns.tsx'
import { RecordRows } from './RecordRows.tsx'
import { isInScope, type RecordScope } from './scope.ts'

export type RecordProps = {
  scope: RecordScope
  empty: ReactNode
  /** Whether each row names its bot. */
  isOfMany?: boolean
  /** The height in pixels that the rest of the page needs. */
  above?: number
}

type Part = { limit: number; before?: number }

/** The service lists the records of one bot or of all of them. Those of some bots are merged here. */
function reader<Item extends { id: number }>(
  { bots, symbol }: RecordScope,
  read: (part: Part & { bot_id?: number; symbol?: string }) => Promise<List<Item>>,
): (part: Part) => Promise<List<Item>> {
  const wanted = symbol === undefined ? {} : { symbol }
  if (bots === undefined) return (part) => read({ ...wanted, ...part })
  const sources = bots.map(
    (bot_id) => async (part: Part) => itemsOf(await read({ ...wanted, ...part, bot_id })),
  )
  return (part) => readMerged(sources, part)
}

function itemsOf<Item>(list: List<Item>): readonly Item[] {
  return Array.isArray(list) ? list : list.items
}

function columnsOf<Item extends { bot_id: number }>(
  columns: readonly Column<Item>[],
  isOfMany: boolean,
): readonly Column<Item>[] {
  return isOfMany ? [columns[0]!, botColumn, ...columns.slice(1)] : columns
}

/** Orders, newest first, as they are planned and filled. */
export function Orders({ scope, empty, isOfMany = false, above }: RecordProps) {
  const query = eventRowsQuery<Order>('order-rows', scope, reader(scope, client.orders.list))
  useEventRows('order', query.queryKey, (order) => isInScope(order, scope))
  const columns = columnsOf(orderColumns, isOfMany)
  return <RecordRows label="Orders" {...{ query, columns, empty, ...(above && { above }) }} />
}

/** Fills, newest first, as they are booked. */
export function Fills({ scope, empty, isOfMany = false, above }: RecordProps) {
  const query = eventRowsQuery<Fill>('fill-rows', scope, reader(scope, client.fills.list))
  useEventRows('fill', query.queryKey, (fill) => isInScope(fill, scope))
  const columns = columnsOf(fillColumns, isOfMany)
  return <RecordRows label="Fills" {...{ query, columns, empty, ...(above && { above }) }} />
}

/** What one bot did with its signals, newest first, as it happens. */
export function BotSignals({ botId, empty, above }: { botId: number; empty: ReactNode; above?: number }) {
  const scope = { bots: [botId] }
  const query = eventRowsQuery<BotSignal>('bot-signal-rows', scope, (part) =>
    client.bots.signal.signals(botId, part),
  )
  useEventRows('bot_signal', query.queryKey, (result) => isInScope(result, scope))
  return (
    <RecordRows label="Signals" columns={botSignalColumns} {...{ query, empty, ...(above && { above }) }} />
  )
}

/** Fills come in bursts, and every one changes the trades. */
const tradesRefreshMs = 1000

/** Trades of some bots, newest first. Each fill may change them. */
export function Trades({
  scope,
  empty,
  isOfMany = false,
  above,
}: RecordProps & { scope: { bots: readonly number[] } }) {
  const { bots, symbol } = scope
  const queries = useQueryClient()
  const query = eventRowsQuery<Trade>('trade-rows', scope, (part) =>
    readMerged(
      bots.map((id) => async (part: Part) => {
        const { items } = await client.bots.signal.trades(id, { ...part, ...(symbol && { symbol }) })
        return items
      }),
      part,
    ),
  )
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEvents('fill', (fill) => {
    if (!isInScope(fill, scope)) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void queries.invalidateQueries({ queryKey: query.queryKey })
    }, tradesRefreshMs)
  })
  const columns = columnsOf(tradeColumns, isOfMany)
  return <RecordRows label="Trades" {...{ query, columns, empty, ...(above && { above }) }} />
}
