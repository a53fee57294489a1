import { jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { reference } from './columns.ts'
import { bots } from './trading.ts'

/**
 * What the owner of a bot has heard of its position in a symbol, and the trade of the books after the fill `fillId`. It
 * exists only for users with endpoints, and may be behind the fills: the news of the next fill begins with reading those
 * since then.
 */
export const toldTrades = pgTable(
  'told_trades',
  {
    botId: reference()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    symbol: text().notNull(),
    fillId: reference().notNull(),
    /** Decimals as text. */
    books: jsonb().$type<Record<string, unknown>>().notNull(),
    /** The trades whose opening and whose close the owner has heard of, by id. */
    openedId: reference(),
    closedId: reference(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.symbol] })],
)
