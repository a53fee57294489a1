import { bigint, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { moment, reference } from './columns.ts'

/**
 * For how long no stop of a live position rested at its exchange, where the service keeps stops. The position was opened at
 * `openedAt`. The row outlives position and bot, because their trades do.
 */
export const unprotectedTimes = pgTable(
  'unprotected_times',
  {
    botId: reference().notNull(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    symbol: text().notNull(),
    openedAt: moment().notNull(),
    /** Since when none rests there; `null`: one does, or there should be none. */
    since: moment(),
    /** Until when `milliseconds` counts the time since then. */
    countedUntil: moment(),
    milliseconds: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.botId, table.symbol, table.openedAt] })],
)
