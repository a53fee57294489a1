import { type Static, Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { whenGone } from '../http/gone.ts'
import { readSpan } from '../http/moments.ts'
import { errorResponses, Id, IdParameter } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Period } from '../trading/statistics/tally.ts'
import type { Bots } from './bots.ts'
import { OptionalMoment } from './record-query-routes.ts'
import type { Records } from './records.ts'
import type { Statistics } from './statistics/statistics.ts'
import {
  BotStatsRecord,
  presentBotStats,
  presentStats,
  presentStrategyStats,
  StatsRecord,
  StrategyStatsRecord,
} from './statistics/stats-record.ts'

const span = {
  since: OptionalMoment('Only what happened at this time or later.'),
  until: OptionalMoment('Only what happened at this time or earlier.'),
}
const SpanQuery = Type.Object(span)
const StatsQuery = Type.Object({
  ...span,
  strategy_id: Type.Optional({ ...Id, description: 'Only trades that a signal of this strategy opened.' }),
})

const tags = ['Statistics']

type StatsParts = { bots: Bots; records: Records; statistics: Statistics }

/** What bots earned and lost. */
export function statsRoutes({ bots, records, statistics }: StatsParts): Routes {
  return (scope) => {
    scope.get(
      '/bot/signal/cex/:id/stats',
      {
        schema: {
          tags,
          security: signedRequest,
          summary: 'Read the statistics of a signal bot',
          description:
            'Equity, drawdown over every point of the equity, profit by day and month, figures of the closed trades, and a comparison with holding. A figure that cannot be known is `null`.',
          params: IdParameter,
          querystring: SpanQuery,
          response: { 200: BotStatsRecord, ...errorResponses(400, 401, 404, 429, 500) },
        },
      },
      async ({ principal: { userId }, params: { id }, query }, reply) => {
        const { period, shown } = periodOf(query)
        const bot = await bots.get(userId, id)
        const { equity } = await records.balance(bot)
        const now = { at: Date.now(), equity }
        return presentBotStats(bot, await statistics.ofBot(bot, period, now, whenGone(reply)), shown)
      },
    )
    scope.get(
      '/stats',
      {
        schema: {
          tags,
          security: signedRequest,
          summary: 'Read the statistics of all your bots, or of a strategy',
          description:
            'The sums over all bots, also deleted ones that traded in the period, for each mode and currency: nothing adds up different currencies, or paper and money.',
          querystring: StatsQuery,
          response: { 200: StatsRecord, ...errorResponses(400, 401, 429, 500) },
        },
      },
      async ({ principal: { userId }, query }, reply) => {
        const { period, shown } = periodOf(query)
        const groups = await statistics.ofUser(userId, period, query.strategy_id, whenGone(reply))
        return presentStats(groups, shown, query.strategy_id)
      },
    )
    scope.get(
      '/stats/strategy',
      {
        schema: {
          tags,
          security: signedRequest,
          summary: 'Read the statistics of each strategy',
          description:
            'The trades of all your bots by the strategy whose signal opened them, for each mode and currency. Fills and payments count if their trade does.',
          querystring: SpanQuery,
          response: { 200: StrategyStatsRecord, ...errorResponses(400, 401, 429, 500) },
        },
      },
      async ({ principal: { userId }, query }, reply) => {
        const { period, shown } = periodOf(query)
        return presentStrategyStats(await statistics.byStrategy(userId, period, whenGone(reply)), shown)
      },
    )
  }
}

/** @throws {AppError} 400 if it ends before it begins */
function periodOf(query: Static<typeof SpanQuery>) {
  const { since, until } = readSpan(query)
  const period: Period = { since: since?.getTime() ?? 0, until: until?.getTime() ?? Date.UTC(9999, 11, 31) }
  return { period, shown: { since: since?.toISOString() ?? null, until: until?.toISOString() ?? null } }
}
