/** Backtests as the API shows them, and how the pages read them. */
import { queryOptions } from '@tanstack/react-query'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'

export type Backtest = Awaited<ReturnType<typeof client.backtests.get>>
export type Report = Awaited<ReturnType<typeof client.backtests.report>>
export type Metric = Report['metrics'][number]
export type Check = Report['checks'][number]

export function isOver({ status }: Pick<Backtest, 'status'>): boolean {
  return status !== 'QUEUED' && status !== 'RUNNING'
}

/** Live events tell of its progress. */
export function backtestQuery(id: number) {
  return queryOptions({
    queryKey: ['backtests', id],
    queryFn: () => client.backtests.get(id),
  })
}

/** All of them, newest first. */
export const backtestsQuery = eventRowsQuery<Backtest>('backtest-rows', {}, (part) =>
  client.backtests.list(part),
)

/** The report of one of its bots, which never changes. */
export function reportQuery(id: number, bot: number) {
  return queryOptions({
    queryKey: ['backtests', id, 'report', bot],
    queryFn: () => client.backtests.report(id, { bot }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** How many percent of its runs are over; `null` before it is known. */
export function progressOf({ progress: { runs, done } }: Pick<Backtest, 'progress'>): number | null {
  return runs === 0 ? null : Math.floor((100 * Math.min(done, runs)) / runs)
}
