import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
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
import type { GivenCredentials } from './credentials.ts'
import type { ExchangeConnection, ExchangeConnections } from './exchange-connections.ts'

// What goes into a header must not break out of it.
const line = (description: string) =>
  Type.Optional(Type.String({ maxLength: 4096, pattern: '^[ -~]*$', description }))
// Some exchanges give keys in PEM, which has lines.
const text = (description: string) =>
  Type.Optional(Type.String({ maxLength: 8192, pattern: '^[ -~\\r\\n\\t]*$', description }))

const account = {
  exchange_id: { ...Id, description: 'An enabled CEX exchange of the catalogue.' },
  api_key: line('The key that the exchange gave you.'),
  api_secret: text('Its secret.'),
  password: line('The passphrase of the key, where the exchange has one.'),
  uid: line('Your user id there, where the exchange asks for it.'),
  account_id: line('Your account id there, where the exchange asks for it.'),
  login: line('Your login there, where the exchange asks for it.'),
  wallet_address: line('The address of the account, where that is a wallet.'),
  private_key: text('The key that such an account signs with: best one of an agent, which cannot withdraw.'),
}

const Status = Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')])

const Connection = Type.Object({
  id: Type.Integer(),
  exchange_id: Type.Integer(),
  name: Type.String(),
  status: { ...Status, description: '`INACTIVE`: given to no bot.' },
  key_ending: Nullable(Type.String({ description: 'The last four characters of the key or address.' })),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const common = { tags: ['Exchange connections'], security: signedRequest }
const path = '/api/exchange'
const demands =
  'Which fields an exchange needs is told where one is missing; what it does not need is not kept.'

/** Accounts on exchanges, which live bots trade with. Credentials go in, and never come out. */
export function exchangeConnectionRoutes(connections: ExchangeConnections, audit: AuditLog): Routes {
  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'List your exchange connections; their credentials are never shown',
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
          summary: 'Make an exchange connection, once the exchange has taken its credentials',
          description: demands,
          body: Type.Object({ name: Type.String({ maxLength: 255, default: '' }), ...account }),
          response: { 201: Connection, ...errorResponses(400, 401, 409, 413, 415, 429, 500, 503) },
        },
      },
      async (request, reply) => {
        const { name, ...body } = request.body
        const note = audit.note(request, 'connection_made')
        const made = await connections.create(request.principal.userId, { name, ...wish(body) }, note)
        return reply.code(201).send(present(made))
      },
    )

    scope.post(
      `${path}/test`,
      {
        schema: {
          ...common,
          summary: 'Check credentials with the exchange, and store nothing',
          description: demands,
          body: Type.Object(account),
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 413, 415, 429, 500, 503) },
        },
      },
      async ({ principal, body }) => {
        await connections.test(principal.userId, wish(body))
        return { message: 'Success' as const }
      },
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Read an exchange connection; its credentials are never shown',
          params: IdParameter,
          response: { 200: Connection, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => present(await connections.get(principal.userId, params.id)),
    )

    scope.put(
      `${path}/:id/status`,
      {
        schema: {
          ...common,
          summary: 'Switch an exchange connection on or off',
          description: 'Off, it is given to no bot. Positions and orders at the exchange stay as they are.',
          params: IdParameter,
          body: Type.Object({ status: Status }),
          response: { 200: Connection, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async ({ principal, params, body }) =>
        present(await connections.setStatus(principal.userId, params.id, body.status)),
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Delete an exchange connection that no bot uses',
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
}

function wish({ exchange_id: exchangeId, ...credentials }: { exchange_id: number } & GivenCredentials) {
  return { exchangeId, credentials }
}

function present(connection: ExchangeConnection) {
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
