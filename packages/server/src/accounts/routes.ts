import { Type } from 'typebox'
import { invalidField } from '../base/errors.ts'
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
  description: 'What agents may do that come in with it by MCP. Default read.',
})
const Idempotency = Type.Union([Type.Literal('optional'), Type.Literal('required')], {
  description:
    'Whether a request that changes something needs the header Idempotency-Key when it is signed with this key. Default optional.',
})

const ApiKey = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  algorithm: Algorithm,
  api_key: Type.String({ description: 'The public half, sent in the header api-key.' }),
  mcp: Mcp,
  idempotency: Idempotency,
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  rotated_at: Nullable(Timestamp),
})

const CreatedApiKey = Type.Object({
  ...ApiKey.properties,
  api_secret: Type.Optional(
    Type.String({
      description:
        'Shown once. An HMAC secret, or an ML-DSA-44 private key as Base64 of PKCS#8; absent where you brought your own public key.',
    }),
  ),
  mcp_token: Type.Optional(
    Type.String({
      description:
        'Shown once: what agents send to /mcp as a bearer token. Only a key with an HMAC secret has one.',
    }),
  ),
})

const common = { tags: ['API keys'], security: signedRequest }

export function apiKeyRoutes(keys: ApiKeys, audit: AuditLog): Routes {
  return (scope) => {
    scope.get(
      '/api/key',
      {
        schema: {
          ...common,
          summary: 'List your API keys',
          querystring: PageQuery,
          response: { 200: ListOf(ApiKey), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal, query }) =>
        answerPage(query, {
          list: async (window) => (await keys.list(principal.userId, window)).map(present),
          count: () => keys.count(principal.userId),
        }),
    )

    scope.post(
      '/api/key',
      {
        schema: {
          ...common,
          summary: 'Make an API key; its secret is shown once',
          body: Type.Object({
            name: Name,
            algorithm: Algorithm,
            public_key: Type.Optional(PublicKey),
            mcp: Type.Optional(Mcp),
            idempotency: Type.Optional(Idempotency),
          }),
          response: { 201: CreatedApiKey, ...errorResponses(400, 401, 409, 415, 500) },
        },
      },
      async (request, reply) => {
        const { name, algorithm, public_key: publicKey, mcp, idempotency } = request.body
        const wish = {
          name,
          algorithm,
          ...(publicKey === undefined ? {} : { publicKey }),
          ...(mcp === undefined ? {} : { mcp }),
          ...(idempotency === undefined ? {} : { idempotency }),
        }
        const note = audit.note(request, 'api_key_made')
        const created = await keys.create(request.principal.userId, wish, note)
        return reply.code(201).send(presentNew(created))
      },
    )

    scope.put(
      '/api/key/:id',
      {
        schema: {
          ...common,
          summary:
            'Rename an API key, or set what agents may do with it and whether it demands an Idempotency-Key; what is left out stays',
          params: IdParameter,
          body: Type.Object({
            name: Type.Optional(Name),
            mcp: Type.Optional(Mcp),
            idempotency: Type.Optional(Idempotency),
          }),
          response: { 200: ApiKey, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async (request) => {
        const { name, mcp, idempotency } = request.body
        if (name === undefined && mcp === undefined && idempotency === undefined) {
          throw invalidField('name', 'or body.mcp or body.idempotency is required')
        }
        const wish = {
          ...(name === undefined ? {} : { name }),
          ...(mcp === undefined ? {} : { mcp }),
          ...(idempotency === undefined ? {} : { idempotency }),
        }
        const note = audit.note(request, 'api_key_changed')
        return present(await keys.change(request.principal.userId, request.params.id, wish, note))
      },
    )

    scope.post(
      '/api/key/:id/rotate',
      {
        schema: {
          ...common,
          summary: 'Give an API key a new secret, shown once; the old one stops working',
          params: IdParameter,
          body: Type.Object({ public_key: Type.Optional(PublicKey) }),
          response: { 200: CreatedApiKey, ...errorResponses(400, 401, 404, 415, 500) },
        },
        // The body may be left out.
        preValidation: async (request) => {
          request.body ??= {}
        },
      },
      async (request) => {
        const { principal, params, body } = request
        const note = audit.note(request, 'api_key_rotated')
        return presentNew(await keys.rotate(principal.userId, params.id, body.public_key, note))
      },
    )

    scope.delete(
      '/api/key/:id',
      {
        schema: {
          ...common,
          summary: 'Revoke an API key',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async (request) => {
        const { principal, params } = request
        await keys.revoke(principal.userId, params.id, audit.note(request, 'api_key_revoked'))
        return { message: 'Success' as const }
      },
    )
  }
}

function present(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    algorithm: row.algorithm,
    api_key: row.apiKey,
    mcp: row.mcp,
    idempotency: row.idempotency,
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
