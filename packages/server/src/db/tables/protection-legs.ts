import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { decimal, id, moment, reference } from './columns.ts'
import type { LegReason, LegStatus } from './protection.ts'
import { bots } from './trading.ts'

/** A stop or a target at an exchange. Each is written before it is sent, and belongs to the position that was opened at `openedAt`. */
export const protectionLegs = pgTable(
  'protection_legs',
  {
    id: id(),
    botId: reference()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    userId: reference().notNull(),
    symbol: text().notNull(),
    openedAt: moment().notNull(),
    /** Counts the legs of a position, so that two nodes cannot store the same one. */
    generation: integer().notNull(),
    /** The id under which it is sent, in the exchange's form. */
    clientId: text().notNull().unique('protection_legs_client_id_unique'),
    exchangeId: text(),
    side: text().$type<'buy' | 'sell'>().notNull(),
    /** In base currency. */
    size: decimal().notNull(),
    /** That of the market when it was stored: the rest of the position is less than this. `null`: an older leg. */
    sizeStep: decimal(),
    /** The exact level, in quote currency. */
    stop: decimal().notNull(),
    /** The price at which it triggers, or for which a target sells or buys: the level, rounded to the price step of the market. */
    price: decimal().notNull(),
    stopReason: text().$type<LegReason>().notNull(),
    /** Which target of the protection it is, from 1; `null`: it is the stop. */
    target: integer(),
    /** Of a stop: which target is in one order with it, at which price, and under which id; `null`: none. */
    ocoTarget: integer(),
    ocoPrice: decimal(),
    ocoClientId: text(),
    status: text().$type<LegStatus>().notNull().default('PLANNED'),
    /** Why it was refused or has ended, or why its fate is unknown, as a sentence for people. */
    reason: text(),
    /** The order that it has become, in the books. */
    orderId: reference(),
    sentAt: moment().notNull(),
    /** Since when the service knows that it rests at the exchange; `null` if it never did. */
    restsSince: moment(),
    /** When the service first asked the exchange to cancel it; `null` if it never did. */
    cancelAskedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('protection_legs_once').on(table.botId, table.symbol, table.openedAt, table.generation),
    index('protection_legs_live')
      .on(table.botId, table.symbol)
      .where(sql`status in ('PLANNED', 'UNKNOWN', 'OPEN')`),
  ],
)
