import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { errorResponses, Id, IdParameter, Nullable, SuccessMessage, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { line, text } from './credential-fields.ts'
import type { GivenCredentials } from './credentials.ts'
import type { ExchangeConnection, ExchangeConnections, KnownAccount } from './exchange-connections.ts'

const account = {
  exchange_id: { ...Id, description: 'An enabled CEX exchange of the catalogue.' },
  demo: Type.Boolean({
    default: false,
    description: 'Whether it is an account of the demo or testnet of the exchange, without real money.',
  }),
  api_key: line('The API key from the exchange.'),
  api_secret: text('The secret of the key.'),
  password: line('The passphrase of the key, if the exchange requires one.'),
  uid: line('Your user id at the exchange, if it requires one.'),
  account_id: line('Your account id at the exchange, if it requires one.'),
  login: line('Your login at the exchange, if it requires one.'),
  wallet_address: line('The address of the account, if it is a wallet.'),
  private_key: text(
    'The key that signs for the wallet. Prefer the key of an agent wallet, which cannot withdraw.',
  ),
}

const exampleAccount = { exchange_id: 2, api_key: 'an API key', api_secret: 'its secret' }
const NewConnection = Type.Object(
  { name: Type.String({ maxLength: 255, default: '' }), ...account },
  { examples: [{ name: 'Main account', ...exampleAccount }] },
)
const Account = Type.Object(account, { examples: [exampleAccount] })

const Status = Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')])
const NewStatus = Type.Object({ status: Status }, { examples: [{ status: 'INACTIVE' }] })

const OrNot = (description: string) => Nullable(Type.Boolean({ description }))
const sentences = (description: string) => Type.Array(Type.String(), { description })

/** `null` where the exchange does not say. */
const known = {
  demo: Type.Boolean({ description: 'Whether it is an account without real money.' }),
  account_id: Nullable(Type.String({ description: 'The end of the id that the exchange gave the account.' })),
  account_type: Nullable(
    Type.String({ description: 'Such as `unified` or `classic`; the exchange names it.' }),
  ),
  may_trade: OrNot('Whether the key may trade.'),
  may_withdraw: OrNot('Whether the key may withdraw. No bot needs that.'),
  ip_restricted: OrNot('Whether the key works only from certain IP addresses.'),
  position_mode: Nullable(Type.Enum(['one-way', 'hedge'], { description: 'On futures.' })),
  obstacles: sentences('Why live bots cannot trade with the account as it is, and what to change.'),
  warnings: sentences('What you should change or know.'),
}

const Tested = Type.Object({ ...SuccessMessage.properties, ...known })

const Connection = Type.Object({
  id: Type.Integer(),
  exchange_id: Type.Integer(),
  name: Type.String(),
  status: { ...Status, description: 'No bot can use an `INACTIVE` connection.' },
  key_ending: Nullable(
    Type.String({
      description:
        'The last four characters of the key or address; `null` if the key is too short to show any.',
    }),
  ),
  ...known,
  checked_at: Nullable({
    ...Timestamp,
    description: 'When the exchange last said what the account is like.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const tags = ['Exchange connections']
const common = { tags, security: signedRequest }
const path = '/api/exchange'
const requiredCredentials =
  'If a credential that the exchange requires is missing, the error names it. Credentials that it does not require are not stored.'

/** Routes of the accounts on exchanges that live bots trade with. No response contains credentials. */
export function exchangeConnectionRoutes(connections: ExchangeConnections, audit: AuditLog): Routes {
  return (scope) => {
    listConnections(scope, connections)
    createConnection(scope, connections, audit)
    testCredentials(scope, connections)
    readConnection(scope, connections)
    setStatus(scope, connections)
    deleteConnection(scope, connections, audit)
  }
}

function listConnections(scope: App, connections: ExchangeConnections): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your exchange connections',
    description: 'In order of id. The list does not contain their credentials.',
    item: Connection,
    list: async (userId, window) => (await connections.list(userId, window)).map(present),
    count: (userId) => connections.count(userId),
  })
}

function createConnection(scope: App, connections: ExchangeConnections, audit: AuditLog): void {
  scope.post(
    path,
    {
      schema: {
        ...common,
        summary: 'Create an exchange connection after checking its credentials with the exchange',
        description: requiredCredentials,
        body: NewConnection,
        response: { 201: Connection, ...errorResponses(400, 401, 409, 413, 415, 429, 500, 503) },
      },
    },
    async (request, reply) => {
      const { name, ...fields } = request.body
      const note = audit.note(request, 'connection_made')
      const settings = { name, ...readAccount(fields) }
      const created = await connections.create(request.principal.userId, settings, note)
      return reply.code(201).send(present(created))
    },
  )
}

function testCredentials(scope: App, connections: ExchangeConnections): void {
  scope.post(
    `${path}/test`,
    {
      schema: {
        ...common,
        summary: 'Check credentials with the exchange without storing them',
        description: requiredCredentials,
        body: Account,
        response: { 200: Tested, ...errorResponses(400, 401, 413, 415, 429, 500, 503) },
      },
    },
    async ({ principal, body }) => {
      const account = await connections.test(principal.userId, readAccount(body))
      return { message: 'Success' as const, ...presentAccount(account) }
    },
  )
}

function readConnection(scope: App, connections: ExchangeConnections): void {
  getRoute(scope, path, {
    tags,
    summary: 'Read an exchange connection',
    description: 'The response does not contain its credentials.',
    item: Connection,
    get: async (userId, id) => present(await connections.get(userId, id)),
  })
}

function setStatus(scope: App, connections: ExchangeConnections): void {
  scope.put(
    `${path}/:id/status`,
    {
      schema: {
        ...common,
        summary: 'Switch an exchange connection on or off',
        description:
          'No bot can use a connection that is off. Positions and orders at the exchange stay as they are.',
        params: IdParameter,
        body: NewStatus,
        response: { 200: Connection, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) =>
      present(await connections.setStatus(principal.userId, params.id, body.status)),
  )
}

function deleteConnection(scope: App, connections: ExchangeConnections, audit: AuditLog): void {
  deleteRoute(scope, path, {
    tags,
    summary: 'Delete an exchange connection that no bot uses',
    description: 'If bots use it, the error names them. Nothing changes at the exchange.',
    canConflict: true,
    delete: (userId, id, request) =>
      connections.delete(userId, id, audit.note(request, 'connection_deleted')),
  })
}

function readAccount({
  exchange_id: exchangeId,
  demo: isDemo,
  ...credentials
}: { exchange_id: number; demo: boolean } & GivenCredentials) {
  return { exchangeId, isDemo, credentials }
}

function present(connection: ExchangeConnection) {
  return {
    id: connection.id,
    exchange_id: connection.exchangeId,
    name: connection.name,
    status: connection.status,
    key_ending: connection.keyEnding,
    ...presentAccount(connection),
    checked_at: connection.factsAt?.toISOString() ?? null,
    created_at: connection.createdAt.toISOString(),
    updated_at: connection.updatedAt.toISOString(),
  }
}

function presentAccount({ isDemo, facts, warnings }: KnownAccount) {
  return {
    demo: isDemo,
    account_id: endOf(facts?.accountId ?? null),
    account_type: facts?.accountType ?? null,
    may_trade: facts?.mayTrade ?? null,
    may_withdraw: facts?.mayWithdraw ?? null,
    ip_restricted: facts?.isIpRestricted ?? null,
    position_mode: facts?.positionMode ?? null,
    obstacles: facts?.obstacles ?? [],
    warnings,
  }
}

/** Enough for the owner to recognise the account. */
function endOf(accountId: string | null): string | null {
  return accountId === null ? null : `…${accountId.slice(-4)}`
}
