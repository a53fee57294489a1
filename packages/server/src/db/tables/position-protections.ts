import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { decimal, moment, reference } from './columns.ts'
import type { Protection, ProtectionState, StopReason } from './protection.ts'
import { bots } from './trading.ts'

/**
 * The protection of a bot's position in a symbol. It belongs to the position that was opened at `openedAt`: of any later
 * one, it says nothing. So nobody has to end it when the position closes.
 */
export const positionProtections = pgTable(
  'position_protections',
  {
    botId: reference()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    symbol: text().notNull(),
    openedAt: moment().notNull(),
    /** The order that opened the position; `null` if its owner protected it later. */
    orderId: reference(),
    settings: jsonb().$type<Protection>().notNull(),
    state: text().$type<ProtectionState>().notNull().default('WATCHED'),
    /** In base currency: all that the openings have bought. Targets close parts of it. */
    openedSize: decimal().notNull(),
    /** The best price since the entry, in quote currency. */
    bestPrice: decimal(),
    stopPrice: decimal(),
    stopReason: text().$type<StopReason>(),
    targetsPassed: integer().notNull().default(0),
    /** Increases with every decision of a person. What was computed before it does not count. */
    generation: integer().notNull().default(1),
    /** The last close that the protection queued, in the list of signals of the bot. */
    closeId: reference(),
    /** How many closes in a row ended without closing what they should. The next one comes after `retryAt`. */
    attempts: integer().notNull().default(0),
    retryAt: moment(),
    /** No node has looked at the prices since then, and the candles of that time are still to be read; `null`: nothing is. */
    missedSince: moment(),
    /** What `closeId` gets for all that it closes, before slippage, because the price came while no node was looking. */
    missedPrice: decimal(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.symbol] }),
    index('position_protections_close').on(table.closeId).where(sql`close_id is not null`),
  ],
)

/** One row, with id 1: until when the prices of protected positions were watched, by any node. */
export const protectionWatch = pgTable('protection_watch', {
  id: integer().primaryKey(),
  watchedUntil: moment().notNull(),
})
