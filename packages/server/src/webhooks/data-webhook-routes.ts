import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  IdParameter,
  ListOf,
  Nullable,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { DataWebhook, DataWebhooks, WebhookWish } from './data-webhooks.ts'
import type { Deliveries, Delivery } from './deliveries.ts'

const Status = Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')])
const KeyFrom = Type.Union([Type.Literal('header'), Type.Literal('header_or_body')], {
  description: '`header_or_body` also takes a top-level `key` of the payload, and takes it out.',
})

const settable = {
  name: Type.String({ maxLength: 255 }),
  description: Type.String({ maxLength: 255 }),
  is_safe: Type.Boolean({ description: 'Key protection: every payload must carry the password.' }),
  key_from: KeyFrom,
}

const Wish = Type.Partial(
  Type.Object({
    ...settable,
    status: Status,
    has_key: Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Boolean()], {
      description: 'The password. A boolean, as responses have it, changes nothing.',
    }),
  }),
)

const Webhook = Type.Object({
  id: Type.Integer(),
  ...settable,
  has_key: Type.Boolean(),
  url: Type.String({ description: 'Where senders post. Keep it secret.' }),
  status: Status,
  created_at: Timestamp,
  updated_at: Timestamp,
})

const DeliveryRecord = Type.Object({
  id: Type.Integer(),
  webhook_id: Type.Integer(),
  received_at: Timestamp,
  body: Nullable(
    Type.String({
      description:
        'Byte for byte as it came. null where a list would have more than 16 MB of bodies: read the delivery itself.',
    }),
  ),
  headers: Type.Record(Type.String(), Type.String()),
  ip: Type.String(),
  sender: Type.Literal('owner', { description: 'Through whose URL it came.' }),
  idempotency_key: Type.Union([Type.String(), Type.Null()]),
  reactions: Type.Integer(),
  runs: Type.Array(
    Type.Object({
      id: Type.Integer(),
      strategy_id: Type.Integer(),
      trigger: Type.String(),
      status: Type.String(),
    }),
  ),
})

const common = { tags: ['Data webhooks'], security: signedRequest }
const path = '/webhook/data'

export function dataWebhookRoutes(webhooks: DataWebhooks, deliveries: Deliveries): Routes {
  const present = (webhook: DataWebhook) => ({
    id: webhook.id,
    name: webhook.name,
    description: webhook.description,
    is_safe: webhook.isSafe,
    has_key: webhook.keyHash !== null,
    key_from: webhook.keyFrom,
    url: webhooks.url(webhook),
    status: webhook.status,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  })

  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'List your data webhooks',
          querystring: PageQuery,
          response: { 200: ListOf(Webhook), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal, query }) =>
        answerPage(query, {
          list: async (window) => (await webhooks.list(principal.userId, window)).map(present),
          count: () => webhooks.count(principal.userId),
        }),
    )

    scope.post(
      path,
      {
        schema: {
          ...common,
          summary: 'Make a data webhook; its URL is generated',
          body: Wish,
          response: { 201: Webhook, ...errorResponses(400, 401, 415, 500) },
        },
      },
      async ({ principal, body }, reply) =>
        reply.code(201).send(present(await webhooks.create(principal.userId, readWish(body)))),
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Read a data webhook',
          params: IdParameter,
          response: { 200: Webhook, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => present(await webhooks.get(principal.userId, params.id)),
    )

    scope.put(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Change a data webhook; what is left out stays',
          params: IdParameter,
          body: Wish,
          response: { 200: Webhook, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async ({ principal, params, body }) =>
        present(await webhooks.change(principal.userId, params.id, readWish(body))),
    )

    scope.put(
      `${path}/:id/status`,
      {
        schema: {
          ...common,
          summary: 'Switch a data webhook on or off',
          params: IdParameter,
          body: Type.Object({ status: Status }),
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async ({ principal, params, body }) => {
        await webhooks.change(principal.userId, params.id, { status: body.status })
        return { message: 'Success' as const }
      },
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Delete a data webhook that no reaction uses',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 500) },
        },
      },
      async ({ principal, params }) => {
        await webhooks.delete(principal.userId, params.id)
        return { message: 'Success' as const }
      },
    )

    scope.get(
      `${path}/:id/deliveries`,
      {
        schema: {
          ...common,
          summary: 'List what a data webhook took in, the newest first',
          params: IdParameter,
          querystring: PageQuery,
          response: { 200: ListOf(DeliveryRecord), ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params, query }) => {
        const webhook = await webhooks.get(principal.userId, params.id)
        return answerPage(query, {
          list: async (window) => (await deliveries.list(webhook.id, window)).map(presentDelivery),
          count: () => deliveries.count(webhook.id),
        })
      },
    )

    scope.get(
      '/delivery/:id',
      {
        schema: {
          ...common,
          summary: 'Read a delivery',
          params: IdParameter,
          response: { 200: DeliveryRecord, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => presentDelivery(await deliveries.get(principal.userId, params.id)),
    )

    scope.post(
      '/delivery/:id/replay',
      {
        schema: {
          ...common,
          summary: 'Run a stored payload again, for each reaction that is active now',
          params: IdParameter,
          response: {
            202: Type.Object({ id: Type.Integer(), reactions: Type.Integer() }),
            ...errorResponses(400, 401, 404, 500),
          },
        },
      },
      async ({ principal, params }, reply) => {
        const reactions = await deliveries.replay(principal.userId, params.id)
        return reply.code(202).send({ id: params.id, reactions })
      },
    )
  }
}

function readWish(body: Type.Static<typeof Wish>): WebhookWish {
  const wish: WebhookWish = {}
  if (body.name !== undefined) wish.name = body.name
  if (body.description !== undefined) wish.description = body.description
  if (body.is_safe !== undefined) wish.isSafe = body.is_safe
  if (typeof body.has_key === 'string') wish.key = body.has_key
  if (body.key_from !== undefined) wish.keyFrom = body.key_from
  if (body.status !== undefined) wish.status = body.status
  return wish
}

function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    received_at: delivery.receivedAt.toISOString(),
    body: delivery.body,
    headers: delivery.headers,
    ip: delivery.ip,
    sender: 'owner' as const,
    idempotency_key: delivery.idempotencyKey,
    reactions: delivery.reactions,
    runs: delivery.runs.map(({ id, strategyId, trigger, status }) => ({
      id,
      strategy_id: strategyId,
      trigger,
      status,
    })),
  }
}
