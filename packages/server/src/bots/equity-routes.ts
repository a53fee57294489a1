import { type Static, Type } from 'typebox'
import { invalidQuery } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { whenGone } from '../http/gone.ts'
import { readMoment } from '../http/moments.ts'
import { errorResponses } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { dayMs, dayOf } from '../trading/risk.ts'
import { OptionalMoment } from './record-query-routes.ts'
import type { Equities } from './statistics/equities.ts'
import {
  DrawdownsRecord,
  EquitiesRecord,
  presentDrawdowns,
  presentEquities,
} from './statistics/equity-record.ts'

const usualDays = 30
const mostDays = 366
/** More points than a chart of this sum is wide are of no use. */
const mostPoints = 500

const DrawdownQuery = Type.Object({
  since: OptionalMoment(
    `The falls from this time on, at most ${mostDays} days ago. Without it, from midnight (UTC) ${usualDays} days ago.`,
  ),
  points: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: mostPoints,
      description: 'How many points of the curve to return. Without it, none.',
    }),
  ),
})

const tags = ['Statistics']

/** What all bots of a user are worth. */
export function equityRoutes(equities: Equities): Routes {
  return (scope) => {
    scope.get(
      '/equity',
      {
        schema: {
          tags,
          security: signedRequest,
          summary: 'Read the equity of all your bots',
          description:
            'The sums over all bots at current prices, and what they realised today (UTC), for each mode and currency: nothing adds up different currencies, or paper and money.',
          response: { 200: EquitiesRecord, ...errorResponses(401, 429, 500) },
        },
      },
      async ({ principal: { userId } }) => {
        const at = Date.now()
        return presentEquities(await equities.now(userId, at), at)
      },
    )
    scope.get(
      '/equity/drawdown',
      {
        schema: {
          tags,
          security: signedRequest,
          summary: 'Read the drawdown of all your bots together',
          description:
            'The falls of the sum of all equities, over every point of each bot, for each mode and currency. The start balance of a bot counts from the beginning of the period, so a new bot is no profit. With `points`, each group has the curve of its sum in evenly spaced points.',
          querystring: DrawdownQuery,
          response: { 200: DrawdownsRecord, ...errorResponses(400, 401, 429, 500) },
        },
      },
      async ({ principal: { userId }, query }, reply) => {
        const now = Date.now()
        const since = sinceOf(query, now)
        const span = { since, now, points: query.points ?? null }
        return presentDrawdowns(await equities.falls(userId, span, whenGone(reply)), since)
      },
    )
  }
}

/** @throws {AppError} 400 for a time in the future, or too long ago to read each day since then */
function sinceOf({ since }: Static<typeof DrawdownQuery>, now: number): number {
  if (since === undefined) return dayOf(now) - usualDays * dayMs
  const at = readMoment('since', since).getTime()
  if (at > now) throw invalidQuery('since', 'must not be in the future')
  if (at < now - mostDays * dayMs) throw invalidQuery('since', `must be at most ${mostDays} days ago`)
  return at
}
