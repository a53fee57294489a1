import type { List } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import type { RunFilters } from './filters.ts'

type RunList = Awaited<ReturnType<typeof client.runs.list>>
export type Run = RunList extends List<infer Item> ? Item : never

/** Runs of all strategies, newest first. */
export function runsQuery({ strategy, ...filters }: RunFilters) {
  const wanted = { ...filters, ...(strategy === undefined ? {} : { strategy_id: strategy }) }
  return eventRowsQuery('run-rows', wanted, (part) => client.runs.list({ ...wanted, ...part }))
}
