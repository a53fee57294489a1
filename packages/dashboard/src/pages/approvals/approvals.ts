import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Approval, ApprovalInList, AuditEvent } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import type { ApprovalFilters } from './filters.ts'

export function approvalQuery(id: number) {
  return queryOptions({ queryKey: ['approvals', id], queryFn: () => client.approvals.get(id) })
}

/** All requests for approval, newest first. */
export function allApprovalsQuery({ status }: ApprovalFilters) {
  const wanted = status === undefined ? {} : { status }
  return eventRowsQuery<ApprovalInList>('approval-rows', wanted, (part) =>
    client.approvals.list({ ...wanted, ...part }),
  )
}

/** Who decided about each approval, from the latest events of the audit log. */
export const decidersQuery = queryOptions({
  queryKey: ['approvals', 'deciders'],
  queryFn: async () => {
    const answer = await client.users.audit({ limit: 200 })
    const deciders = new Map<number, AuditEvent>()
    for (const event of Array.isArray(answer) ? answer : answer.items) {
      if (!/^approval_(approved|rejected)$/.test(event.event)) continue
      deciders.set(Number(event.details.id), event)
    }
    return deciders
  },
})

/** Takes over what the service says about an approval, and reads again what shows it. */
export function takeOver(queries: QueryClient, approval: Approval): void {
  queries.setQueryData(approvalQuery(approval.id).queryKey, approval)
  void queries.invalidateQueries({ queryKey: ['approvals'] })
  void queries.invalidateQueries({ queryKey: ['approval-rows'] })
}
