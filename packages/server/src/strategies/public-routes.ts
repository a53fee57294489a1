import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, IdParameter, ListOf, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { StrategyKind } from './kinds.ts'
import { llmFields, presentLlm } from './llm-fields.ts'
import type { PublicStrategies, PublicStrategy } from './public-strategies.ts'

const common = {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Whose it is.' }),
  type: Type.String(),
  name: Type.String(),
  send_signal: Type.Boolean(),
  symbol: Nullable(Type.String()),
  delay: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
}

const ofCode = {
  use_price: Type.Boolean(),
  exchange_id: Nullable(Type.Integer()),
  price_symbol: Nullable(Type.String()),
  cron_interval: Nullable(Type.String()),
  timezone: Nullable(Type.String()),
}

/** Whom it asks is its owner's alone. */
const { connection_id: _, ...ofLlm } = llmFields

function recordsOf({ type, text }: StrategyKind) {
  const listed = { ...common, ...(type === 'llm-reaction' ? ofLlm : ofCode) }
  return { Listed: Type.Object(listed), Whole: Type.Object({ ...listed, ...text }) }
}

/** What all users see of the public strategies of one kind. */
export function publicStrategyRoutes(strategies: PublicStrategies, kind: StrategyKind): Routes {
  const { type, path, one, many } = kind
  const { Listed, Whole } = recordsOf(kind)
  const schema = { tags: [kind.tag], security: signedRequest }

  return (scope) => {
    scope.get(
      `${path}/public`,
      {
        schema: {
          ...schema,
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
          ...schema,
          summary: `Read a public ${one} with its ${Object.keys(kind.text)}`,
          params: IdParameter,
          response: { 200: Whole, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ params }) => {
        const strategy = await strategies.get(type, params.id)
        const text = kind.type === 'llm-reaction' ? { prompt: strategy.prompt } : { code: strategy.code }
        return { ...present(kind, strategy), ...text }
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
    delay: strategy.delay,
    ...(strategy.llm === null ? presentCode(strategy) : presentSettings(strategy.llm)),
    created_at: strategy.createdAt.toISOString(),
    updated_at: strategy.updatedAt.toISOString(),
  }
}

function presentCode(strategy: PublicStrategy) {
  return {
    use_price: strategy.usePrice,
    exchange_id: strategy.exchangeId,
    price_symbol: strategy.priceSymbol,
    cron_interval: strategy.cronInterval,
    timezone: strategy.timezone,
  }
}

function presentSettings(llm: NonNullable<PublicStrategy['llm']>) {
  const { connection_id: _, ...shown } = presentLlm(llm)
  return shown
}
