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
import type { BotWebhooks } from './bot-webhooks.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { Deliveries, Delivery } from './deliveries.ts'
import type { Webhook, Webhooks, WebhookWish } from './webhooks.ts'

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

const WebhookRecord = Type.Object({
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

/** The webhooks of one kind, as their routes speak of them. `path` is under `/api/v2`. */
type Managed = { webhooks: Webhooks; path: string; tag: string; one: string }

export function dataWebhookRoutes(webhooks: DataWebhooks, deliveries: Deliveries): Routes {
  const manage = managementRoutes({
    webhooks,
    path: '/webhook/data',
    tag: 'Data webhooks',
    one: 'data webhook',
  })
  const read = deliveryRoutes(webhooks, deliveries)
  return (scope) => {
    manage(scope)
    read(scope)
  }
}

export function botWebhookRoutes(webhooks: BotWebhooks): Routes {
  return managementRoutes({ webhooks, path: '/webhook/bot', tag: 'Bot webhooks', one: 'bot webhook' })
}

function managementRoutes({ webhooks, path, tag, one }: Managed): Routes {
  const common = { tags: [tag], security: signedRequest }
  const present = (webhook: Webhook) => presentWebhook(webhook, webhooks.url(webhook))

  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: `List your ${one}s`,
          querystring: PageQuery,
          response: { 200: ListOf(WebhookRecord), ...errorResponses(400, 401, 500) },
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
          summary: `Make a ${one}; its URL is generated`,
          body: Wish,
          response: { 201: WebhookRecord, ...errorResponses(400, 401, 415, 500) },
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
          summary: `Read a ${one}`,
          params: IdParameter,
          response: { 200: WebhookRecord, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => present(await webhooks.get(principal.userId, params.id)),
    )

    scope.put(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: `Change a ${one}; what is left out stays`,
          params: IdParameter,
          body: Wish,
          response: { 200: WebhookRecord, ...errorResponses(400, 401, 404, 415, 500) },
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
          summary: `Switch a ${one} on or off`,
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
          summary: `Delete a ${one} that nothing uses`,
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 500) },
        },
      },
      async ({ principal, params }) => {
        await webhooks.delete(principal.userId, params.id)
        return { message: 'Success' as const }
      },
    )
  }
}

function deliveryRoutes(webhooks: DataWebhooks, deliveries: Deliveries): Routes {
  const common = { tags: ['Data webhooks'], security: signedRequest }

  return (scope) => {
    scope.get(
      '/webhook/data/:id/deliveries',
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

function presentWebhook(webhook: Webhook, url: string) {
  return {
    id: webhook.id,
    name: webhook.name,
    description: webhook.description,
    is_safe: webhook.isSafe,
    has_key: webhook.keyHash !== null,
    key_from: webhook.keyFrom,
    url,
    status: webhook.status,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
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
