import { Type } from 'typebox'
import type { AuditLog } from '../../accounts/audit-log.ts'
import { AppError } from '../../base/errors.ts'
import { signedRequest } from '../../http/authentication.ts'
import { errorResponses, Id, SuccessMessage, withoutNul } from '../../http/schemas.ts'
import type { Routes } from '../../http/types.ts'
import { ProtectionBody } from '../../trading/protection/schemas.ts'
import { readWhole } from '../../trading/protection/settings.ts'
import type { ProtectionChanges } from './changes.ts'

const Body = Type.Object(
  {
    symbol: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: withoutNul,
      description: 'Of the position, in any spelling.',
    }),
    protection: Type.Union([ProtectionBody, Type.Null()], {
      description: 'Replaces the whole protection: a field that is absent is `null`. `null`: nothing.',
    }),
  },
  {
    examples: [
      { symbol: 'BTCUSDT', protection: { stop_loss: '2%', take_profit: [{ at: '2R', part: 0.5 }] } },
    ],
  },
)

/** Where owners protect open positions. */
export function protectionRoutes(changes: ProtectionChanges, audit: AuditLog): Routes {
  return (scope) => {
    scope.put(
      '/position/:bot_id/protection',
      {
        schema: {
          tags: ['Orders and positions'],
          security: signedRequest,
          summary: 'Protect an open position',
          description:
            'Replaces what the position opened with. Where the exchange keeps stops, the service replaces the order there; it watches everything else, which does not act while the service is not running. The best price counts again from now on, and targets close parts of what is held now. Answers 409 if the bot holds nothing there, if the position is being closed, if a level would close it at once, or if the exchange would liquidate it before its stop, and 503 without a current price.',
          params: Type.Object({ bot_id: Id }),
          body: Body,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 413, 415, 500, 503) },
        },
      },
      async (request) => {
        const { principal, params, body } = request
        const { symbol, protection } = body
        const { whole, problems } = readWhole(protection ?? {}, 'body.protection.')
        const [first] = problems
        if (first !== undefined) {
          const message = `Invalid request: ${first.field} ${first.message}.`
          throw new AppError('request_invalid', message, { details: problems })
        }
        const of = { userId: principal.userId, botId: params.bot_id, symbol }
        await changes.set(of, whole, audit.note(request, 'protection_changed'))
        return { message: 'Success' as const }
      },
    )
  }
}
