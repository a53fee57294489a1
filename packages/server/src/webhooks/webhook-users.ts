import { asc, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { strategies } from '../db/schema.ts'
import type { WebhookUser } from './webhook-kind.ts'

/** The strategies and reactions that match a condition: at most a hundred, those of `firstUserId` first. */
export function strategiesThat(tx: Db, condition: SQL, firstUserId: number): Promise<WebhookUser[]> {
  const { id, name, type, userId } = strategies
  return tx
    .select({ kind: sql<string>`replace(replace(${type}, 'llm', 'AI'), '-', ' ')`, id, name, userId })
    .from(strategies)
    .where(condition)
    .orderBy(sql`${userId} <> ${firstUserId}`, asc(id))
    .limit(100)
}
