import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError, notFound } from '../base/errors.ts'
import { isKnown, type TaggedAnswer } from '../base/tagged-answer.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { type Catalogue, toWire } from './catalogue.ts'

const Exchange = Type.Object({
  id: Type.Integer({ description: 'Permanent: it never changes, and no other exchange ever gets it.' }),
  type: Type.Union(
    [Type.Literal('CEX'), Type.Literal('DEX'), Type.Literal('PREDICTION'), Type.Literal('SIM')],
    { description: '`SIM` is the simulated market, whose prices the service generates itself.' },
  ),
  name: Type.String(),
  service: Type.String({ description: '`spot`, `futures` or `prediction`.' }),
  enabled: Type.Boolean({
    description:
      'Whether you can trade on the exchange here. False where there is no venue yet, and where an administrator says so.',
  }),
  hasExchangeRate: Type.Boolean({
    description: 'Whether the exchange provides rates for `$.getExchangeRate`.',
  }),
  extra: Type.Boolean({
    description: 'Whether the exchange requires more credentials than an API key and a secret.',
  }),
})

const ListQuery = Type.Object({
  enabled: Type.Optional(
    Type.Boolean({ description: 'Lists only enabled exchanges (`true`) or only disabled ones (`false`).' }),
  ),
  chainId: Type.Optional(
    Type.String({
      // A chain that no exchange serves is an empty list, however long its id is.
      maxLength: 8_192,
      description: 'Lists only the DEXes on this chain: an EIP-155 number, or a name such as `solana`.',
    }),
  ),
})

const ChainParameter = Type.Object({
  chain: Type.String({ maxLength: 500, description: 'An EIP-155 number, or a name such as `solana`.' }),
})

const EnabledBody = Type.Object(
  { enabled: Type.Boolean({ description: 'Whether users of this installation can use the exchange.' }) },
  { additionalProperties: false, examples: [{ enabled: false }] },
)

/** Routes of the lists of exchanges, and of the setting that enables or disables one. */
export function exchangeRoutes(catalogue: Catalogue): Routes {
  return (scope) => {
    listAll(scope, catalogue)
    listCex(scope, catalogue)
    listPrediction(scope, catalogue)
    listWithExchangeRate(scope, catalogue)
    listDex(scope, catalogue)
    readDex(scope, catalogue)
    refuseDexWithoutChain(scope)
    setEnabled(scope, catalogue)
  }
}

function listAll(scope: App, catalogue: Catalogue): void {
  const schema = listSchema('List all exchanges', 'All types, enabled or not, unless a filter is given.', 400)
  scope.get('/exchange', { schema: { ...schema, querystring: ListQuery } }, (request, reply) => {
    const { enabled, chainId } = request.query
    return send(request, reply, catalogue.list({ enabled, chainId }))
  })
}

function listCex(scope: App, catalogue: Catalogue): void {
  const about = 'Without the simulated market, which has a type of its own.'
  const schema = listSchema('List the enabled centralised exchanges', about)
  scope.get('/exchange/cex', { schema }, (request, reply) =>
    send(request, reply, catalogue.list({ type: 'CEX', enabled: true })),
  )
}

function listPrediction(scope: App, catalogue: Catalogue): void {
  const schema = listSchema('List the prediction markets', 'Enabled or not.')
  scope.get('/exchange/prediction', { schema }, (request, reply) =>
    send(request, reply, catalogue.list({ type: 'PREDICTION' })),
  )
}

function listWithExchangeRate(scope: App, catalogue: Catalogue): void {
  const about = 'These are the services behind the members of `$.Exchange`.'
  const schema = listSchema('List the enabled exchanges that provide exchange rates', about)
  scope.get('/exchange/with-exchange-rate', { schema }, (request, reply) =>
    send(request, reply, catalogue.list({ hasExchangeRate: true, enabled: true })),
  )
}

function listDex(scope: App, catalogue: Catalogue): void {
  const about = 'Enabled or not. A chain that no exchange serves gives an empty list.'
  const schema = listSchema('List the decentralised exchanges on a chain', about, 400)
  scope.get('/exchange/dex/:chain', { schema: { ...schema, params: ChainParameter } }, (request, reply) => {
    const { chain } = request.params
    if (chain.trim() === '') throw chainMissing()
    return send(request, reply, catalogue.list({ type: 'DEX', chainId: chain }))
  })
}

function readDex(scope: App, catalogue: Catalogue): void {
  scope.get(
    '/exchange/dex/:chain/:id',
    {
      schema: {
        tags: ['Exchanges'],
        summary: 'Read a decentralised exchange on a chain',
        description: 'Enabled or not.',
        security: signedRequest,
        params: Type.Object({ ...ChainParameter.properties, ...IdParameter.properties }),
        response: { 200: Exchange, ...errorResponses(400, 401, 404, 500) },
      },
    },
    ({ params: { chain, id } }) => {
      const exchange = catalogue.find(id)
      if (exchange?.type === 'DEX' && exchange.chainId === chain) return toWire(exchange)
      throw notFound('exchange', `${id} on chain ${chain}`)
    },
  )
}

function refuseDexWithoutChain(scope: App): void {
  for (const path of ['/exchange/dex', '/exchange/dex/']) {
    scope.get(path, { schema: { hide: true } }, () => {
      throw chainMissing()
    })
  }
}

function setEnabled(scope: App, catalogue: Catalogue): void {
  scope.put(
    '/exchange/:id',
    {
      schema: {
        tags: ['Exchanges'],
        summary: 'Enable or disable an exchange (administrators)',
        description:
          'Applies to all users of this installation, at once on this node and within moments on the others.',
        security: signedRequest,
        params: IdParameter,
        body: EnabledBody,
        response: { 200: Exchange, ...errorResponses(400, 401, 403, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) => {
      if (principal.role !== 'admin') {
        throw new AppError('access_denied', 'Only an administrator may enable or disable an exchange.')
      }
      return catalogue.setEnabled(params.id, body.enabled)
    },
  )
}

function chainMissing(): AppError {
  return new AppError('exchange_chain_missing', 'The chain id is missing: request /exchange/dex/{chain}.')
}

/** @param errors the errors of the list, other than 401 and 500 */
function listSchema(summary: string, about: string, ...errors: 400[]) {
  return {
    tags: ['Exchanges'],
    summary,
    description: `${about} In order of id. The response is 304 if \`If-None-Match\` holds the current \`ETag\` of this list.`,
    security: signedRequest,
    response: {
      200: Type.Array(Exchange),
      304: Type.Null({ description: 'The list has not changed since the response with this `ETag`.' }),
      ...errorResponses(...errors, 401, 500),
    },
  }
}

/** Sends bytes that exist already, so that no request costs serialisation. */
function send(request: FastifyRequest, reply: FastifyReply, answer: TaggedAnswer): FastifyReply {
  reply.header('etag', answer.etag).header('cache-control', 'private, no-cache')
  if (isKnown(answer, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body)
}
