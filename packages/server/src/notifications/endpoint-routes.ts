import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { errorResponses, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { EndpointBody, EndpointChange, endpointFields } from './endpoint-fields.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'

const shown = {
  ...endpointFields,
  muted_until: Nullable({
    ...Timestamp,
    description:
      'Until then, messages come without a sound, except about urgent events: see `/mute` of the Telegram bot.',
  }),
  failing_since: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}
const EndpointRecord = Type.Object(shown)
const RotatedEndpoint = Type.Object({
  ...shown,
  secret: Type.String({ description: 'The secret to verify signatures with: `whsec_…`. Shown only once.' }),
})
const NewEndpoint = Type.Object({
  ...shown,
  secret: Nullable(
    Type.String({
      description: 'Of the kind webhook: the secret to verify signatures with, `whsec_…`. Shown only once.',
    }),
  ),
})

const tags = ['Notifications']
const common = { tags, security: signedRequest }
const path = '/notification/endpoint'

/** Routes for the addresses that receive the caller's notifications. A secret is shown when it is made, and never again. */
export function notificationEndpointRoutes(endpoints: Endpoints, audit: AuditLog): Routes {
  const parts = { endpoints, audit }
  return (scope) => {
    listEndpoints(scope, parts)
    createEndpoint(scope, parts)
    readEndpoint(scope, parts)
    changeEndpoint(scope, parts)
    setEndpointStatus(scope, parts)
    rotateSecret(scope, parts)
    deleteEndpoint(scope, parts)
  }
}

type Parts = { endpoints: Endpoints; audit: AuditLog }

function listEndpoints(scope: App, { endpoints }: Parts): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your notification endpoints',
    description: 'In order of id, with the state of each: whether it receives, and since when it fails.',
    item: EndpointRecord,
    list: async (userId, window) => (await endpoints.list(userId, window)).map(presentEndpoint),
    count: (userId) => endpoints.count(userId),
  })
}

function createEndpoint(scope: App, { endpoints, audit }: Parts): void {
  scope.post(
    path,
    {
      schema: {
        ...common,
        summary: 'Create a notification endpoint; only this response shows its secret',
        description:
          'The service sends the given events there from now on: to a webhook as JSON, signed as Standard Webhooks does, and to other kinds as a short message.',
        body: EndpointBody,
        response: { 201: NewEndpoint, ...errorResponses(400, 401, 409, 413, 415, 500) },
      },
    },
    async (request, reply) => {
      const {
        kind = 'webhook',
        description = '',
        events,
        silent,
        quiet_hours,
        digest,
        ...fields
      } = request.body
      const note = audit.note(request, 'endpoint_made')
      const settings = {
        ...{ kind, fields: given(fields), description, events },
        ...given({ silent, quietHours: quiet_hours, digest }),
      }
      const { endpoint, secret } = await endpoints.create(request.principal.userId, settings, note)
      return reply.code(201).send({ ...presentEndpoint(endpoint), secret })
    },
  )
}

function readEndpoint(scope: App, { endpoints }: Parts): void {
  getRoute(scope, path, {
    tags,
    summary: 'Read a notification endpoint',
    description: '`reason` says why the service has disabled it, if it has.',
    item: EndpointRecord,
    get: async (userId, id) => presentEndpoint(await endpoints.get(userId, id)),
  })
}

function changeEndpoint(scope: App, { endpoints, audit }: Parts): void {
  scope.put(
    `${path}/:id`,
    {
      schema: {
        ...common,
        summary: 'Change a notification endpoint; only the given fields change',
        description:
          'Its kind and its secrets stay. `null` removes a field. Notifications that already wait go to the new address.',
        params: IdParameter,
        body: EndpointChange,
        response: { 200: EndpointRecord, ...errorResponses(400, 401, 404, 413, 415, 500) },
      },
    },
    async (request) => {
      const { description, events, silent, quiet_hours, digest, ...fields } = request.body
      const changes = {
        fields: given(fields),
        ...given({ description, events, silent, quietHours: quiet_hours, digest }),
      }
      const note = audit.note(request, 'endpoint_changed')
      const { principal, params } = request
      return presentEndpoint(await endpoints.update(principal.userId, params.id, changes, note))
    },
  )
}

function setEndpointStatus(scope: App, { endpoints }: Parts): void {
  scope.put(
    `${path}/:id/status`,
    {
      schema: {
        ...common,
        summary: 'Activate or deactivate a notification endpoint',
        description:
          '`ACTIVE` sends everything that waits for the endpoint. While it is `INACTIVE`, events are stored and can be recovered later.',
        params: IdParameter,
        body: Type.Object(
          { status: Type.Enum(['ACTIVE', 'INACTIVE']) },
          { examples: [{ status: 'ACTIVE' }] },
        ),
        response: { 200: EndpointRecord, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) =>
      presentEndpoint(await endpoints.setStatus(principal.userId, params.id, body.status)),
  )
}

function rotateSecret(scope: App, { endpoints, audit }: Parts): void {
  scope.post(
    `${path}/:id/rotate`,
    {
      schema: {
        ...common,
        summary: 'Create a new secret for a notification endpoint; only this response shows it',
        description:
          'Only of the kind webhook. For one day, the service signs each notification with the old and the new secret, so that you can change it without a gap.',
        params: IdParameter,
        response: { 200: RotatedEndpoint, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async (request) => {
      const note = audit.note(request, 'endpoint_rotated')
      const { endpoint, secret } = await endpoints.rotate(request.principal.userId, request.params.id, note)
      return { ...presentEndpoint(endpoint), secret }
    },
  )
}

function deleteEndpoint(scope: App, { endpoints, audit }: Parts): void {
  deleteRoute(scope, path, {
    tags,
    summary: 'Delete a notification endpoint and everything that waits for it',
    description: 'The notifications themselves stay listed. To pause an endpoint, set its status instead.',
    delete: (userId, id, request) => endpoints.delete(userId, id, audit.note(request, 'endpoint_deleted')),
  })
}

type Subscribed = Exclude<Endpoint['events'][number], 'signal.ended' | 'digest' | 'test'>

function presentEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    kind: endpoint.kind,
    receiver: endpoint.receiver,
    url: endpoint.url,
    chat_id: endpoint.chatId,
    thread_id: endpoint.threadId,
    device: endpoint.device,
    description: endpoint.description,
    events: endpoint.events as Subscribed[],
    silent: endpoint.silent as Subscribed[],
    quiet_hours: endpoint.quietHours,
    digest: endpoint.digest,
    status: endpoint.status,
    reason: endpoint.reason,
    muted_until: endpoint.mutedUntil?.toISOString() ?? null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  }
}
