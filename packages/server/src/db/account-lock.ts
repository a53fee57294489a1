import { eq } from 'drizzle-orm'
import type { Db } from './database.ts'
import { users } from './schema.ts'

/**
 * Lets one transaction at a time go on for an account, until it ends: for rules over many rows, such as how many
 * there may be. What the transaction reads afterwards is what the one before has left.
 */
export async function lockAccount(tx: Db, userId: number): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
}
