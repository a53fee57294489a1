import { and, asc, eq, exists, inArray, isNotNull, isNull, not } from 'drizzle-orm'
import type { Database, Db } from '../../db/database.ts'
import { positionProtections, positions, protectionLegs } from '../../db/schema.ts'

/**
 * A user's open positions that nothing closes while the service may not: those that it watches, and those that it is
 * closing, without a stop that rests at the exchange.
 * @returns the first `limit` of them, and how many there are
 */
export async function watchedPositions({ db }: Database, userId: number, limit: number) {
  const found = await db
    .select({ bot_id: positions.botId, symbol: positions.symbol })
    .from(positions)
    .innerJoin(
      positionProtections,
      and(
        eq(positionProtections.botId, positions.botId),
        eq(positionProtections.symbol, positions.symbol),
        eq(positionProtections.openedAt, positions.openedAt),
      ),
    )
    .where(
      and(
        eq(positions.userId, userId),
        isNotNull(positions.side),
        inArray(positionProtections.state, ['WATCHED', 'CLOSING']),
        not(stopRests(db)),
      ),
    )
    .orderBy(asc(positions.botId), asc(positions.symbol))
  return { watched: found.slice(0, limit), watched_total: found.length }
}

function stopRests(db: Db) {
  const { id, botId, symbol, openedAt, status, target } = protectionLegs
  const isOfPosition = and(
    ...[eq(botId, positions.botId), eq(symbol, positions.symbol), eq(openedAt, positions.openedAt)],
    ...[eq(status, 'OPEN'), isNull(target)],
  )
  return exists(db.select({ id }).from(protectionLegs).where(isOfPosition))
}
