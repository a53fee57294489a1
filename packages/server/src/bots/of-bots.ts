import { and, type asc, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import type { Slot } from '../db/reads.ts'
import type { botSignals, fills, orders, payments } from '../db/schema.ts'

/**
 * The first events of some bots, in order, as far as `reach`. It reads a few of each bot: an index has these in order,
 * however rare the events of these bots are among all of their user.
 * @param botIds the slot or the list of their ids
 * @param reach how many of each bot; the caller may limit the whole list further
 */
export function eventsOfBots(
  db: Db,
  table: typeof orders | typeof fills | typeof payments | typeof botSignals,
  botIds: Slot<readonly number[]>,
  { where, direction, reach }: { where: SQL | undefined; direction: typeof asc; reach: Slot<number> },
) {
  // The columns that this uses are those of every table.
  const { id, botId } = table as typeof fills
  const ofOne = db
    .select({ id, botId })
    .from(table)
    .where(and(sql`${botId} = chosen.id`, where))
    .orderBy(direction(id))
    .limit(reach)
    .as('of_one')
  return db
    .select({ id: ofOne.id, botId: ofOne.botId })
    .from(sql`unnest(${botIds}::bigint[]) as chosen(id)`)
    .crossJoinLateral(ofOne)
    .orderBy(direction(ofOne.id))
}
