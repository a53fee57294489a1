import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, IdParameter, ListOf, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { StrategyKind } from './kinds.ts'
import type { PublicStrategies, PublicStrategy } from './public-strategies.ts'

const Listed = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Whose it is.' }),
  type: Type.String(),
  name: Type.String(),
  send_signal: Type.Boolean(),
  symbol: Nullable(Type.String()),
  use_price: Type.Boolean(),
  exchange_id: Nullable(Type.Integer()),
  price_symbol: Nullable(Type.String()),
  delay: Nullable(Type.Integer()),
  cron_interval: Nullable(Type.String()),
  timezone: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const Whole = Type.Object({ ...Listed.properties, code: Type.String() })

/** What all users see of the public strategies of one kind. */
export function publicStrategyRoutes(strategies: PublicStrategies, kind: StrategyKind): Routes {
  const { type, path, one, many } = kind
  const common = { tags: [kind.tag], security: signedRequest }

  return (scope) => {
    scope.get(
      `${path}/public`,
      {
        schema: {
          ...common,
          summary: `List the public ${many} of all users`,
          querystring: PageQuery,
          response: { 200: ListOf(Listed), ...errorResponses(400, 401, 500) },
        },
      },
      ({ query }) =>
        answerPage(query, {
          list: async (window) => (await strategies.list(type, window)).map((each) => present(kind, each)),
          count: () => strategies.count(type),
        }),
    )

    scope.get(
      `${path}/public/:id`,
      {
        schema: {
          ...common,
          summary: `Read a public ${one} with its code`,
          params: IdParameter,
          response: { 200: Whole, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ params }) => {
        const strategy = await strategies.get(type, params.id)
        return { ...present(kind, strategy), code: strategy.code }
      },
    )
  }
}

function present({ type }: StrategyKind, strategy: PublicStrategy) {
  return {
    id: strategy.id,
    user_id: strategy.userId,
    type,
    name: strategy.name,
    send_signal: strategy.sendSignal,
    symbol: strategy.symbol,
    use_price: strategy.usePrice,
    exchange_id: strategy.exchangeId,
    price_symbol: strategy.priceSymbol,
    delay: strategy.delay,
    cron_interval: strategy.cronInterval,
    timezone: strategy.timezone,
    created_at: strategy.createdAt.toISOString(),
    updated_at: strategy.updatedAt.toISOString(),
  }
}
