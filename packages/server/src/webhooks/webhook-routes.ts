import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { presentSender, SenderRecord } from '../accounts/sender.ts'
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
import type { Webhook } from './webhook-kind.ts'
import { presentWebhook, Status, settable, WebhookRecord } from './webhook-record.ts'
import type { Webhooks, WebhookWish } from './webhooks.ts'

const Wish = Type.Partial(
  Type.Object({
    ...settable,
    status: Status,
    has_key: Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Boolean()], {
      description: 'The password. A boolean, as responses have it, changes nothing.',
    }),
  }),
)

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
  sender: SenderRecord,
  idempotency_key: Type.Union([Type.String(), Type.Null()]),
  reactions: Type.Integer({ description: 'How many it was handed to, those of other users included.' }),
  runs: Type.Array(
    Type.Object({
      id: Type.Integer(),
      strategy_id: Type.Integer(),
      trigger: Type.String(),
      status: Type.String(),
    }),
    { description: 'Those of your reactions.' },
  ),
})

/** The webhooks of one kind, as their routes speak of them. `path` is under `/api/v2`. */
type Managed = { webhooks: Webhooks; audit: AuditLog; path: string; tag: string; one: string }

export function dataWebhookRoutes(webhooks: DataWebhooks, deliveries: Deliveries, audit: AuditLog): Routes {
  const manage = managementRoutes({
    webhooks,
    audit,
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

export function botWebhookRoutes(webhooks: BotWebhooks, audit: AuditLog): Routes {
  return managementRoutes({ webhooks, audit, path: '/webhook/bot', tag: 'Bot webhooks', one: 'bot webhook' })
}

function managementRoutes({ webhooks, audit, path, tag, one }: Managed): Routes {
  const common = { tags: [tag], security: signedRequest }
  const present = (webhook: Webhook) => presentWebhook(webhook, webhooks.url(webhook))
  const recordKey = async (
    { principal: { userId }, ip }: FastifyRequest,
    { key }: WebhookWish,
    { id, name }: Webhook,
  ) => {
    if (key === undefined) return
    await audit.record(userId, 'webhook_key_changed', { userId, ip }, { kind: one, webhook_id: id, name })
  }

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
          response: { 201: WebhookRecord, ...errorResponses(400, 401, 409, 415, 500) },
        },
      },
      async (request, reply) => {
        const wish = readWish(request.body)
        const made = await webhooks.create(request.principal.userId, wish)
        await recordKey(request, wish, made)
        return reply.code(201).send(present(made))
      },
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
      async (request) => {
        const wish = readWish(request.body)
        const changed = await webhooks.change(request.principal.userId, request.params.id, wish)
        await recordKey(request, wish, changed)
        return present(changed)
      },
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
          list: async (window) =>
            (await deliveries.list(principal.userId, webhook.id, window)).map(presentDelivery),
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
          summary: 'Run a stored payload again, for each reaction of yours that is active now',
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
    sender: presentSender(
      delivery.senderId === null ? null : { userId: delivery.senderId, email: delivery.senderEmail },
    ),
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
