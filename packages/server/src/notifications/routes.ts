import { Type } from 'typebox'
import { invalidField } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { eventsRoute, getRoute } from '../http/crud.ts'
import { EventQuery, errorResponses, Id, IdParameter, Moment, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { Notification, NotificationFilter, Notifications } from './notifications.ts'
import { bodyOf, publicId } from './parcel.ts'
import { EventName } from './schemas.ts'

const Since = Moment('Only notifications from this time on.')

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
  ...EventQuery.properties,
  event: Type.Optional(EventName),
  since: Type.Optional(Since),
})

const tags = ['Notifications']
const path = '/notification'

/** Routes for the caller's notifications, which the service keeps for `RETENTION_DAYS`. */
export function notificationRoutes(notifications: Notifications): Routes {
  return (scope) => {
    listNotifications(scope, notifications)
    readNotification(scope, notifications)
    replayNotification(scope, notifications)
    sendTest(scope, notifications)
    recoverMissed(scope, notifications)
  }
}

function listNotifications(scope: App, notifications: Notifications): void {
  eventsRoute(scope, path, {
    tags,
    summary: 'List your notifications, newest first',
    description: 'With the state of each delivery. `event` and `since` filter the list.',
    item: NotificationRecord,
    query: Query,
    list: async (userId, window, query) =>
      (await notifications.list(userId, filterOf(query), window)).map(presentNotification),
    count: (userId, query) => notifications.count(userId, filterOf(query)),
  })
}

function readNotification(scope: App, notifications: Notifications): void {
  getRoute(scope, path, {
    tags,
    summary: 'Read a notification with its deliveries',
    description: '`payload` is the body that endpoints receive; `deliveries` says what each answered last.',
    item: NotificationRecord,
    get: async (userId, id) => presentNotification(await notifications.get(userId, id)),
  })
}

function replayNotification(scope: App, notifications: Notifications): void {
  scope.post(
    `${path}/:id/replay`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Send a notification again, to one endpoint or to all that it was meant for',
        description: 'It keeps its `webhook-id`, so that a receiver can recognise the repetition.',
        params: IdParameter,
        querystring: Type.Object({ endpoint_id: Type.Optional(Id) }),
        response: { 200: NotificationRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async ({ principal, params, query }) =>
      presentNotification(await notifications.replay(principal.userId, params.id, query.endpoint_id)),
  )
}

function sendTest(scope: App, notifications: Notifications): void {
  scope.post(
    `${path}/endpoint/:id/test`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Send a test notification to an endpoint',
        description: 'Its deliveries are listed like any other. The endpoint must be `ACTIVE`.',
        params: IdParameter,
        response: { 201: NotificationRecord, ...errorResponses(400, 401, 404, 409, 429, 500) },
      },
    },
    async ({ principal, params }, reply) =>
      reply.code(201).send(presentNotification(await notifications.test(principal.userId, params.id))),
  )
}

function recoverMissed(scope: App, notifications: Notifications): void {
  scope.post(
    `${path}/endpoint/:id/recover`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Resend everything since a given time that an endpoint has not received',
        description: 'Oldest first, at most 10,000 per request. If `more` is true, send the request again.',
        params: IdParameter,
        body: Type.Object({ since: Since }, { examples: [{ since: '2026-01-31T12:00:00Z' }] }),
        response: {
          200: Type.Object({ queued: Type.Integer(), more: Type.Boolean() }),
          ...errorResponses(400, 401, 404, 409, 415, 500),
        },
      },
    },
    ({ principal, params, body }) =>
      notifications.recover(principal.userId, params.id, readMoment(body.since)),
  )
}

function filterOf({
  event,
  since,
}: {
  event?: NotificationFilter['type']
  since?: string
}): NotificationFilter {
  return given({ type: event, since: since === undefined ? undefined : readMoment(since) })
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

/**
 * Reads a time. The format allows a leap second, which no `Date` holds, and the year 0, which no database stores.
 * @throws {AppError} 400 for a time that does not exist
 */
function readMoment(text: string): Date {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw invalidField('since', 'must be a date and time that exists')
  return new Date(Math.max(0, atMs))
}
