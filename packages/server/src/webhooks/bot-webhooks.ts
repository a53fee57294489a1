import { asc, eq } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { bots, botWebhooks, type dataWebhooks, strategies } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { strategiesThat } from './webhook-users.ts'
import { type Webhook, type WebhookKind, Webhooks, type WebhookUser } from './webhooks.ts'

/** Drizzle tells tables apart by name even where their rows are the same, as this parameter sees to. */
const alike = (table: { $inferSelect: Webhook }) => table as typeof dataWebhooks

const kind: WebhookKind = {
  one: 'bot webhook',
  table: alike(botWebhooks),
  purpose: 'bot_webhook',
  channel: 'tickwright_bot_webhooks',
  path: '/webhook',
  usersOf: async (tx, id) => [
    ...(await botsOf(tx, id)),
    ...(await strategiesThat(tx, eq(strategies.webhookId, id))),
  ],
}

/** Where signals come in: from outside, and from strategies of its owner. */
export class BotWebhooks extends Webhooks {
  static open(database: Database, vault: Vault, publicUrl: string): Promise<BotWebhooks> {
    return new BotWebhooks(kind, database, vault, publicUrl).listen()
  }
}

async function botsOf(tx: Db, webhookId: number): Promise<WebhookUser[]> {
  const following = await tx
    .select({ id: bots.id, name: bots.name })
    .from(bots)
    .where(eq(bots.webhookId, webhookId))
    .orderBy(asc(bots.id))
    .limit(100)
  return following.map((bot) => ({ kind: 'signal bot', ...bot }))
}
