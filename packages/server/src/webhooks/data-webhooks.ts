import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { dataWebhookShares, dataWebhooks, strategies } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { anew } from '../strategies/versions.ts'
import type { WebhookKind } from './webhook-kind.ts'
import { strategiesThat } from './webhook-users.ts'
import { Webhooks } from './webhooks.ts'

const kind: WebhookKind = {
  one: 'data webhook',
  table: dataWebhooks,
  shares: dataWebhookShares,
  purpose: 'data_webhook',
  channel: 'tickwright_data_webhooks',
  path: '/data-webhook',
  usersOf: (tx, { id, userId }) => strategiesThat(tx, eq(strategies.dataWebhookId, id), userId),
  detach: async (tx, webhookId, userId) => {
    await tx
      .update(strategies)
      .set({ dataWebhookId: null, ...anew, updatedAt: sql`now()` })
      .where(and(eq(strategies.dataWebhookId, webhookId), eq(strategies.userId, userId)))
  },
}

/** Where payloads for reactions come in. */
export class DataWebhooks extends Webhooks {
  static open(database: Database, vault: Vault, publicUrl: string): Promise<DataWebhooks> {
    return new DataWebhooks(kind, database, vault, publicUrl).listen()
  }
}
