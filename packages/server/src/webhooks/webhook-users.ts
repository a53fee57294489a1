import { asc, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { strategies } from '../db/schema.ts'
import type { WebhookUser } from './webhooks.ts'

/** The strategies and reactions that a condition is true of: a hundred at the most, enough to be named. */
export function strategiesThat(tx: Db, condition: SQL): Promise<WebhookUser[]> {
  const { id, name, type } = strategies
  return tx
    .select({ kind: sql<string>`replace(${type}, '-', ' ')`, id, name })
    .from(strategies)
    .where(condition)
    .orderBy(asc(id))
    .limit(100)
}
