import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import type { LiveRecords } from '@tickwright/client'
import { changeRows } from './change-rows.ts'
import { type EventRows, patchRows } from './event-rows.ts'
import { useEvents } from './use-live.ts'

/** Puts the records of live events into the rows of a list, while it is shown. */
export function useEventRows<
  Kind extends 'delivery' | 'run' | 'signal' | 'bot_signal' | 'order' | 'fill' | 'backtest',
>(kind: Kind, queryKey: QueryKey, belongs: (record: LiveRecords[Kind]) => boolean | null): void {
  const queries = useQueryClient()
  useEvents(kind, (record) =>
    changeRows<EventRows<LiveRecords[Kind]>>(queries, queryKey, (rows) =>
      patchRows(rows, record, belongs(record)),
    ),
  )
}
