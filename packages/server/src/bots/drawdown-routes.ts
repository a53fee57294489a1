import type { AuditLog } from '../accounts/audit-log.ts'
import type { Database } from '../db/database.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter, SuccessMessage } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Announce } from '../live/changes.ts'
import { resetDrawdown } from './drawdown-reset.ts'

export type DrawdownRouteParts = {
  database: Database
  audit: AuditLog
  /** Tells live streams. */
  onChange: Announce
}

/** Where owners let a bot open again that has stopped because its equity fell too far. */
export function drawdownRoutes({ database, audit, onChange }: DrawdownRouteParts): Routes {
  return (scope) => {
    scope.post(
      '/bot/signal/cex/:id/drawdown/reset',
      {
        schema: {
          tags: ['Signal bots'],
          security: signedRequest,
          summary: 'Let a signal bot open again after its drawdown',
          description:
            'The bot opens again, and its highest equity starts again at its equity now. It changes no position. You can also call it before the limit is reached. Answers 409 if the bot has no `max_drawdown` and has not stopped because of one.',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 500) },
        },
      },
      async (request) => {
        const { principal, params } = request
        await resetDrawdown(database, principal.userId, params.id, audit.note(request, 'drawdown_reset'))
        onChange({ kind: 'status', id: params.id, part: 'bot' })
        return { message: 'Success' as const }
      },
    )
  }
}
