import { useQueryClient } from '@tanstack/react-query'
import type { BotSignal, Fill, Order } from '@tickwright/client'
import { type ReactNode, useEffect, useRef } from 'react'
import { botNamesQuery } from '../../data/bot-names.ts'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Beside } from '../beside.ts'
import type { Column } from '../Rows.tsx'
import {
  BotSignalLink,
  botColumn,
  botSignalColumns,
  fillColumns,
  orderColumns,
  type Trade,
  tradeColumns,
} from './columns.tsx'
import { RecordRows } from './RecordRows.tsx'
import { isInScope, queryOf, type RecordScope } from './scope.ts'

export type RecordProps = {
  scope: RecordScope
  empty: ReactNode
  /** Whether each row names its bot. */
  isOfMany?: boolean
  /** The height in pixels that the rest of the page needs. */
  above?: number
}

function columnsOf<Item extends { bot_id: number }>(
  columns: readonly Column<Item>[],
  isOfMany: boolean,
): readonly Column<Item>[] {
  return isOfMany ? [columns[0]!, botColumn, ...columns.slice(1)] : columns
}

/** Tells whether a record of a live event belongs to a list. */
function useIsInScope(scope: RecordScope): (record: { bot_id: number; symbol: string }) => boolean {
  const { data: bots } = useQuery({ ...botNamesQuery, enabled: scope.mode !== undefined })
  return (record) => isInScope(record, scope, bots)
}

/** Orders, newest first, as they are planned and filled. */
export function Orders({ scope, empty, isOfMany = false, above }: RecordProps) {
  const asked = queryOf(scope)
  const query = eventRowsQuery<Order>('order-rows', asked, (part) =>
    client.orders.list({ ...asked, ...part }),
  )
  useEventRows('order', query.queryKey, useIsInScope(scope))
  const columns = columnsOf(orderColumns, isOfMany)
  return <RecordRows label="Orders" {...{ query, columns, empty, ...(above && { above }) }} />
}

/** Fills, newest first, as they are booked. */
export function Fills({ scope, empty, isOfMany = false, above }: RecordProps) {
  const asked = queryOf(scope)
  const query = eventRowsQuery<Fill>('fill-rows', asked, (part) => client.fills.list({ ...asked, ...part }))
  useEventRows('fill', query.queryKey, useIsInScope(scope))
  const columns = columnsOf(fillColumns, isOfMany)
  return <RecordRows label="Fills" {...{ query, columns, empty, ...(above && { above }) }} />
}

/** What one bot did with its signals, newest first, as it happens. */
export function BotSignals({
  botId,
  beside,
  empty,
}: {
  botId: number
  beside: Beside | undefined
  empty: ReactNode
}) {
  const query = eventRowsQuery<BotSignal>('bot-signal-rows', { botId }, (part) =>
    client.bots.signal.signals(botId, part),
  )
  useEventRows('bot_signal', query.queryKey, ({ bot_id }) => bot_id === botId)
  return (
    <RecordRows
      label="Signals"
      columns={botSignalColumns}
      link={(result) => <BotSignalLink result={result} beside={beside} />}
      {...{ query, beside, empty }}
    />
  )
}

/** Fills come in bursts, and every one changes the trades. */
const tradesRefreshMs = 1000

/** Trades, newest first. Each fill may change them. */
export function Trades({ scope, empty, isOfMany = false, above }: RecordProps) {
  const queries = useQueryClient()
  const asked = queryOf(scope)
  const query = eventRowsQuery<Trade>('trade-rows', asked, (part) =>
    client.trades.list({ ...asked, ...part }),
  )
  const isShown = useIsInScope(scope)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEvents('fill', (fill) => {
    if (!isShown(fill)) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void queries.invalidateQueries({ queryKey: query.queryKey })
    }, tradesRefreshMs)
  })
  const columns = columnsOf(tradeColumns, isOfMany)
  return <RecordRows label="Trades" {...{ query, columns, empty, ...(above && { above }) }} />
}
