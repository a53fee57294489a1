import { eq, sql } from 'drizzle-orm'
import type { Db } from './database.ts'
import { strategies } from './schema.ts'

/** Columns that every change to a strategy sets too; see the table. */
export const anew = { version: sql`${strategies.version} + 1` }

/** Increases the version of all strategies of an account, after a change that may apply to each of them. */
export async function renewAll(tx: Db, userId: number): Promise<void> {
  await tx.update(strategies).set(anew).where(eq(strategies.userId, userId))
}
