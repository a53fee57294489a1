import type { Db } from '../db/database.ts'
import type { dataWebhookShares, dataWebhooks } from '../db/schema.ts'

export type Webhook = typeof dataWebhooks.$inferSelect

/** What keeps a webhook from being deleted, and whose it is. */
export type WebhookUser = { kind: string; id: number; name: string; userId: number }

/** The webhooks of one kind: what texts call them, where they are kept, and where senders post. */
export type WebhookKind = {
  one: string
  /** That of data webhooks, or one that is like it column for column; `shares` likewise. */
  table: typeof dataWebhooks
  shares: typeof dataWebhookShares
  /** What of theirs is sealed and hashed, is so for this purpose alone. */
  purpose: string
  /** What limits how many a user may have. */
  limited: 'data_webhooks' | 'bot_webhooks'
  /** Where nodes tell each other of changes. */
  channel: string
  /** What stands before the id in their URLs. */
  path: string
  /** What uses a webhook: the owner's first, a hundred at the most. */
  usersOf(tx: Db, webhook: Webhook): Promise<WebhookUser[]>
  /** Parts what is a user's from a webhook of somebody else. */
  detach(tx: Db, webhookId: number, userId: number): Promise<void>
}
