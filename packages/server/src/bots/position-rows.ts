import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { decimal, plain } from '../base/decimals.ts'
import type { Db } from '../db/database.ts'
import { type PositionMargin, positions } from '../db/schema.ts'
import { flatPosition } from '../trading/ledger.ts'
import type { Position } from '../trading/types.ts'

export type PositionKey = { botId: number; userId: number; symbol: string }

export async function readPosition(db: Db, botId: number, symbol: string): Promise<Position> {
  const [row] = await db
    .select()
    .from(positions)
    .where(and(eq(positions.botId, botId), eq(positions.symbol, symbol)))
  return row === undefined ? flatPosition() : toPosition(row)
}

/** A row as the trading code uses it: decimals without trailing zeros, times as numbers. */
export function toPosition(row: typeof positions.$inferSelect): Position {
  return {
    side: row.side,
    size: plain(decimal(row.size)),
    entryPrice: row.entryPrice === null ? null : plain(decimal(row.entryPrice)),
    realised: plain(decimal(row.realised)),
    fees: plain(decimal(row.fees)),
    openedAt: row.openedAt?.getTime() ?? null,
    lastLossAt: row.lastLossAt?.getTime() ?? null,
  }
}

/**
 * Stores what the exchange says about the margin of an open position, unless it has changed meanwhile.
 * @returns what was stored before; `undefined` if nothing is new
 */
export async function writeMargin(
  tx: Db,
  { botId, symbol, size }: { botId: number; symbol: string; size: string },
  margin: PositionMargin,
): Promise<PositionMargin | null | undefined> {
  const isIt = and(
    ...[eq(positions.botId, botId), eq(positions.symbol, symbol), isNotNull(positions.side)],
    ...[eq(positions.size, size)],
    sql`${positions.margin} is distinct from ${JSON.stringify(margin)}::jsonb`,
  )
  const [before] = await tx.select({ margin: positions.margin }).from(positions).where(isIt).for('update')
  if (before !== undefined) await tx.update(positions).set({ margin }).where(isIt)
  return before?.margin
}

export async function writePosition(
  tx: Db,
  key: PositionKey,
  { openedAt, lastLossAt, ...position }: Position,
): Promise<void> {
  const state = {
    ...position,
    openedAt: openedAt === null ? null : new Date(openedAt),
    lastLossAt: lastLossAt === null ? null : new Date(lastLossAt),
    updatedAt: new Date(),
    marginWatchedAt: new Date(),
    // It was that of the position before.
    margin: null,
  }
  await tx
    .insert(positions)
    .values({ ...key, ...state })
    .onConflictDoUpdate({ target: [positions.botId, positions.symbol], set: state })
}
