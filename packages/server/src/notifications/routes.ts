import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { invalidField } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  Id,
  IdParameter,
  ListOf,
  Moment,
  Nullable,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'
import type { Notification, NotificationFilter, Notifications } from './notifications.ts'
import { bodyOf, publicId } from './parcel.ts'

const Subscribable = Type.Enum([
  'signal.created',
  'signal.failed',
  'order.settled',
  'order.unknown',
  'strategy.suspended',
  'run.failed',
  'approval.requested',
])
const EventName = Type.Enum([
  'signal.created',
  'signal.failed',
  'order.settled',
  'order.unknown',
  'strategy.suspended',
  'run.failed',
  'approval.requested',
  'test',
])

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  // No text in the database has a NUL.
  pattern: '^[^\\u0000-\\u0020]*$',
  description: 'The address that receives notifications, preferably https. Private addresses are refused.',
})
const Description = Type.String({ maxLength: 255, pattern: '^[^\\u0000]*$' })
const Events = Type.Array(Subscribable, {
  minItems: 1,
  maxItems: 6,
  uniqueItems: true,
  description: 'The events that this endpoint receives.',
})

const endpointFields = {
  id: Type.Integer(),
  url: Nullable(Type.String({ description: 'null if the service can no longer decrypt it.' })),
  description: Type.String(),
  events: Type.Array(Subscribable),
  status: Type.Enum(['ACTIVE', 'INACTIVE', 'DISABLED'], {
    description: 'The service sets `DISABLED` after 5 days without a success, or after a 410 response.',
  }),
  reason: Nullable(Type.String({ description: 'The reason why the endpoint is disabled.' })),
  failing_since: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}
const EndpointRecord = Type.Object(endpointFields)
const NewEndpoint = Type.Object({
  ...endpointFields,
  secret: Type.String({ description: 'The secret to verify signatures with: `whsec_…`. Shown only once.' }),
})

const DeliveryRecord = Type.Object({
  endpoint_id: Type.Integer(),
  status: Type.Enum(['WAITING', 'DELIVERED', 'FAILED']),
  attempts: Type.Integer(),
  last_status: Nullable(
    Type.Integer({ description: 'The HTTP status of the last response; null if there was none.' }),
  ),
  last_error: Nullable(Type.String()),
  last_attempt_at: Nullable(Timestamp),
  next_attempt_at: Nullable(Timestamp),
})

const NotificationRecord = Type.Object({
  id: Type.Integer(),
  webhook_id: Type.String({ description: 'The header `webhook-id`, the same for all attempts.' }),
  event: EventName,
  payload: Type.Object(
    { type: Type.String(), timestamp: Timestamp, data: Type.Object({}, { additionalProperties: true }) },
    { description: 'The body of the request to the endpoint.' },
  ),
  deliveries: Type.Array(DeliveryRecord),
  created_at: Timestamp,
})

const Query = Type.Object({
  ...PageQuery.properties,
  event: Type.Optional(EventName),
  since: Type.Optional(Moment('Lists only notifications from this time on.')),
})

const common = { tags: ['Notifications'], security: signedRequest }
const path = '/notification/endpoint'

/** Where a user is told of events. Secrets are shown when they are made, and never again. */
export function notificationEndpointRoutes(
  endpoints: Endpoints,
  notifications: Notifications,
  audit: AuditLog,
): Routes {
  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'List your notification endpoints',
          querystring: PageQuery,
          response: { 200: ListOf(EndpointRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) =>
        answerPage(query, {
          list: async (window) => (await endpoints.list(userId, window)).map(presentEndpoint),
          count: () => endpoints.count(userId),
        }),
    )

    scope.post(
      path,
      {
        schema: {
          ...common,
          summary: 'Create a notification endpoint; only this response shows its secret',
          body: Type.Object({
            url: Url,
            description: Type.Optional({ ...Description, default: '' }),
            events: Events,
          }),
          response: { 201: NewEndpoint, ...errorResponses(400, 401, 409, 413, 415, 500) },
        },
      },
      async (request, reply) => {
        const { url, description = '', events } = request.body
        const note = audit.note(request, 'endpoint_made')
        const { endpoint, secret } = await endpoints.create(
          request.principal.userId,
          { url, description, events },
          note,
        )
        return reply.code(201).send({ ...presentEndpoint(endpoint), secret })
      },
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Read a notification endpoint',
          params: IdParameter,
          response: { 200: EndpointRecord, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => presentEndpoint(await endpoints.get(principal.userId, params.id)),
    )

    scope.put(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Change a notification endpoint; only the given fields change',
          params: IdParameter,
          body: Type.Object({
            url: Type.Optional(Url),
            description: Type.Optional(Description),
            events: Type.Optional(Events),
          }),
          response: { 200: EndpointRecord, ...errorResponses(400, 401, 404, 413, 415, 500) },
        },
      },
      async ({ principal, params, body: { url, description, events } }) =>
        presentEndpoint(
          await endpoints.update(principal.userId, params.id, {
            ...(url === undefined ? {} : { url }),
            ...(description === undefined ? {} : { description }),
            ...(events === undefined ? {} : { events }),
          }),
        ),
    )

    scope.put(
      `${path}/:id/status`,
      {
        schema: {
          ...common,
          summary: 'Activate or deactivate a notification endpoint',
          description:
            '`ACTIVE` sends everything that waits for the endpoint. While it is `INACTIVE`, events are stored and can be recovered later.',
          params: IdParameter,
          body: Type.Object({ status: Type.Enum(['ACTIVE', 'INACTIVE']) }),
          response: { 200: EndpointRecord, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async ({ principal, params, body }) =>
        presentEndpoint(await endpoints.setStatus(principal.userId, params.id, body.status)),
    )

    scope.post(
      `${path}/:id/rotate`,
      {
        schema: {
          ...common,
          summary: 'Create a new secret for a notification endpoint; for one day, the old one signs too',
          params: IdParameter,
          response: { 200: NewEndpoint, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async (request) => {
        const note = audit.note(request, 'endpoint_rotated')
        const { endpoint, secret } = await endpoints.rotate(request.principal.userId, request.params.id, note)
        return { ...presentEndpoint(endpoint), secret }
      },
    )

    scope.post(
      `${path}/:id/test`,
      {
        schema: {
          ...common,
          summary: 'Send a test notification to an endpoint; its deliveries are listed like any other',
          params: IdParameter,
          response: { 201: NotificationRecord, ...errorResponses(400, 401, 404, 409, 429, 500) },
        },
      },
      async ({ principal, params }, reply) =>
        reply.code(201).send(presentNotification(await notifications.test(principal.userId, params.id))),
    )

    scope.post(
      `${path}/:id/recover`,
      {
        schema: {
          ...common,
          summary: 'Resend everything since a given time that an endpoint has not received',
          description: 'Oldest first, at most 10,000 per request. If `more` is true, send the request again.',
          params: IdParameter,
          body: Type.Object({ since: Moment('Lists only notifications from this time on.') }),
          response: {
            200: Type.Object({ queued: Type.Integer(), more: Type.Boolean() }),
            ...errorResponses(400, 401, 404, 409, 415, 500),
          },
        },
      },
      async ({ principal, params, body }) => {
        await endpoints.get(principal.userId, params.id)
        return notifications.recover(principal.userId, params.id, readMoment(body.since))
      },
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Delete a notification endpoint and everything that waits for it',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async (request) => {
        const note = audit.note(request, 'endpoint_deleted')
        await endpoints.delete(request.principal.userId, request.params.id, note)
        return { message: 'Success' as const }
      },
    )
  }
}

/** A user's notifications, kept for `RETENTION_DAYS`. */
export function notificationRoutes(notifications: Notifications): Routes {
  return (scope) => {
    scope.get(
      '/notification',
      {
        schema: {
          ...common,
          summary: 'List your notifications, newest first',
          querystring: Query,
          response: { 200: ListOf(NotificationRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const filter: NotificationFilter = {}
        if (query.event !== undefined) filter.type = query.event
        if (query.since !== undefined) filter.since = readMoment(query.since)
        return answerPage(query, {
          list: async (window) => (await notifications.list(userId, filter, window)).map(presentNotification),
          count: () => notifications.count(userId, filter),
        })
      },
    )

    scope.get(
      '/notification/:id',
      {
        schema: {
          ...common,
          summary: 'Read a notification with its deliveries',
          params: IdParameter,
          response: { 200: NotificationRecord, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) =>
        presentNotification(await notifications.get(principal.userId, params.id)),
    )

    scope.post(
      '/notification/:id/replay',
      {
        schema: {
          ...common,
          summary: 'Send a notification again, to one endpoint or to all that it was meant for',
          params: IdParameter,
          querystring: Type.Object({ endpoint_id: Type.Optional(Id) }),
          response: { 200: NotificationRecord, ...errorResponses(400, 401, 404, 409, 500) },
        },
      },
      async ({ principal, params, query }) =>
        presentNotification(await notifications.replay(principal.userId, params.id, query.endpoint_id)),
    )
  }
}

/** The format allows what no `Date` holds, a leap second; and what no database does, the year 0. */
function readMoment(text: string): Date {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw invalidField('since', 'must be a date and time that exists')
  return new Date(Math.max(0, atMs))
}

function presentEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events as Exclude<(typeof endpoint.events)[number], 'test'>[],
    status: endpoint.status,
    reason: endpoint.reason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  }
}

function presentNotification(notification: Notification) {
  const { id, uid, type, createdAt } = notification
  return {
    id,
    webhook_id: publicId(uid),
    event: type,
    payload: bodyOf(notification),
    deliveries: notification.deliveries.map((delivery) => ({
      endpoint_id: delivery.endpointId,
      status: delivery.status,
      attempts: delivery.attempts,
      last_status: delivery.lastStatus,
      last_error: delivery.lastError,
      last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
      next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    })),
    created_at: createdAt.toISOString(),
  }
}
