import { and, eq, exists, or, type SQL } from 'drizzle-orm'
import { lockAccount } from '../db/account-lock.ts'
import type { Db } from '../db/database.ts'
import { botWebhookShares, botWebhooks, dataWebhookShares, dataWebhooks } from '../db/schema.ts'

const places = {
  data: { table: dataWebhooks, shares: dataWebhookShares },
  bot: { table: botWebhooks, shares: botWebhookShares },
} as const

/**
 * Holds a webhook in place until something of this user is attached to it: theirs, or one that is shared with them.
 * Until the transaction has ended it is not deleted, and the share not revoked. It locks the account, so whoever holds
 * a row of it that revoking a share changes (a strategy, a bot) locks the account before.
 * @returns whether there is such a webhook
 */
export async function holdUsableWebhook(
  tx: Db,
  kind: keyof typeof places,
  userId: number,
  id: number,
): Promise<boolean> {
  const { table } = places[kind]
  await lockAccount(tx, userId)
  const found = await tx
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, id), or(eq(table.userId, userId), sharedWith(tx, kind, userId))))
    .for('share')
  return found.length > 0
}

/** Whether a webhook, of the row at hand, is shared with a user. */
function sharedWith(tx: Db, kind: keyof typeof places, userId: number): SQL {
  const { table, shares } = places[kind]
  return exists(
    tx
      .select({ id: shares.id })
      .from(shares)
      .where(and(eq(shares.webhookId, table.id), eq(shares.userId, userId))),
  )
}
