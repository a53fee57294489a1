/** Backtests as the API shows them, and how the pages read them. */
import { queryOptions } from '@tanstack/react-query'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import { mostRecords } from './most-records.ts'

export type Backtest = Awaited<ReturnType<typeof client.backtests.get>>
export type Report = Awaited<ReturnType<typeof client.backtests.report>>
export type Metric = Report['metrics'][number]
/** A request for one. */
export type NewBacktest = Parameters<typeof client.backtests.create>[0]
/** What its request gave, which its record only names. */
export type Given = Awaited<ReturnType<typeof client.backtests.given>>
export type Sweep = Awaited<ReturnType<typeof client.backtests.sweep>>
export type Check = Report['checks'][number]

export type Fill = ItemOf<typeof client.backtests.fills>
export type Signal = ItemOf<typeof client.backtests.signals>

/** What one of the lists has. */
export type ItemOf<Read extends (...parameters: never) => Promise<unknown>> =
  Awaited<ReturnType<Read>> extends { items: (infer Item)[] } | (infer Item)[] ? Item : never

/** So many are read at first, and then part by part. */
const firstSize = 1_000
const partSize = 200

type Part = { bot: number; limit?: number; before?: number }

/** The newest records of one bot, oldest first. They never change. */
function recordsQuery<Item extends { id: number }>(
  key: readonly [kind: string, id: number, bot: number],
  read: (part: Part) => Promise<Item[] | { items: Item[] }>,
) {
  return queryOptions({
    queryKey: ['backtest-records', ...key],
    queryFn: async () => {
      const records: Item[] = []
      for (;;) {
        const before = records.at(-1)?.id
        const part = before === undefined ? {} : { limit: partSize, before }
        const answer = await read({ bot: key[2], ...part })
        const items = Array.isArray(answer) ? answer : answer.items
        records.push(...items)
        const isLast = items.length < (before === undefined ? firstSize : partSize)
        if (isLast || records.length >= mostRecords) return records.reverse()
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function fillsQuery(id: number, bot: number) {
  return recordsQuery(['fills', id, bot], (part) => client.backtests.fills(id, part))
}

export function signalsQuery(id: number, bot: number) {
  return recordsQuery(['signals', id, bot], (part) => client.backtests.signals(id, part))
}

/** The equity at the closes of candles. */
export function equityQuery(id: number, bot: number) {
  return recordsQuery(['equity', id, bot], (part) => client.backtests.equity(id, part))
}

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

export function givenQuery(id: number) {
  return queryOptions({
    queryKey: ['backtests', id, 'given'],
    queryFn: () => client.backtests.given(id),
    staleTime: Number.POSITIVE_INFINITY,
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

/** The combinations of a sweep, which never change. */
export function sweepQuery(id: number) {
  return queryOptions({
    queryKey: ['backtests', id, 'sweep'],
    queryFn: () => client.backtests.sweep(id),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** How many percent of its runs are over; `null` before it is known. */
export function progressOf({ progress: { runs, done } }: Pick<Backtest, 'progress'>): number | null {
  return runs === 0 ? null : Math.floor((100 * Math.min(done, runs)) / runs)
}
