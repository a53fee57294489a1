import { and, eq, sql } from 'drizzle-orm'
import type { Note } from '../accounts/audit-log.ts'
import { AppError, notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { bots } from '../db/schema.ts'

/** Of a bot whose highest equity starts again. */
export const noDrawdown = { highestEquity: null, drawdownReachedAt: null, drawdownEquity: null }

/** The next look at the equity of the bot stores its new highest. @throws {AppError} 404, 409 */
export async function resetDrawdown(
  database: Database,
  userId: number,
  id: number,
  note: Note,
): Promise<void> {
  await database.db.transaction(async (tx) => {
    const own = and(eq(bots.id, id), eq(bots.userId, userId))
    const [bot] = await tx.select().from(bots).where(own).for('update')
    if (bot === undefined) throw notFound('bot', id)
    if (bot.settings.maxDrawdown === null && bot.drawdownReachedAt === null) {
      throw new AppError('resource_conflict', `Bot ${id} has no max_drawdown that could be reset.`)
    }
    const { highestEquity, drawdownEquity } = bot
    await tx
      .update(bots)
      .set({ ...noDrawdown, version: sql`${bots.version} + 1`, updatedAt: sql`now()` })
      .where(own)
    await note(tx, {
      id,
      ...(highestEquity !== null && { highest_equity: highestEquity }),
      ...(drawdownEquity !== null && { equity: drawdownEquity }),
    })
  })
}
