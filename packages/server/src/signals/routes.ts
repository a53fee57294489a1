import { Type } from 'typebox'
import { presentSender, SenderRecord } from '../accounts/sender.ts'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, Id, ListOf, Moment, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { SignalAction, SignalFlag, SignalOptions } from './schemas.ts'
import type { Signal, SignalFilter, Signals } from './signals.ts'

const SignalRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Nullable(
    Type.Integer({
      description: 'null where it came by a bot webhook from outside, or of a strategy of another user.',
    }),
  ),
  run_id: Nullable(Type.Integer()),
  webhook_id: Nullable(Type.Integer({ description: 'The bot webhook that it came by, or went to.' })),
  action: SignalAction,
  symbols: Type.Array(Type.String()),
  price: Nullable(Type.Number({ description: 'null where none was known.' })),
  options: SignalOptions,
  flag: Nullable(SignalFlag),
  sender: SenderRecord,
  delivered: Type.Boolean({ description: 'Whether a bot took it.' }),
  reason: Nullable(Type.String({ description: 'Why no bot took it; null if one did.' })),
  created_at: Timestamp,
})

const Query = Type.Object({
  ...PageQuery.properties,
  strategy_id: Type.Optional(Id),
  run_id: Type.Optional(Id),
  webhook_id: Type.Optional(Id),
  action: Type.Optional(SignalAction),
  since: Type.Optional(Moment('Signals from this moment on.')),
})

export function signalRoutes(signals: Signals): Routes {
  return (scope) => {
    scope.get(
      '/signal',
      {
        schema: {
          tags: ['Signals'],
          security: signedRequest,
          summary: 'List your signals, the newest first',
          querystring: Query,
          response: { 200: ListOf(SignalRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal, query }) => {
        const filter: SignalFilter = {}
        if (query.strategy_id !== undefined) filter.strategyId = query.strategy_id
        if (query.run_id !== undefined) filter.runId = query.run_id
        if (query.webhook_id !== undefined) filter.webhookId = query.webhook_id
        if (query.action !== undefined) filter.action = query.action
        if (query.since !== undefined) filter.since = readSince(query.since)
        return answerPage(query, {
          list: async (window) => (await signals.list(principal.userId, filter, window)).map(present),
          count: () => signals.count(principal.userId, filter),
        })
      },
    )
  }
}

/** The format allows what no `Date` holds, a leap second; and what no database does, the year 0. */
function readSince(text: string): Date {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) {
    const message = 'must be a date and time that exists'
    throw new AppError('request_invalid', `Invalid request: querystring.since ${message}.`, {
      details: [{ field: 'querystring.since', message }],
    })
  }
  return new Date(Math.max(0, atMs))
}

function present(signal: Signal) {
  return {
    id: signal.id,
    strategy_id: signal.strategyId,
    run_id: signal.runId,
    webhook_id: signal.webhookId,
    action: signal.action,
    symbols: signal.symbols,
    price: signal.price,
    options: signal.options,
    flag: signal.flag,
    sender: presentSender(signal.sender),
    delivered: signal.delivered,
    reason: signal.reason,
    created_at: signal.createdAt.toISOString(),
  }
}
