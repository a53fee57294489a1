import { and, eq, exists, or, type SQL } from 'drizzle-orm'
import { lockAccount } from '../db/account-lock.ts'
import type { Db } from '../db/database.ts'
import { botWebhookShares, botWebhooks, dataWebhookShares, dataWebhooks } from '../db/schema.ts'

const tables = {
  data: { table: dataWebhooks, shares: dataWebhookShares },
  bot: { table: botWebhooks, shares: botWebhookShares },
} as const

/**
 * Locks a webhook of this user, or one that is shared with the user, before something is attached to it. Until the
 * transaction ends, nobody can delete the webhook or revoke the share. This also locks the account. So a transaction
 * that locks a row which a revocation changes (a strategy, a bot) must lock the account before that.
 * @returns whether the user may use such a webhook
 */
export async function holdUsableWebhook(
  tx: Db,
  kind: keyof typeof tables,
  userId: number,
  id: number,
): Promise<boolean> {
  const { table } = tables[kind]
  await lockAccount(tx, userId)
  const found = await tx
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, id), or(eq(table.userId, userId), sharedWith(tx, kind, userId))))
    .for('share')
  return found.length > 0
}

/** Whether the webhook of the current row is shared with a user. */
function sharedWith(tx: Db, kind: keyof typeof tables, userId: number): SQL {
  const { table, shares } = tables[kind]
  return exists(
    tx
      .select({ id: shares.id })
      .from(shares)
      .where(and(eq(shares.webhookId, table.id), eq(shares.userId, userId))),
  )
}
