import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { orders, positions } from '../db/schema.ts'

/** The symbols in which a bot holds a position. */
export async function heldSymbols(db: Db, botId: number): Promise<string[]> {
  const rows = await db
    .select({ symbol: positions.symbol })
    .from(positions)
    .where(and(eq(positions.botId, botId), isNotNull(positions.side)))
  return rows.map(({ symbol }) => symbol)
}

/** The symbols in which an order of a bot may still open a position. */
export async function openingSymbols(db: Db, botId: number): Promise<string[]> {
  const rows = await db
    .selectDistinct({ symbol: orders.symbol })
    .from(orders)
    .where(
      and(
        eq(orders.botId, botId),
        eq(orders.purpose, 'open'),
        inArray(orders.status, ['PLANNED', 'OPEN', 'UNKNOWN']),
      ),
    )
  return rows.map(({ symbol }) => symbol)
}
