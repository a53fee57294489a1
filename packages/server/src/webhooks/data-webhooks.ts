import { eq } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { dataWebhooks, strategies } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { strategiesThat } from './webhook-users.ts'
import { type WebhookKind, Webhooks } from './webhooks.ts'

const kind: WebhookKind = {
  one: 'data webhook',
  table: dataWebhooks,
  purpose: 'data_webhook',
  channel: 'tickwright_data_webhooks',
  path: '/data-webhook',
  usersOf: (tx, id) => strategiesThat(tx, eq(strategies.dataWebhookId, id)),
}

/** Where payloads for reactions come in. */
export class DataWebhooks extends Webhooks {
  static open(database: Database, vault: Vault, publicUrl: string): Promise<DataWebhooks> {
    return new DataWebhooks(kind, database, vault, publicUrl).listen()
  }
}
