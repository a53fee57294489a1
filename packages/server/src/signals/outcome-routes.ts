import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App } from '../http/types.ts'
import { BotSignalStatus, SignalAction, SignalOptions, shownFlags } from './schemas.ts'
import type { Signals } from './signals.ts'

const OrderRecord = Type.Object({
  purpose: Type.Enum(['open', 'close']),
  side: Type.Enum(['buy', 'sell']),
  size: Type.String({ description: 'In base currency.' }),
  filled_size: Type.String(),
  average_price: Nullable(Type.String()),
  status: Type.Enum(['PLANNED', 'OPEN', 'UNKNOWN', 'FILLED', 'CANCELED', 'REJECTED']),
  reason: Nullable(Type.String()),
})

const BotRecord = Type.Object({
  bot_id: Type.Integer(),
  bot_name: Type.String(),
  mode: Type.Enum(['paper', 'live']),
  demo: Type.Boolean({ description: 'Whether it trades live with an account without real money.' }),
  symbol: Type.String(),
  status: BotSignalStatus,
  reason: Nullable(Type.String({ description: 'Why it ended so, or why it waits, as a sentence.' })),
  finished_at: Nullable(Timestamp),
  orders: Type.Array(OrderRecord, { description: 'The last 10.' }),
})

const OutcomeRecord = Type.Object({
  id: Type.Integer(),
  webhook_id: Nullable(Type.Integer()),
  action: SignalAction,
  symbols: Type.Array(Type.String()),
  options: SignalOptions,
  flags: shownFlags.flags,
  delivered: Type.Boolean({ description: 'Whether a bot took it.' }),
  reason: Nullable(Type.String({ description: 'Why no bot took it; null if one did.' })),
  received_at: Timestamp,
  complete: Type.Boolean({ description: 'Whether all your bots have ended it.' }),
  bots: Type.Array(BotRecord, { description: 'The first 20 of your own bots and their symbols.' }),
  bots_total: Type.Integer(),
})

/** Adds the route that shows what became of a signal. */
export function readOutcome(scope: App, signals: Signals): void {
  scope.get(
    '/signal/:id/outcome',
    {
      schema: {
        tags: ['Signals'],
        security: signedRequest,
        summary: 'Show what became of a signal',
        description:
          'What each of your own bots did with it, with its orders: the `data` of a callback. Anyone who sent the signal may read it, too.',
        params: IdParameter,
        response: { 200: OutcomeRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    ({ principal, params }) => signals.outcome(principal.userId, params.id),
  )
}
