import { type Static, Type } from 'typebox'
import { SenderRecord } from '../accounts/sender.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerEvents } from '../http/paging.ts'
import {
  EventQuery,
  EventsOf,
  errorResponses,
  Id,
  IdParameter,
  Nullable,
  Timestamp,
} from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { presentFlags, SignalAction, SignalOptions, shownFlags } from '../signals/schemas.ts'
import { presentPost } from './accepted-post.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import { CallbackRecord, presentCallback } from './callbacks/states.ts'
import type { SignalDeliveries, SignalDelivery } from './signal-deliveries.ts'

const SignalDeliveryRecord = Type.Object({
  id: Type.Integer({ description: 'The id in the answer to the sender, which is that of the signal too.' }),
  webhook_id: Type.Integer(),
  received_at: Timestamp,
  body: Nullable(
    Type.String({
      description:
        'Byte for byte as the sender posted it, without its `key` and `callback`. null in a list that would otherwise have more than 16 MB of bodies: then read the delivery itself.',
    }),
  ),
  headers: Type.Record(Type.String(), Type.String()),
  ip: Type.String({ description: 'Empty if the sender had ended the connection.' }),
  sender: SenderRecord,
  idempotency_key: Nullable(Type.String()),
  bots: Type.Integer({ description: 'How many bots took the signal, including those of other users.' }),
  signal: Type.Object(
    {
      id: Type.Integer(),
      action: SignalAction,
      symbols: Type.Array(Type.String()),
      options: SignalOptions,
      ...shownFlags,
      delivered: Type.Boolean({ description: 'Whether a bot took it.' }),
      reason: Nullable(Type.String({ description: 'Why no bot took it; null if one did.' })),
    },
    { description: 'The signal that came of it.' },
  ),
  callback: Nullable(CallbackRecord),
})

const DeliveryParameters = Type.Object({ id: Id, delivery_id: Id })

type On = { webhooks: BotWebhooks; deliveries: SignalDeliveries }

const tags = ['Bot webhooks']

/** Routes of the posts that bot webhooks have accepted. */
export function signalDeliveryRoutes(webhooks: BotWebhooks, deliveries: SignalDeliveries): Routes {
  return (scope) => {
    listDeliveries(scope, { webhooks, deliveries })
    readDelivery(scope, { webhooks, deliveries })
  }
}

function listDeliveries(scope: App, { webhooks, deliveries }: On): void {
  scope.get(
    '/webhook/bot/:id/deliveries',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'List the deliveries of a bot webhook, newest first',
        description:
          'A delivery is an accepted post with its headers, its sender and the signal that came of it. The service deletes old deliveries after the configured retention, but no signals.',
        params: IdParameter,
        querystring: EventQuery,
        response: { 200: EventsOf(SignalDeliveryRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params, query }) => {
      const { id } = await webhooks.get(principal.userId, params.id)
      return answerEvents(query, {
        list: async (window) => (await deliveries.list(id, window)).map(present),
        count: () => deliveries.count(id),
      })
    },
  )
}

function readDelivery(scope: App, { deliveries }: On): void {
  scope.get(
    '/webhook/bot/:id/deliveries/:delivery_id',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Read a delivery of a bot webhook',
        description: 'The response always has the body, however large it is.',
        params: DeliveryParameters,
        response: { 200: SignalDeliveryRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) =>
      present(await deliveries.get(principal.userId, params.id, params.delivery_id)),
  )
}

function present(delivery: SignalDelivery): Static<typeof SignalDeliveryRecord> {
  return {
    ...presentPost(delivery),
    bots: delivery.bots,
    signal: { ...delivery.signal, ...presentFlags(delivery.signal) },
    callback: delivery.callback && presentCallback(delivery.callback),
  }
}
