import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { type Answer, isKnown } from '../tagged-answer.ts'
import type { Catalogue, Selection } from './catalogue.ts'

const Exchange = Type.Object({
  id: Type.Integer({ description: 'Permanent: it never changes and is never used again.' }),
  type: Type.Union(
    [Type.Literal('CEX'), Type.Literal('DEX'), Type.Literal('PREDICTION'), Type.Literal('SIM')],
    { description: '`SIM` is the simulated market: its prices are made up.' },
  ),
  name: Type.String(),
  service: Type.String({ description: '`spot`, `futures` or `prediction`.' }),
  enabled: Type.Boolean({ description: 'Whether this installation uses it.' }),
  hasExchangeRate: Type.Boolean({ description: 'Whether it supplies exchange rates to the system.' }),
  extra: Type.Boolean({ description: 'Whether its API keys need more than a key and a secret.' }),
})

const ListQuery = Type.Object({
  enabled: Type.Optional(Type.Boolean({ description: 'Only enabled ones, or only disabled ones.' })),
  chainId: Type.Optional(
    Type.String({
      description: 'Only the DEXes on this chain: an EIP-155 number, or a name such as `solana`.',
    }),
  ),
})

const ChainParameter = Type.Object({
  chain: Type.String({ description: 'An EIP-155 number, or a name such as `solana`.' }),
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
      { schema: { ...listSchema('All exchanges', 400, 401, 500), querystring: ListQuery } },
      (request, reply) => {
        // By name: whatever else a query has in it is no part of the selection.
        const { enabled, chainId } = request.query
        return send(request, reply, catalogue.list({ enabled, chainId }))
      },
    )
    list('/exchange/cex', 'The enabled centralised exchanges', { type: 'CEX', enabled: true })
    list('/exchange/prediction', 'The prediction markets', { type: 'PREDICTION' })
    list('/exchange/with-exchange-rate', 'The enabled exchanges that supply exchange rates', {
      hasExchangeRate: true,
      enabled: true,
    })

    scope.get(
      '/exchange/dex/:chain',
      {
        schema: {
          ...listSchema('The decentralised exchanges on a chain', 400, 401, 500),
          params: ChainParameter,
        },
      },
      (request, reply) =>
        send(request, reply, catalogue.list({ type: 'DEX', chainId: request.params.chain })),
    )
    for (const path of ['/exchange/dex', '/exchange/dex/']) {
      scope.get(path, { schema: { hide: true } }, () => {
        throw new AppError('exchange_chain_missing', 'A chain id is missing: ask for /exchange/dex/{chain}.')
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

function listSchema<const Status extends number>(summary: string, ...errors: Status[]) {
  return {
    tags: ['Exchanges'],
    summary,
    description: 'In order of id. Answers 304 when `If-None-Match` names the `ETag` of this list.',
    security: signedRequest,
    response: {
      200: Type.Array(Exchange),
      304: Type.Null({ description: 'Unchanged since the answer that `If-None-Match` names.' }),
      ...errorResponses(...errors),
    },
  }
}

/** Sends bytes that are made already: nothing is serialised for a request. */
function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.header('etag', answer.etag).header('cache-control', 'private, no-cache')
  if (isKnown(answer, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body)
}
