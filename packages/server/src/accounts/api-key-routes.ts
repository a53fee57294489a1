import { Type } from 'typebox'
import { invalidField } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, listRoute } from '../http/crud.ts'
import { allowMissingBody } from '../http/missing-body.ts'
import { errorResponses, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { ApiKeyRow, ApiKeys, NewApiKey } from './api-keys.ts'
import type { AuditLog } from './audit-log.ts'
import { mcpTokenOf } from './mcp-token.ts'

const Name = Type.String({ minLength: 1, maxLength: 255 })
const Algorithm = Type.Union([Type.Literal('HMAC'), Type.Literal('ML-DSA')])
const PublicKey = Type.String({
  maxLength: 4096,
  description: 'Your own ML-DSA-44 public key in Base64: 1,312 bytes raw, or SPKI.',
})
const Mcp = Type.Union([Type.Literal('read'), Type.Literal('write')], {
  description: 'What agents that use this key by MCP may do. Default read.',
})
const Idempotency = Type.Union([Type.Literal('optional'), Type.Literal('required')], {
  description:
    'Whether changing requests that are signed with this key need the header Idempotency-Key. Default optional.',
})
const Scope = Type.Union([Type.Literal('all'), Type.Literal('read'), Type.Literal('deploy')], {
  description:
    'What requests that are signed with this key may do. `read`: change nothing. `deploy`: also change strategies, webhooks and test payloads, start backtests, and switch nothing on. Both get the URLs of webhooks without their secret part. Default all.',
})

const ApiKey = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  algorithm: Algorithm,
  api_key: Type.String({ description: 'The public half, for the header api-key.' }),
  mcp: Mcp,
  idempotency: Idempotency,
  scope: Scope,
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  rotated_at: Nullable(Timestamp),
})

const CreatedApiKey = Type.Object({
  ...ApiKey.properties,
  api_secret: Type.Optional(
    Type.String({
      description:
        'Shown only once: an HMAC secret, or an ML-DSA-44 private key as Base64 of PKCS#8. Absent if you sent your own public key.',
    }),
  ),
  mcp_token: Type.Optional(
    Type.String({
      description:
        'Shown only once: the bearer token for agents at /mcp. Only keys with an HMAC secret have one.',
    }),
  ),
})

const tags = ['API keys']
const path = '/api/key'

/** Routes for the API keys of the caller. A secret is shown when it is made, and never again. */
export function apiKeyRoutes(keys: ApiKeys, audit: AuditLog): Routes {
  const parts = { keys, audit }
  return (scope) => {
    listApiKeys(scope, parts)
    createApiKey(scope, parts)
    changeApiKey(scope, parts)
    rotateApiKey(scope, parts)
    revokeApiKey(scope, parts)
  }
}

type Parts = { keys: ApiKeys; audit: AuditLog }

function listApiKeys(scope: App, { keys }: Parts): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your API keys',
    description: 'In order of id. Secrets are never included.',
    item: ApiKey,
    list: async (userId, window) => (await keys.list(userId, window)).map(present),
    count: (userId) => keys.count(userId),
  })
}

function createApiKey(scope: App, { keys, audit }: Parts): void {
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Create an API key; only this response shows its secret',
        description:
          'The service cannot show the secret again: if you lose it, rotate the key. For ML-DSA, send your own public key, or let the service create the pair.',
        body: Type.Object(
          {
            name: Name,
            algorithm: Algorithm,
            public_key: Type.Optional(PublicKey),
            mcp: Type.Optional(Mcp),
            idempotency: Type.Optional(Idempotency),
            scope: Type.Optional(Scope),
          },
          { examples: [{ name: 'Laptop', algorithm: 'HMAC' }] },
        ),
        response: { 201: CreatedApiKey, ...errorResponses(400, 401, 409, 415, 500) },
      },
    },
    async (request, reply) => {
      const { name, algorithm, public_key: publicKey, mcp, idempotency, scope } = request.body
      const settings = given({ name, algorithm, publicKey, mcp, idempotency, scope })
      const note = audit.note(request, 'api_key_made')
      const created = await keys.create(request.principal.userId, settings, note)
      return reply.code(201).send(presentNew(created))
    },
  )
}

function changeApiKey(scope: App, { keys, audit }: Parts): void {
  scope.put(
    `${path}/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Change an API key; only the given fields change',
        description:
          'Renames the key, or sets what requests and agents may do with it and whether it requires an Idempotency-Key. At least one field is required.',
        params: IdParameter,
        body: Type.Object(
          {
            name: Type.Optional(Name),
            mcp: Type.Optional(Mcp),
            idempotency: Type.Optional(Idempotency),
            scope: Type.Optional(Scope),
          },
          { examples: [{ name: 'Old laptop', mcp: 'read' }] },
        ),
        response: { 200: ApiKey, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async (request) => {
      const { principal, params, body } = request
      const changes = given({
        name: body.name,
        mcp: body.mcp,
        idempotency: body.idempotency,
        scope: body.scope,
      })
      if (Object.keys(changes).length === 0) {
        throw invalidField('name', 'or body.mcp, body.idempotency or body.scope is required')
      }
      const note = audit.note(request, 'api_key_changed')
      return present(await keys.change(principal.userId, params.id, changes, note))
    },
  )
}

function rotateApiKey(scope: App, { keys, audit }: Parts): void {
  scope.post(
    `${path}/:id/rotate`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Give an API key a new secret; only this response shows it',
        description:
          'The old secret stops working at once. The key itself, its name and its rights stay. For ML-DSA, send your new public key, or let the service create the pair.',
        params: IdParameter,
        body: Type.Object({ public_key: Type.Optional(PublicKey) }, { examples: [{}] }),
        response: { 200: CreatedApiKey, ...errorResponses(400, 401, 404, 415, 500) },
      },
      preValidation: allowMissingBody,
    },
    async (request) => {
      const { principal, params, body } = request
      const note = audit.note(request, 'api_key_rotated')
      return presentNew(await keys.rotate(principal.userId, params.id, body.public_key, note))
    },
  )
}

function revokeApiKey(scope: App, { keys, audit }: Parts): void {
  deleteRoute(scope, path, {
    tags,
    summary: 'Revoke an API key',
    description: 'Requests that are signed with it get 401 from now on, on every node.',
    delete: (userId, id, request) => keys.revoke(userId, id, audit.note(request, 'api_key_revoked')),
  })
}

function present(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    algorithm: row.algorithm,
    api_key: row.apiKey,
    mcp: row.mcp,
    idempotency: row.idempotency,
    scope: row.scope,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    rotated_at: row.rotatedAt?.toISOString() ?? null,
  }
}

function presentNew(row: NewApiKey) {
  const { apiKey, apiSecret, algorithm } = row
  if (apiSecret === undefined) return present(row)
  const shownOnce = { api_secret: apiSecret }
  if (algorithm !== 'HMAC') return { ...present(row), ...shownOnce }
  return { ...present(row), ...shownOnce, mcp_token: mcpTokenOf(apiKey, apiSecret) }
}
