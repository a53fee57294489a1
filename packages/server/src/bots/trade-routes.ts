import { type Static, Type } from 'typebox'
import { invalidQuery } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { whenGone } from '../http/gone.ts'
import { readSpan } from '../http/moments.ts'
import { errorResponses, Id, IdParameter, Nullable } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { Bots } from './bots.ts'
import { filters, OptionalMoment, ofBot, readChoice } from './record-query-routes.ts'
import type { AllTrades } from './statistics/all-trades.ts'
import { presentTrade, type ShownTrade, TradeRecord } from './statistics/trade-record.ts'
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

const AllTradesQuery = Type.Object({
  ...TradeQuery.properties,
  ...ofBot,
  since: OptionalMoment('Only trades that were opened at this time or later.'),
  until: OptionalMoment('Only trades that were opened at this time or earlier.'),
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

const description =
  'A trade is the position of one symbol from entry to exit, with its profit before and after costs. The newest first, by their first fills. Open trades are marked, and have what they have realised so far.'

type TradeParts = { bots: Bots; trades: Trades; allTrades: AllTrades }

/** The trades of bots: their fills, from entry to exit. */
export function tradeRoutes({ bots, trades, allTrades }: TradeParts): Routes {
  return (scope) => {
    tradesOfBot(scope, bots, trades)
    tradesOfAll(scope, allTrades)
  }
}

function tradesOfBot(scope: App, bots: Bots, trades: Trades): void {
  scope.get(
    '/bot/signal/cex/:id/trades',
    {
      schema: {
        tags: ['Signal bots'],
        security: signedRequest,
        summary: 'List the trades of a signal bot',
        description,
        params: IdParameter,
        querystring: TradeQuery,
        response: { 200: TradePage, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal: { userId }, params: { id }, query }, reply) => {
      const part = partOf(query)
      const bot = await bots.get(userId, id)
      const window = { ...part, ...given({ symbol: query.symbol }) }
      const found = await trades.window(bot, window, whenGone(reply))
      const shown = found.map((one) => ({ ...one, isDemo: bot.isDemo, price: trades.priceOf(bot, one) }))
      return pageOf(query, shown)
    },
  )
}

function tradesOfAll(scope: App, allTrades: AllTrades): void {
  scope.get(
    '/trade',
    {
      schema: {
        tags: ['Orders and positions'],
        security: signedRequest,
        summary: 'List the trades of all your bots',
        description: `${description} Deleted bots have their trades, too.`,
        querystring: AllTradesQuery,
        response: { 200: TradePage, ...errorResponses(400, 401, 429, 500) },
      },
    },
    async ({ principal: { userId }, query }, reply) => {
      const filter = { ...readChoice(query), ...given({ symbol: query.symbol }), ...readSpan(query) }
      return pageOf(query, await allTrades.list(userId, filter, partOf(query), whenGone(reply)))
    },
  )
}

type PartQuery = Static<typeof TradeQuery>

/**
 * The part of a list that a request asks for, and one trade more, which says whether there are more.
 * @throws {AppError} 400 if the cursors contradict each other
 */
function partOf({ limit = defaultLimit, before, after }: PartQuery) {
  if (before !== undefined && after !== undefined && before <= after) {
    throw invalidQuery('before', 'must be larger than after')
  }
  return { limit: limit + 1, ...given({ before, after }) }
}

/** @param found as {@link partOf} asked for */
function pageOf({ limit = defaultLimit, before, after }: PartQuery, found: readonly ShownTrade[]) {
  const hasMore = found.length > limit
  const isUpwards = after !== undefined && before === undefined
  const shown = hasMore ? (isUpwards ? found.slice(1) : found.slice(0, limit)) : found
  return {
    items: shown.map(presentTrade),
    limit,
    next: hasMore ? shown.at(isUpwards ? 0 : -1)!.trade.id : null,
  }
}
