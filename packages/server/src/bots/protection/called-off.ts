import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { type ProtectiveOrigin, positionProtections } from '../../db/schema.ts'
import { nextGeneration } from './rows.ts'

/**
 * The owner has dropped a close of a protection, which must not queue the same one again. A dropped target takes all
 * targets with it, and the stop stays. Without any other close, nothing protects the position until its owner says so.
 */
export async function callOff(tx: Db, closeId: number, origin: ProtectiveOrigin): Promise<void> {
  const { settings } = positionProtections
  const change =
    origin === 'take_profit'
      ? { settings: sql`jsonb_set(${settings}, '{take_profit}', '[]')`, targetsPassed: 0 }
      : { state: 'CALLED_OFF' as const }
  await tx
    .update(positionProtections)
    .set({ ...change, closeId: null, generation: nextGeneration, updatedAt: new Date() })
    .where(eq(positionProtections.closeId, closeId))
}
