import { and, eq, sql } from 'drizzle-orm'
import { dataWebhookShares, dataWebhooks, refusedDataPosts, strategies } from '../db/schema.ts'
import { newVersion } from '../db/strategy-versions.ts'
import type { WebhookKind } from './webhook-kind.ts'
import { strategiesThat } from './webhook-users.ts'
import { Webhooks, type WebhooksParts } from './webhooks.ts'

const kind: WebhookKind = {
  one: 'data webhook',
  table: dataWebhooks,
  shares: dataWebhookShares,
  refused: refusedDataPosts,
  purpose: 'data_webhook',
  limited: 'data_webhooks',
  channel: 'tickwright_data_webhooks',
  path: '/data-webhook',
  usersOf: (tx, { id, userId }) => strategiesThat(tx, eq(strategies.dataWebhookId, id), userId),
  detach: async (tx, webhookId, userId) => {
    const detached = await tx
      .update(strategies)
      .set({ dataWebhookId: null, ...newVersion, updatedAt: sql`now()` })
      .where(and(eq(strategies.dataWebhookId, webhookId), eq(strategies.userId, userId)))
      .returning({ id: strategies.id })
    return detached.map(({ id }) => ({ id, part: 'strategy' as const }))
  },
}

/** Webhooks that receive payloads for reactions. */
export class DataWebhooks extends Webhooks {
  static open(parts: WebhooksParts): Promise<DataWebhooks> {
    return new DataWebhooks(kind, parts).listen()
  }
}
