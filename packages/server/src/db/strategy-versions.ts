import { eq, sql } from 'drizzle-orm'
import type { Db } from './database.ts'
import { strategies } from './schema.ts'

/** What a change of a strategy sets besides; see the table. */
export const anew = { version: sql`${strategies.version} + 1` }

/** Something has changed that may apply to all strategies of an account. */
export async function renewAll(tx: Db, userId: number): Promise<void> {
  await tx.update(strategies).set(anew).where(eq(strategies.userId, userId))
}
