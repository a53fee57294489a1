import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { isKnown, type TaggedAnswer } from '../base/tagged-answer.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Catalogue, Selection } from './catalogue.ts'

const Exchange = Type.Object({
  id: Type.Integer({ description: 'Permanent: it never changes, and no other exchange ever gets it.' }),
  type: Type.Union(
    [Type.Literal('CEX'), Type.Literal('DEX'), Type.Literal('PREDICTION'), Type.Literal('SIM')],
    { description: '`SIM` is the simulated market, whose prices the service generates.' },
  ),
  name: Type.String(),
  service: Type.String({ description: '`spot`, `futures` or `prediction`.' }),
  enabled: Type.Boolean({ description: 'Whether the exchange is enabled on this installation.' }),
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
      // An id that no chain has is an empty list, however long it is.
      maxLength: 8_192,
      description: 'Lists only the DEXes on this chain: an EIP-155 number, or a name such as `solana`.',
    }),
  ),
})

const ChainParameter = Type.Object({
  chain: Type.String({ maxLength: 500, description: 'An EIP-155 number, or a name such as `solana`.' }),
})

const EnabledBody = Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false })

/** The lists of exchanges, and the switch by which an administrator takes one into use or out of it. */
export function exchangeRoutes(catalogue: Catalogue): Routes {
  return (scope) => {
    const list = (path: string, summary: string, selection: Selection) =>
      scope.get(path, { schema: listSchema(summary, 401, 500) }, (request, reply) =>
        send(request, reply, catalogue.list(selection)),
      )

    scope.get(
      '/exchange',
      { schema: { ...listSchema('List all exchanges', 400, 401, 500), querystring: ListQuery } },
      (request, reply) => {
        const { enabled, chainId } = request.query
        return send(request, reply, catalogue.list({ enabled, chainId }))
      },
    )
    list('/exchange/cex', 'List the enabled centralised exchanges', { type: 'CEX', enabled: true })
    list('/exchange/prediction', 'List the prediction markets', { type: 'PREDICTION' })
    list('/exchange/with-exchange-rate', 'List the enabled exchanges that provide exchange rates', {
      hasExchangeRate: true,
      enabled: true,
    })

    scope.get(
      '/exchange/dex/:chain',
      {
        schema: {
          ...listSchema('List the decentralised exchanges on a chain', 400, 401, 500),
          params: ChainParameter,
        },
      },
      (request, reply) => {
        const { chain } = request.params
        if (chain.trim() === '') throw chainMissing()
        return send(request, reply, catalogue.list({ type: 'DEX', chainId: chain }))
      },
    )
    for (const path of ['/exchange/dex', '/exchange/dex/']) {
      scope.get(path, { schema: { hide: true } }, () => {
        throw chainMissing()
      })
    }

    scope.put(
      '/exchange/:id',
      {
        schema: {
          tags: ['Exchanges'],
          summary: 'Enable or disable an exchange (administrators)',
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
}

function chainMissing(): AppError {
  return new AppError('exchange_chain_missing', 'The chain id is missing: request /exchange/dex/{chain}.')
}

function listSchema<const Status extends number>(summary: string, ...errors: Status[]) {
  return {
    tags: ['Exchanges'],
    summary,
    description:
      'In order of id. The response is 304 if `If-None-Match` holds the current `ETag` of this list.',
    security: signedRequest,
    response: {
      200: Type.Array(Exchange),
      304: Type.Null({ description: 'The list has not changed since the response with this `ETag`.' }),
      ...errorResponses(...errors),
    },
  }
}

/** Sends bytes that are made already: nothing is serialised for a request. */
function send(request: FastifyRequest, reply: FastifyReply, answer: TaggedAnswer): FastifyReply {
  reply.header('etag', answer.etag).header('cache-control', 'private, no-cache')
  if (isKnown(answer, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body)
}
