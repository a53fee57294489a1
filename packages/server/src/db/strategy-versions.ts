import { eq, sql } from 'drizzle-orm'
import type { Db } from './database.ts'
import { strategies } from './schema.ts'

/** Every change to a strategy also sets these columns; see the table. */
export const newVersion = { version: sql`${strategies.version} + 1` }

/** Increases the version of all strategies of an account, after a change that may apply to each of them. */
export async function renewAll(tx: Db, userId: number): Promise<void> {
  await tx.update(strategies).set(newVersion).where(eq(strategies.userId, userId))
}
