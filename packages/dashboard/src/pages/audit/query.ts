import type { AuditEvent } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'

/** The security events of a user, newest first. */
export function auditQuery(userId: number) {
  return eventRowsQuery<AuditEvent>('audit-rows', { user: userId }, (part) =>
    client.users.audit({ user_id: userId, ...part }),
  )
}
