import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { notFound } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { errorResponses, Id, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { AiConnection, AiConnections } from './connections.ts'
import { modelId } from './model-ids.ts'
import { aiServices, findService } from './services.ts'

const Service = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  base_url: Nullable(Type.String({ description: '`null`: the connection must set `base_url`.' })),
  needs_key: Type.Boolean(),
})

const ListedModel = Type.Object({
  id: Type.Integer({ description: 'A number for clients that need one. It never changes.' }),
  name: Type.String({ description: 'The name that the provider uses.' }),
  source: Type.Enum(['provider', 'service'], {
    description: '`provider`: the provider lists it for your key. `service`: this version knows it.',
  }),
})

const Model = Type.Union(
  [
    // The name becomes part of a URL, and must not change any other part of it.
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[\\w@+:-][\\w.@+:-]*(/[\\w@+:-][\\w.@+:-]*)*$',
    }),
    Id,
  ],
  { description: 'The name that the provider uses for the model, or its id in the list of models.' },
)
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

const NewConnection = Type.Object(
  {
    service_id: { ...Id, description: 'One of `/api/llm/services`.' },
    name: Type.String({ maxLength: 255, default: '' }),
    api_key: Type.Optional(
      // The key becomes a header, and must not end it.
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
  },
  {
    examples: [
      {
        service_id: 101,
        name: 'Main',
        api_key: 'key-from-the-provider',
        model: 'gpt-5-mini',
        streaming: true,
      },
    ],
  },
)

const tags = ['AI connections']
const path = '/api/llm'

/** The users' accounts at providers of language models. No response contains a key. */
export function aiConnectionRoutes(connections: AiConnections, audit: AuditLog): Routes {
  return (scope) => {
    listServices(scope)
    listModels(scope, connections)
    listConnections(scope, connections)
    createConnection(scope, connections, audit)
    readConnection(scope, connections)
    setModel(scope, connections)
    setFallback(scope, connections)
    deleteConnection(scope, connections, audit)
  }
}

function listServices(scope: App): void {
  scope.get(
    `${path}/services`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'List the supported providers of language models',
        description: 'Use the id of a service to create a connection.',
        response: { 200: Type.Array(Service), ...errorResponses(401, 500) },
      },
    },
    () =>
      aiServices.map(({ id, name, baseUrl, needsKey }) => ({
        ...{ id, name, base_url: baseUrl, needs_key: needsKey },
      })),
  )
}

function listModels(scope: App, connections: AiConnections): void {
  scope.get(
    `${path}/models/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'List the models of a provider',
        description:
          'Without `connection_id`: some models that this version knows. With it: all models that the provider lists for that connection.',
        params: IdParameter,
        querystring: Type.Object({
          connection_id: Type.Optional({
            ...Id,
            description: 'The connection that is used to ask the provider.',
          }),
        }),
        response: { 200: Type.Array(ListedModel), ...errorResponses(400, 401, 404, 409, 429, 500, 503) },
      },
    },
    async ({ principal, params, query }) => {
      const service = findService(params.id)
      if (service === undefined) throw notFound('AI service', params.id)
      const { connection_id: connectionId } = query
      if (connectionId === undefined) return presentModels(service.models, 'service')
      const models = await connections.models(principal.userId, connectionId, service.id)
      return presentModels(models, 'provider')
    },
  )
}

function listConnections(scope: App, connections: AiConnections): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your AI connections, without their keys',
    description: 'In order of id. `key_ending` helps you to recognise the key.',
    item: Connection,
    list: async (userId, window) => (await connections.list(userId, window)).map(present),
    count: (userId) => connections.count(userId),
  })
}

function createConnection(scope: App, connections: AiConnections, audit: AuditLog): void {
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Create an AI connection, after its model has answered a short question',
        description:
          'The service stores the key encrypted and never shows it again. If the model does not answer, nothing is stored.',
        body: NewConnection,
        response: { 201: Connection, ...errorResponses(400, 401, 409, 413, 415, 429, 500, 503) },
      },
    },
    async (request, reply) => {
      const { principal, body } = request
      const note = audit.note(request, 'connection_made')
      const { service_id: serviceId, name, api_key: apiKey, base_url: baseUrl, model, streaming } = body
      const settings = {
        ...{ serviceId, name, model, streaming },
        apiKey: apiKey?.trim() ?? null,
        baseUrl: baseUrl ?? null,
        fallbackId: body.fallback_id ?? null,
      }
      const created = await connections.create(principal.userId, settings, note)
      return reply.code(201).send(present(created))
    },
  )
}

function readConnection(scope: App, connections: AiConnections): void {
  getRoute(scope, path, {
    tags,
    summary: 'Read an AI connection, without its key',
    description: '`base_url` is null if the connection uses the address of its service.',
    item: Connection,
    get: async (userId, id) => present(await connections.get(userId, id)),
  })
}

function setModel(scope: App, connections: AiConnections): void {
  scope.put(
    `${path}/:id/model`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Set the model of an AI connection, after it has answered a short question',
        description: 'If the model does not answer, the connection keeps its old model.',
        params: IdParameter,
        body: Type.Object({ model: Model }, { examples: [{ model: 'gpt-5-mini' }] }),
        response: { 200: Connection, ...errorResponses(400, 401, 404, 409, 415, 429, 500, 503) },
      },
    },
    async ({ principal, params, body }) =>
      present(await connections.setModel(principal.userId, params.id, body.model)),
  )
}

function setFallback(scope: App, connections: AiConnections): void {
  scope.put(
    `${path}/:id/fallback`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Set the fallback of an AI connection',
        description:
          'The service asks the fallback if the provider of this connection cannot answer. `null` removes it.',
        params: IdParameter,
        body: Type.Object({ fallback_id: FallbackId }, { examples: [{ fallback_id: 2 }] }),
        response: { 200: Connection, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) =>
      present(await connections.setFallback(principal.userId, params.id, body.fallback_id)),
  )
}

function deleteConnection(scope: App, connections: AiConnections, audit: AuditLog): void {
  deleteRoute(scope, path, {
    tags,
    summary: 'Delete an unused AI connection',
    description: 'Answers 409 and names the AI reactions and connections that still use it.',
    canConflict: true,
    delete: (userId, id, request) =>
      connections.delete(userId, id, audit.note(request, 'connection_deleted')),
  })
}

function presentModels(names: readonly string[], source: 'provider' | 'service') {
  return names.map((name) => ({ id: modelId(name), name, source }))
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
