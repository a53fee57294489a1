import { eq } from 'drizzle-orm'
import type { Db } from './database.ts'
import { users } from './schema.ts'

/**
 * Holds a lock on an account until the transaction ends. Rules over many rows need it, such as a limit on their number.
 * Reads after the lock see what the previous holder wrote.
 */
export async function lockAccount(tx: Db, userId: number): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
}
