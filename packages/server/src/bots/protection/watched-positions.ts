import { and, asc, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import { positionProtections, positions } from '../../db/schema.ts'

/**
 * A user's open positions whose stops and targets act only while the service may close: those that it watches, and those
 * that it is closing.
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
      ),
    )
    .orderBy(asc(positions.botId), asc(positions.symbol))
  return { watched: found.slice(0, limit), watched_total: found.length }
}
