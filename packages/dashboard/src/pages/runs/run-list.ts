import type { List } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import type { requestOf } from './filters.ts'

type RunList = Awaited<ReturnType<typeof client.runs.list>>
export type Run = RunList extends List<infer Item> ? Item : never

/** Runs of all strategies, newest first. */
export function runsQuery(wanted: ReturnType<typeof requestOf>) {
  return eventRowsQuery('run-rows', wanted, (part) => client.runs.list({ ...wanted, ...part }))
}
