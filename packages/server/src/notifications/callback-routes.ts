import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, listRoute } from '../http/crud.ts'
import { errorResponses, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { CallbackHost, CallbackHosts } from './callback-hosts.ts'

const hostFields = {
  id: Type.Integer(),
  origin: Type.String({
    description: 'Scheme, host and port of the addresses, such as `https://example.com`.',
  }),
  failing_since: Nullable(Timestamp),
  created_at: Timestamp,
}
const HostRecord = Type.Object(hostFields)
const NewSecret = Type.Object({
  ...hostFields,
  secret: Type.String({ description: 'The secret to verify signatures with: `whsec_…`. Shown only once.' }),
})

const tags = ['Notifications']
const path = '/notification/callback'

/** Routes for the hosts to which senders of the caller's signals have callbacks sent. */
export function callbackRoutes(hosts: CallbackHosts, audit: AuditLog): Routes {
  return (scope) => {
    listHosts(scope, hosts)
    rotateSecret(scope, hosts, audit)
    deleteHost(scope, hosts, audit)
  }
}

function listHosts(scope: App, hosts: CallbackHosts): void {
  listRoute(scope, path, {
    tags,
    summary: 'List the hosts that receive callbacks of your signals',
    description:
      'A signal with a `callback` adds the host of that address. `failing_since` says since when the host accepts nothing.',
    item: HostRecord,
    list: async (userId, window) => (await hosts.list(userId, window)).map(presentHost),
    count: (userId) => hosts.count(userId),
  })
}

function rotateSecret(scope: App, hosts: CallbackHosts, audit: AuditLog): void {
  scope.post(
    `${path}/:id/rotate`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Create a new secret for a host that receives callbacks; only this response shows it',
        description:
          'The service signs callbacks from the first one on. To verify them, get a secret here. For one day, the service also signs with the previous one.',
        params: IdParameter,
        response: { 200: NewSecret, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async (request) => {
      const note = audit.note(request, 'endpoint_rotated')
      const { secret, ...host } = await hosts.rotate(request.principal.userId, request.params.id, note)
      return { ...presentHost(host), secret }
    },
  )
}

function deleteHost(scope: App, hosts: CallbackHosts, audit: AuditLog): void {
  deleteRoute(scope, path, {
    tags,
    summary: 'Delete a host that receives callbacks, and everything that waits for it',
    description: 'The next signal that names the host adds it again, with another secret.',
    delete: (userId, id, request) => hosts.delete(userId, id, audit.note(request, 'endpoint_deleted')),
  })
}

function presentHost({ id, origin, failingSince, createdAt }: CallbackHost) {
  return {
    id,
    origin,
    failing_since: failingSince?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  }
}
