import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { notFound } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  Id,
  IdParameter,
  ListOf,
  Nullable,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { AiConnection, AiConnections } from './connections.ts'
import { aiServices, findService } from './services.ts'

const Service = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  base_url: Nullable(Type.String({ description: '`null`: the connection must set `base_url`.' })),
  needs_key: Type.Boolean(),
})

const Models = Type.Object({
  models: Type.Array(Type.String()),
  source: Type.String({ description: '`provider`, or the origin of the list.' }),
})

// What goes into an address must not lead out of its place in it.
const Model = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[\\w@+:-][\\w.@+:-]*(/[\\w@+:-][\\w.@+:-]*)*$',
  description: 'The name that the provider uses for the model.',
})
const FallbackId = Nullable({ ...Id, description: 'Another AI connection of yours.' })

const Connection = Type.Object({
  id: Type.Integer(),
  service_id: Type.Integer(),
  name: Type.String(),
  model: Type.String(),
  base_url: Nullable(Type.String()),
  streaming: Type.Boolean(),
  fallback_id: Nullable(Type.Integer()),
  key_ending: Nullable(Type.String({ description: 'The last four characters of the key.' })),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const common = { tags: ['AI connections'], security: signedRequest }
const path = '/api/llm'

/** Accesses to providers of language models. Keys go in, and never come out. */
export function aiConnectionRoutes(connections: AiConnections, audit: AuditLog): Routes {
  return (scope) => {
    scope.get(
      `${path}/services`,
      {
        schema: {
          ...common,
          summary: 'List the supported providers of language models',
          response: { 200: Type.Array(Service), ...errorResponses(401, 500) },
        },
      },
      () =>
        aiServices.map(({ id, name, baseUrl, needsKey }) => ({
          ...{ id, name, base_url: baseUrl, needs_key: needsKey },
        })),
    )

    scope.get(
      `${path}/models/:id`,
      {
        schema: {
          ...common,
          summary:
            'List models of a provider: some known ones, or with `connection_id` all that the provider lists',
          params: IdParameter,
          querystring: Type.Object({
            connection_id: Type.Optional({
              ...Id,
              description: 'The connection that is used to ask the provider.',
            }),
          }),
          response: { 200: Models, ...errorResponses(400, 401, 404, 409, 429, 500, 503) },
        },
      },
      async ({ principal, params, query }) => {
        const service = findService(params.id)
        if (service === undefined) throw notFound('AI service', params.id)
        const { connection_id: connectionId } = query
        if (connectionId === undefined) return { models: [...service.models], source: service.source }
        const models = await connections.models(principal.userId, connectionId, service.id)
        return { models, source: 'provider' }
      },
    )

    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'List your AI connections, without their keys',
          querystring: PageQuery,
          response: { 200: ListOf(Connection), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) =>
        answerPage(query, {
          list: async (window) => (await connections.list(userId, window)).map(present),
          count: () => connections.count(userId),
        }),
    )

    scope.post(
      path,
      {
        schema: {
          ...common,
          summary: 'Create an AI connection, after its model has answered a short question',
          body: Type.Object({
            service_id: { ...Id, description: 'One of `/api/llm/services`.' },
            name: Type.String({ maxLength: 255, default: '' }),
            api_key: Type.Optional(
              // What goes into a header must not break out of it.
              Type.String({ minLength: 1, maxLength: 4096, pattern: '^\\s*[!-~]+\\s*$' }),
            ),
            base_url: Type.Optional(
              Type.String({ maxLength: 2048, description: "Replaces the service's own address." }),
            ),
            model: Model,
            streaming: Type.Boolean({
              default: false,
              description: 'Request answers as a stream of events.',
            }),
            fallback_id: Type.Optional(FallbackId),
          }),
          response: { 201: Connection, ...errorResponses(400, 401, 409, 413, 415, 429, 500, 503) },
        },
      },
      async (request, reply) => {
        const { principal, body } = request
        const note = audit.note(request, 'connection_made')
        const { service_id: serviceId, name, api_key: apiKey, base_url: baseUrl, model, streaming } = body
        const wish = {
          ...{ serviceId, name, model, streaming },
          apiKey: apiKey?.trim() ?? null,
          baseUrl: baseUrl ?? null,
          fallbackId: body.fallback_id ?? null,
        }
        const made = await connections.create(principal.userId, wish, note)
        return reply.code(201).send(present(made))
      },
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Read an AI connection, without its key',
          params: IdParameter,
          response: { 200: Connection, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => present(await connections.get(principal.userId, params.id)),
    )

    changeRoutes(scope, connections, audit)
  }
}

function changeRoutes(scope: Parameters<Routes>[0], connections: AiConnections, audit: AuditLog): void {
  scope.put(
    `${path}/:id/model`,
    {
      schema: {
        ...common,
        summary: 'Set the model of an AI connection, after it has answered a short question',
        params: IdParameter,
        body: Type.Object({ model: Model }),
        response: { 200: Connection, ...errorResponses(400, 401, 404, 409, 415, 429, 500, 503) },
      },
    },
    async ({ principal, params, body }) =>
      present(await connections.setModel(principal.userId, params.id, body.model)),
  )

  scope.put(
    `${path}/:id/fallback`,
    {
      schema: {
        ...common,
        summary: 'Set the fallback for when an AI connection cannot answer',
        params: IdParameter,
        body: Type.Object({ fallback_id: FallbackId }),
        response: { 200: Connection, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) =>
      present(await connections.setFallback(principal.userId, params.id, body.fallback_id)),
  )

  scope.delete(
    `${path}/:id`,
    {
      schema: {
        ...common,
        summary: 'Delete an unused AI connection',
        params: IdParameter,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async (request) => {
      const { principal, params } = request
      await connections.delete(principal.userId, params.id, audit.note(request, 'connection_deleted'))
      return { message: 'Success' as const }
    },
  )
}

function present(connection: AiConnection) {
  return {
    id: connection.id,
    service_id: connection.serviceId,
    name: connection.name,
    model: connection.model,
    base_url: connection.baseUrl,
    streaming: connection.streaming,
    fallback_id: connection.fallbackId,
    key_ending: connection.keyEnding,
    created_at: connection.createdAt.toISOString(),
    updated_at: connection.updatedAt.toISOString(),
  }
}
