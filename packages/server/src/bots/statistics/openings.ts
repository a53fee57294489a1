import { and, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import { given } from '../../base/given.ts'
import type { Cursors } from '../../base/window.ts'
import type { Database } from '../../db/database.ts'
import type { Slots } from '../../db/reads.ts'
import { bareSymbol, fills } from '../../db/schema.ts'
import { betweenCursors, directionOf } from '../../db/windows.ts'
import { eventsOfBots } from '../of-bots.ts'

/** A fill that may have opened a trade. */
export type Opening = { id: number; botId: number }

/** Which fills: of some bots, of one symbol in any spelling, and from one time to another. */
export type OpeningFilter = { bots?: readonly number[]; symbol?: string; since?: Date; until?: Date }

/** The next fills of a user that fit the filter: from the newest to the oldest, or the other way with `after` alone. */
export function nextOpenings(
  { db, read }: Database,
  userId: number,
  filter: OpeningFilter & Cursors,
  limit: number,
): Promise<Opening[]> {
  const direction = directionOf(filter)
  const columns = { id: fills.id, botId: fills.botId }
  return read(
    'fills_that_may_open',
    { userId, limit },
    (slots, { bots, ...filter }) => {
      const fitting = matching(slots, filter)
      if (bots === undefined)
        return db
          .select(columns)
          .from(fills)
          .where(fitting)
          .orderBy(direction(fills.userId), direction(fills.id))
          .limit(slots.limit)
      return eventsOfBots(db, fills, bots, { where: fitting, direction, reach: slots.limit }).limit(
        slots.limit,
      )
    },
    filter,
  )
}

function matching(
  { userId }: Slots<{ userId: number }>,
  { symbol, since, until, before, after }: Slots<Omit<OpeningFilter, 'bots'> & Cursors>,
): SQL | undefined {
  return and(
    eq(fills.userId, userId),
    betweenCursors(fills.id, given({ before, after }) as Slots<Cursors>),
    symbol === undefined ? undefined : eq(bareSymbol(fills.symbol), bareSymbol(sql`${symbol}::text`)),
    since === undefined ? undefined : gte(fills.filledAt, since),
    until === undefined ? undefined : lte(fills.filledAt, until),
  )
}
