import { Type } from 'typebox'
import { invalidQuery } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { whenGone } from '../http/gone.ts'
import { errorResponses, Id, IdParameter, Nullable } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Bots } from './bots.ts'
import { filters } from './record-query-routes.ts'
import { presentTrade, TradeRecord } from './statistics/trade-record.ts'
import type { Trades } from './statistics/trades.ts'

const defaultLimit = 50

const TradeQuery = Type.Object({
  limit: filters.limit,
  symbol: filters.symbol,
  before: Type.Optional({ ...Id, description: 'Only trades before the one with this id.' }),
  after: Type.Optional({
    ...Id,
    description: 'Only trades after the one with this id: without `before`, those next to it.',
  }),
})

const TradePage = Type.Object({
  items: Type.Array(TradeRecord),
  limit: Type.Integer(),
  next: Nullable(
    Type.Integer({
      description:
        'Pass it as `before` to get the next part, or as `after` if the request had `after` without `before`. null: nothing is left.',
    }),
  ),
})

/** The trades of a bot: its fills, from entry to exit. */
export function tradeRoutes(bots: Bots, trades: Trades): Routes {
  return (scope) => {
    scope.get(
      '/bot/signal/cex/:id/trades',
      {
        schema: {
          tags: ['Signal bots'],
          security: signedRequest,
          summary: 'List the trades of a signal bot',
          description:
            'A trade is the position of one symbol from entry to exit, with its profit before and after costs. The newest first, by their first fills. Open trades are marked, and have what they have realised so far.',
          params: IdParameter,
          querystring: TradeQuery,
          response: { 200: TradePage, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal: { userId }, params: { id }, query }, reply) => {
        const { limit = defaultLimit, symbol, before, after } = query
        if (before !== undefined && after !== undefined && before <= after) {
          throw invalidQuery('before', 'must be larger than after')
        }
        const bot = await bots.get(userId, id)
        const gone = whenGone(reply)
        // One more than it shows says whether there are more.
        const window = { limit: limit + 1, ...given({ symbol, before, after }) }
        const found = await trades.window(bot, window, gone)
        const hasMore = found.length > limit
        const isUpwards = after !== undefined && before === undefined
        const shown = hasMore ? (isUpwards ? found.slice(1) : found.slice(0, limit)) : found
        return {
          items: shown.map((one) =>
            presentTrade(id, one, one.trade.closedAt === null ? trades.price(bot, one.trade.symbol) : null),
          ),
          limit,
          next: hasMore ? shown.at(isUpwards ? 0 : -1)!.trade.id : null,
        }
      },
    )
  }
}
