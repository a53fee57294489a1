import { and, asc, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { equity } from '../db/schema.ts'

/** A bot's books right after a fill, in quote currency. */
export type EquityPoint = { at: Date; balance: string; unrealised: string }

/** More points than a chart can show are of no use. */
export const mostPoints = 1000

export type Span = { since?: Date; until?: Date }

/**
 * The books of a bot over time, the oldest first: every point of the span, or, if there are more than
 * {@link mostPoints}, the values at that many times, evenly spaced from the first point to the last.
 */
export async function equityCurve(database: Database, botId: number, span: Span): Promise<EquityPoint[]> {
  const inSpan = within(botId, span)
  const points = await database.db
    .select({ at: equity.at, balance: equity.balance, unrealised: equity.unrealised })
    .from(equity)
    .where(inSpan)
    .orderBy(asc(equity.at), asc(equity.id))
    .limit(mostPoints + 1)
  return points.length <= mostPoints ? points : sampled(database, botId, span)
}

/** Finds the point of each time through the index, so the cost does not depend on the number of points. */
async function sampled(database: Database, botId: number, span: Span): Promise<EquityPoint[]> {
  const inSpan = within(botId, span)
  const steps = mostPoints - 1
  const moments = sql`
    select first + (last - first) * (step::float8 / ${steps}::int) as moment
    from (select min(${equity.at}) as first, max(${equity.at}) as last from ${equity} where ${inSpan}) ends,
      generate_series(0, ${steps}::int) step`
  const latest = sql`
    select ${equity.id} as point from ${equity}
    where ${inSpan} and ${equity.at} <= moment
    order by ${equity.at} desc, ${equity.id} desc limit 1`
  return database.db
    .select({ at: equity.at, balance: equity.balance, unrealised: equity.unrealised })
    .from(equity)
    .where(sql`${equity.id} in (select point from (${moments}) moments cross join lateral (${latest}) found)`)
    .orderBy(asc(equity.at), asc(equity.id))
}

function within(botId: number, { since, until }: Span): SQL | undefined {
  return and(
    eq(equity.botId, botId),
    since === undefined ? undefined : gte(equity.at, since),
    until === undefined ? undefined : lte(equity.at, until),
  )
}
