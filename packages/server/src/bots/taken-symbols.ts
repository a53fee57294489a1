import { and, asc, desc, eq, inArray, isNotNull } from 'drizzle-orm'
import { decimal, plain } from '../base/decimals.ts'
import type { Db } from '../db/database.ts'
import { orders, positions } from '../db/schema.ts'
import type { Openings } from '../trading/types.ts'

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
  const rows = await db.selectDistinct({ symbol: orders.symbol }).from(orders).where(mayOpen(botId))
  return rows.map(({ symbol }) => symbol)
}

/** The orders of a bot that may still open a position. */
export async function openingsOf(db: Db, botId: number): Promise<Openings> {
  // First: an opening that is planned meanwhile makes the answer outdated, instead of being missed.
  const latest = await latestOpening(db, botId)
  const { symbol, size, filledSize, limitPrice } = orders
  const rows = await db
    .select({ symbol, size, filledSize, limitPrice })
    .from(orders)
    .where(mayOpen(botId))
    .orderBy(asc(orders.id))
  return {
    latest,
    orders: rows.map((row) => ({
      symbol: row.symbol,
      size: plain(decimal(row.size).minus(decimal(row.filledSize))),
      limit: row.limitPrice === null ? null : plain(decimal(row.limitPrice)),
    })),
  }
}

/** See `Openings`. */
export async function latestOpening(db: Db, botId: number): Promise<string> {
  const [last] = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.botId, botId), eq(orders.purpose, 'open')))
    .orderBy(desc(orders.id))
    .limit(1)
  return String(last?.id ?? '')
}

function mayOpen(botId: number) {
  return and(
    eq(orders.botId, botId),
    eq(orders.purpose, 'open'),
    inArray(orders.status, ['PLANNED', 'OPEN', 'UNKNOWN']),
  )
}
