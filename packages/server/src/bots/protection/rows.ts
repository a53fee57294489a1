import { and, eq, type SQL, sql } from 'drizzle-orm'
import { decimal, plain } from '../../base/decimals.ts'
import type { Db } from '../../db/database.ts'
import { positionProtections } from '../../db/schema.ts'
import type { Marks, Protected } from '../../trading/protection/plan.ts'
import type { Position } from '../../trading/types.ts'

export type ProtectionRow = typeof positionProtections.$inferSelect

export function keyOf(botId: number, symbol: string): SQL | undefined {
  return and(eq(positionProtections.botId, botId), eq(positionProtections.symbol, symbol))
}

/** What was computed for an earlier generation does not count. */
export const nextGeneration: SQL = sql`${positionProtections.generation} + 1`

/**
 * Gives an open position its protection, instead of any that is stored for its symbol: nothing of that counts for it.
 * Nobody has seen a price for it yet, and targets close parts of `openedSize`.
 */
export async function writeProtection(
  tx: Db,
  botId: number,
  symbol: string,
  given: Pick<ProtectionRow, 'openedAt' | 'orderId' | 'settings' | 'openedSize'>,
): Promise<void> {
  const values = {
    ...given,
    ...columnsOf({ bestPrice: null, stop: null, targetsPassed: 0 }),
    ...{ state: 'WATCHED' as const, closeId: null, attempts: 0, retryAt: null, updatedAt: new Date() },
    ...{ missedSince: null, missedPrice: null },
  }
  await tx
    .insert(positionProtections)
    .values({ botId, symbol, ...values })
    .onConflictDoUpdate({
      target: [positionProtections.botId, positionProtections.symbol],
      set: { ...values, generation: nextGeneration },
    })
}

/** The position that a protection belongs to; `undefined` if it is closed, or another one by now. */
export function protectedOf(
  position: Position,
  { openedAt, openedSize }: Pick<ProtectionRow, 'openedAt' | 'openedSize'>,
): Protected | undefined {
  const { side, size, entryPrice } = position
  if (side === null || entryPrice === null || position.openedAt !== openedAt.getTime()) return undefined
  return { side, size, entryPrice, openedAt: position.openedAt, openedSize: exact(openedSize) }
}

type MarkColumns = Pick<ProtectionRow, 'bestPrice' | 'stopPrice' | 'stopReason' | 'targetsPassed'>

export function marksOf({ bestPrice, stopPrice, stopReason, targetsPassed }: MarkColumns): Marks {
  const stop =
    stopPrice === null || stopReason === null ? null : { price: exact(stopPrice), reason: stopReason }
  return { bestPrice: bestPrice === null ? null : exact(bestPrice), stop, targetsPassed }
}

export function columnsOf({ bestPrice, stop, targetsPassed }: Marks) {
  return { bestPrice, stopPrice: stop?.price ?? null, stopReason: stop?.reason ?? null, targetsPassed }
}

/** Without trailing zeros. */
function exact(numeric: string): string {
  return plain(decimal(numeric))
}
