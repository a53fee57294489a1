import { type Static, Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { signedRequest } from '../http/authentication.ts'
import { allowMissingBody } from '../http/missing-body.ts'
import { errorResponses, Id, IdParameter, SuccessMessage, withoutNul } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { BotSignalStatus } from '../signals/schemas.ts'
import type { Closes, QueuedClose } from './closes.ts'

const path = '/bot/signal/cex/:id'
const tags = ['Signal bots']

const CloseRecord = Type.Object({
  id: Type.Integer({ description: "The id in the bot's list of signals." }),
  bot_id: Type.Integer(),
  signal_id: Type.Integer(),
  symbol: Type.String(),
  status: BotSignalStatus,
})
const Queued = Type.Object({
  ...SuccessMessage.properties,
  signals: Type.Array(CloseRecord, { description: 'The closes, one for each symbol.' }),
})
const Panicked = Type.Object({
  ...SuccessMessage.properties,
  bots: Type.Array(
    Type.Object({ id: Type.Integer(), name: Type.String(), symbols: Type.Array(Type.String()) }),
    { description: 'The bots that were switched off, or whose positions are being closed.' },
  ),
  signals: Type.Array(CloseRecord, { description: 'The closes, one for each bot and symbol.' }),
})

const CloseBody = Type.Partial(
  Type.Object({
    symbol: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: withoutNul,
      description: 'In any spelling. Default: all symbols.',
    }),
  }),
  // A misspelt symbol must not close everything.
  { additionalProperties: false, examples: [{ symbol: 'BTCUSDT' }] },
)
const SignalParameter = Type.Object({ id: Id, signal_id: Id })

/** Where owners close positions of their bots, and decide about closes that wait. */
export function closeRoutes(closes: Closes, audit: AuditLog): Routes {
  return (scope) => {
    closePositions(scope, closes, audit)
    proceed(scope, closes, audit)
    drop(scope, closes, audit)
    panic(scope, closes, audit)
  }
}

function closePositions(scope: App, closes: Closes, audit: AuditLog): void {
  scope.post(
    `${path}/close`,
    {
      preValidation: allowMissingBody,
      schema: {
        tags,
        security: signedRequest,
        summary: 'Close the positions of a signal bot',
        description:
          'Queues a close for one symbol or for all, behind the signals in progress, even if the bot is `INACTIVE`. A second call returns the same closes while they are open. Answers 409 if the bot holds nothing there.',
        params: IdParameter,
        body: CloseBody,
        response: { 200: Queued, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async (request) => {
      const { principal, params, body } = request
      const note = audit.note(request, 'positions_closed')
      const queued = await closes.close(principal.userId, params.id, body.symbol, note)
      return { message: 'Success' as const, signals: queued.map(present) }
    },
  )
}

function proceed(scope: App, closes: Closes, audit: AuditLog): void {
  scope.post(
    `${path}/signals/:signal_id/proceed`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Let a close that waits proceed',
        description:
          '`signal_id` is the `id` in the list of signals of the bot. The close keeps its age. Answers 409 if it has ended, or if the bot is `INACTIVE`.',
        params: SignalParameter,
        response: { 200: CloseRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async (request) => {
      const { id, signal_id } = request.params
      const note = audit.note(request, 'close_proceeded')
      return present(await closes.proceed(request.principal.userId, id, signal_id, note))
    },
  )
}

function drop(scope: App, closes: Closes, audit: AuditLog): void {
  scope.post(
    `${path}/signals/:signal_id/drop`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Call off a close that waits or is tried again, or a delayed signal',
        description:
          '`signal_id` is the `id` in the list of signals of the bot. The position stays as it is. Answers 409 if the signal has ended, or has an order at the exchange now.',
        params: SignalParameter,
        response: { 200: CloseRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async (request) => {
      const { id, signal_id } = request.params
      const note = audit.note(request, 'close_dropped')
      return present(await closes.drop(request.principal.userId, id, signal_id, note))
    },
  )
}

function panic(scope: App, closes: Closes, audit: AuditLog): void {
  scope.post(
    '/trading/panic',
    {
      schema: {
        tags: ['Trading'],
        security: signedRequest,
        summary: 'Switch off all your bots and close all their positions',
        description:
          'Applies to your own bots only. It stops their openings, and queues a close for each position, which the bots follow although they are `INACTIVE`. You can call it again at any time.',
        response: { 200: Panicked, ...errorResponses(401, 500) },
      },
    },
    async (request) => {
      const all = await closes.panic(request.principal.userId, audit.note(request, 'panic'))
      return {
        message: 'Success' as const,
        bots: all.map(({ id, name, closes: own }) => ({
          id,
          name,
          symbols: own.map(({ symbol }) => symbol),
        })),
        signals: all.flatMap(({ closes: own }) => own.map(present)),
      }
    },
  )
}

function present({ id, botId, signalId, symbol, status }: QueuedClose): Static<typeof CloseRecord> {
  return { id, bot_id: botId, signal_id: signalId, symbol, status }
}
