import type { Db } from '../db/database.ts'
import type { AlertFormat, dataWebhookShares, dataWebhooks, refusedDataPosts } from '../db/schema.ts'

/** `format`: data webhooks take any JSON, so they have none. */
export type Webhook = typeof dataWebhooks.$inferSelect & { format?: AlertFormat }

/** A strategy or bot that uses a webhook, so that it cannot be deleted. */
export type WebhookUser = { kind: string; id: number; name: string; userId: number }

/** A strategy or bot that no longer uses a webhook. */
export type Detached = { id: number; part: 'strategy' | 'bot' }

/** The names, tables and paths of the webhooks of one kind. */
export type WebhookKind = {
  one: string
  /** The table of data webhooks, or one with the same columns; the same for `shares` and `refused`. */
  table: typeof dataWebhooks
  shares: typeof dataWebhookShares
  refused: typeof refusedDataPosts
  /** The vault's purpose for their secrets, and what live streams call them. */
  purpose: 'data_webhook' | 'bot_webhook'
  /** The limit on how many a user may have. */
  limited: 'data_webhooks' | 'bot_webhooks'
  /** The channel on which nodes tell each other of changes. */
  channel: string
  /** The part of their URLs before the secret. */
  path: string
  /** What uses a webhook: the owner's first, at most a hundred. */
  usersOf(tx: Db, webhook: Webhook): Promise<WebhookUser[]>
  /** Detaches everything of a user from another user's webhook. @returns what live streams show of it */
  detach(tx: Db, webhookId: number, userId: number): Promise<Detached[]>
}
