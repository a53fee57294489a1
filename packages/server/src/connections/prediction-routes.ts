import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { errorResponses, Id, IdParameter, Nullable, SuccessMessage, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { line, text } from './credential-fields.ts'
import type { GivenCredentials } from './credentials.ts'
import type { PredictionConnection, PredictionConnections } from './prediction-connections.ts'

const account = {
  exchange_id: { ...Id, description: 'A prediction market of the catalogue, such as 15: Polymarket.' },
  wallet_address: line('The address that holds the funds: 0x and 40 hexadecimal digits.'),
  private_key: text('The key that signs. Of a wallet: 64 hexadecimal digits.'),
  api_key: line('The API key, if the market requires one.'),
  api_secret: text('The secret of the key, if the market requires one.'),
}

const exampleAccount = {
  exchange_id: 15,
  wallet_address: '0x00000000000000000000000000000000000000aa',
  private_key: 'the key of the wallet',
}
const NewConnection = Type.Object(
  { name: Type.String({ maxLength: 255, default: '' }), ...account },
  { examples: [{ name: 'Main account', ...exampleAccount }] },
)

const Status = Type.Enum(['ACTIVE', 'INACTIVE'])

const Connection = Type.Object({
  id: Type.Integer(),
  exchange_id: Type.Integer(),
  name: Type.String(),
  status: Status,
  key_ending: Nullable(
    Type.String({
      description:
        'The last four characters of the key or address; `null` if the key is too short to show any.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const tags = ['Prediction connections']
const common = { tags, security: signedRequest }
const path = '/api/prediction'
const requiredCredentials =
  'If a credential that the market requires is missing, the error names it. Credentials that it does not require are not stored. The service checks only their form: it asks no prediction market anything, because it cannot trade there yet.'

/** Routes of the accounts on prediction markets. No response contains credentials. */
export function predictionConnectionRoutes(connections: PredictionConnections, audit: AuditLog): Routes {
  return (scope) => {
    listRoute(scope, path, {
      tags,
      summary: 'List your prediction connections',
      description: 'In order of id. The list does not contain their credentials.',
      item: Connection,
      list: async (userId, window) => (await connections.list(userId, window)).map(present),
      count: (userId) => connections.count(userId),
    })
    createConnection(scope, connections, audit)
    testCredentials(scope, connections)
    getRoute(scope, path, {
      tags,
      summary: 'Read a prediction connection',
      description: 'The response does not contain its credentials.',
      item: Connection,
      get: async (userId, id) => present(await connections.get(userId, id)),
    })
    setStatus(scope, connections)
    deleteRoute(scope, path, {
      tags,
      summary: 'Delete a prediction connection that no bot uses',
      description: 'If bots use it, the error names them. Nothing changes at the market.',
      canConflict: true,
      delete: (userId, id, request) =>
        connections.delete(userId, id, audit.note(request, 'connection_deleted')),
    })
  }
}

function createConnection(scope: App, connections: PredictionConnections, audit: AuditLog): void {
  scope.post(
    path,
    {
      schema: {
        ...common,
        summary: 'Create a prediction connection after checking the form of its credentials',
        description: `${requiredCredentials} They are stored encrypted, and nothing uses them until then.`,
        body: NewConnection,
        response: { 201: Connection, ...errorResponses(400, 401, 409, 413, 415, 500) },
      },
    },
    async (request, reply) => {
      const { name, ...fields } = request.body
      const note = audit.note(request, 'connection_made')
      const settings = { name, ...readAccount(fields) }
      return reply.code(201).send(present(await connections.create(request.principal.userId, settings, note)))
    },
  )
}

function testCredentials(scope: App, connections: PredictionConnections): void {
  scope.post(
    `${path}/test`,
    {
      schema: {
        ...common,
        summary: 'Check the form of credentials without storing them',
        description: requiredCredentials,
        body: Type.Object(account, { examples: [exampleAccount] }),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 413, 415, 500) },
      },
    },
    async ({ body }) => {
      connections.check(readAccount(body))
      return { message: 'Success' as const }
    },
  )
}

function setStatus(scope: App, connections: PredictionConnections): void {
  scope.put(
    `${path}/:id/status`,
    {
      schema: {
        ...common,
        summary: 'Switch a prediction connection on or off',
        description:
          'Bots cannot trade with it either way, until the service can trade on prediction markets.',
        params: IdParameter,
        body: Type.Object({ status: Status }, { examples: [{ status: 'INACTIVE' }] }),
        response: { 200: Connection, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) =>
      present(await connections.setStatus(principal.userId, params.id, body.status)),
  )
}

function readAccount({
  exchange_id: exchangeId,
  ...credentials
}: { exchange_id: number } & GivenCredentials): { exchangeId: number; credentials: GivenCredentials } {
  return { exchangeId, credentials }
}

function present(connection: PredictionConnection) {
  return {
    id: connection.id,
    exchange_id: connection.exchangeId,
    name: connection.name,
    status: connection.status,
    key_ending: connection.keyEnding,
    created_at: connection.createdAt.toISOString(),
    updated_at: connection.updatedAt.toISOString(),
  }
}
