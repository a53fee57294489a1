import { type Static, Type } from 'typebox'
import { SenderRecord } from '../accounts/sender.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { getRoute, searchRoute } from '../http/crud.ts'
import { readSpan } from '../http/moments.ts'
import { answerEvents } from '../http/paging.ts'
import {
  EventQuery,
  EventsOf,
  errorResponses,
  Id,
  IdParameter,
  Nullable,
  SearchQuery,
  SoughtText,
  Timestamp,
} from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { presentPost } from './accepted-post.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { Deliveries, Delivery, DeliveryFilter } from './deliveries.ts'

const DeliveryRecord = Type.Object({
  id: Type.Integer(),
  webhook_id: Type.Integer(),
  received_at: Timestamp,
  body: Nullable(
    Type.String({
      description:
        'Byte for byte as the sender posted it. null in a list that would otherwise have more than 16 MB of bodies: then read the delivery itself.',
    }),
  ),
  headers: Type.Record(Type.String(), Type.String()),
  ip: Type.String(),
  sender: SenderRecord,
  idempotency_key: Type.Union([Type.String(), Type.Null()]),
  reactions: Type.Integer({
    description: 'How many reactions it triggered, including those of other users.',
  }),
  runs: Type.Array(
    Type.Object({
      id: Type.Integer(),
      strategy_id: Type.Integer(),
      trigger: Type.String(),
      status: Type.String(),
    }),
    { description: 'The runs of your own reactions.' },
  ),
})

const DeliveryQuery = Type.Object({
  ...SearchQuery.properties,
  webhook_id: Type.Optional(Id),
  strategy_id: Type.Optional({ ...Id, description: 'Only deliveries that this reaction has a run for.' }),
  status: Type.Optional(
    Type.Enum(['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'VIOLATION', 'SKIPPED'], {
      description: 'Only deliveries with a run of this status.',
    }),
  ),
  trigger: Type.Optional(
    Type.Enum(['webhook', 'replay'], {
      description: 'Only deliveries with such a run: `replay` finds those that you have replayed.',
    }),
  ),
  q: Type.Optional(SoughtText('the payload')),
})

type On = { webhooks: DataWebhooks; deliveries: Deliveries }

const tags = ['Data webhooks']

/** Routes of the payloads that data webhooks have accepted. */
export function deliveryRoutes(webhooks: DataWebhooks, deliveries: Deliveries): Routes {
  const on = { webhooks, deliveries }
  return (scope) => {
    listDeliveries(scope, on)
    searchDeliveries(scope, on)
    readDelivery(scope, on)
    replayDelivery(scope, on)
  }
}

function listDeliveries(scope: App, { webhooks, deliveries }: On): void {
  scope.get(
    '/webhook/data/:id/deliveries',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'List the deliveries of a data webhook, newest first',
        description:
          'A delivery is an accepted payload with its headers, its sender and the runs that it triggered. The service deletes old deliveries after the configured retention.',
        params: IdParameter,
        querystring: EventQuery,
        response: { 200: EventsOf(DeliveryRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params, query }) => {
      const webhook = await webhooks.get(principal.userId, params.id)
      return answerEvents(query, {
        list: async (window) =>
          (await deliveries.list(principal.userId, webhook.id, window)).map(presentDelivery),
        count: () => deliveries.count(webhook.id),
      })
    },
  )
}

function searchDeliveries(scope: App, { deliveries }: On): void {
  searchRoute(scope, '/delivery', {
    tags,
    summary: 'List the deliveries of all your data webhooks, newest first',
    description:
      'Filters look at the newest 5,000 deliveries of the range at most, `strategy_id`, `status` and `trigger` at 2,000, and `q` at 800.',
    item: DeliveryRecord,
    query: DeliveryQuery,
    find: async (userId, window, query) => {
      const { items, ...found } = await deliveries.find(userId, filterOf(query), window)
      return { items: items.map(presentDelivery), ...found }
    },
  })
}

function filterOf(query: Static<typeof DeliveryQuery>): DeliveryFilter {
  const { status, trigger, strategy_id: strategyId, webhook_id: webhookId, q: text } = query
  return { ...given({ status, trigger, strategyId, webhookId, text }), ...readSpan(query) }
}

function readDelivery(scope: App, { deliveries }: On): void {
  getRoute(scope, '/delivery', {
    tags,
    summary: 'Read a delivery',
    description: 'The response always has the body, however large it is.',
    item: DeliveryRecord,
    get: async (userId, id) => presentDelivery(await deliveries.get(userId, id)),
  })
}

function replayDelivery(scope: App, { deliveries }: On): void {
  scope.post(
    '/delivery/:id/replay',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Run a stored payload again',
        description:
          'The service queues a run for each of your reactions that is active on this webhook now. Reactions of other users do not run again.',
        params: IdParameter,
        response: {
          202: Type.Object({ id: Type.Integer(), reactions: Type.Integer() }),
          ...errorResponses(400, 401, 404, 429, 500),
        },
      },
    },
    async ({ principal, params }, reply) => {
      const reactions = await deliveries.replay(principal.userId, params.id)
      return reply.code(202).send({ id: params.id, reactions })
    },
  )
}

/** A delivery as the API and live streams show it. */
export function presentDelivery(delivery: Delivery): Static<typeof DeliveryRecord> {
  return {
    ...presentPost(delivery),
    reactions: delivery.reactions,
    runs: delivery.runs.map(({ id, strategyId, trigger, status }) => ({
      id,
      strategy_id: strategyId,
      trigger,
      status,
    })),
  }
}
