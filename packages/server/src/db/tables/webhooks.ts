import {
  type AnyPgColumn,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'

/**
 * What webhooks of either kind are. `version` rises with every change of a row. Ingestion works from a cached row and
 * lets its own statement check the version, so that a stale cache can never accept what the stored row would refuse.
 * @param name of the table
 */
const webhookColumns = (name: string) => ({
  id: id(),
  userId: reference()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  name: text().notNull(),
  description: text().notNull(),
  status: text().$type<'ACTIVE' | 'INACTIVE'>().notNull().default('ACTIVE'),
  isSafe: boolean().notNull().default(false),
  keyHash: bytea(),
  keyFrom: text().$type<'header' | 'header_or_body'>().notNull().default('header'),
  /** SHA-256 of the id in the URL: all that a lookup needs. */
  urlHash: bytea().notNull().unique(`${name}_url_hash_unique`),
  /** The id in the URL, encrypted, so that its owner can be shown it again. */
  urlSecret: bytea().notNull(),
  version: integer().notNull().default(1),
  createdAt: moment().notNull().defaultNow(),
  updatedAt: moment().notNull().defaultNow(),
})

/**
 * What shares of webhooks of either kind are: the leave of another user to use one, with a URL of their own. To revoke
 * one is to delete it, and its id never comes again. Ingestion's statement looks whether it is
 * there still, so that no cache can let through what was revoked.
 * @param webhookId the id of the shared webhook
 */
const shareColumns = (name: string, webhookId: () => AnyPgColumn) => ({
  id: id(),
  webhookId: reference().notNull().references(webhookId, { onDelete: 'cascade' }),
  /** The id that the owner named. Nobody need have it: sharing must not tell who exists. */
  namedUserId: reference().notNull(),
  /** Whom it is shared with: the user who had that id at the time. `null`: nobody, or not any more. */
  userId: reference().references(() => users.id, { onDelete: 'set null' }),
  urlHash: bytea().notNull().unique(`${name}_url_hash_unique`),
  urlSecret: bytea().notNull(),
  createdAt: moment().notNull().defaultNow(),
})

/** An address that takes JSON from outside, and hands it to reactions. */
export const dataWebhooks = pgTable('data_webhooks', webhookColumns('data_webhooks'), (table) => [
  index().on(table.userId),
])

export const dataWebhookShares = pgTable(
  'data_webhook_shares',
  shareColumns('data_webhook_shares', () => dataWebhooks.id),
  (table) => [uniqueIndex().on(table.webhookId, table.namedUserId), index().on(table.userId)],
)

/**
 * The tables that grow with traffic (deliveries, runs, signals) carry no foreign keys: the checks would cost a
 * lookup a row on the hottest path. What they point at is deleted by the owning domain, and by retention.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    id: id(),
    webhookId: reference().notNull(),
    /** Byte for byte as it came, but for a `key` that was taken out. */
    body: text().notNull(),
    headers: jsonb().$type<Record<string, string>>().notNull(),
    ip: text().notNull(),
    /** The user whose URL it came by; `null`: the owner of the webhook. */
    senderId: reference(),
    idempotencyKey: text(),
    reactions: integer().notNull(),
    receivedAt: moment().notNull(),
  },
  (table) => [index().on(table.webhookId, table.id)],
)

/**
 * Which delivery an `Idempotency-Key` stands for. A key is free again after 24 hours. It is one sender's alone:
 * `senderId` is the user whose URL it came by, 0 for the owner of the webhook.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    webhookId: reference().notNull(),
    senderId: reference().notNull().default(0),
    key: text().notNull(),
    deliveryId: reference().notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [
    uniqueIndex('idempotency_keys_once').on(table.webhookId, table.senderId, table.key),
    index().on(table.createdAt),
  ],
)

/** An address that takes signals from outside, and that strategies of its owner can send theirs to. */
export const botWebhooks = pgTable('bot_webhooks', webhookColumns('bot_webhooks'), (table) => [
  index().on(table.userId),
])

export const botWebhookShares = pgTable(
  'bot_webhook_shares',
  shareColumns('bot_webhook_shares', () => botWebhooks.id),
  (table) => [uniqueIndex().on(table.webhookId, table.namedUserId), index().on(table.userId)],
)

/**
 * Which signal an `Idempotency-Key` of a bot webhook stands for, and how it was answered: `bots` took it, and it came
 * in at `createdAt`. A key is free again after 24 hours, and one sender's alone, as above.
 */
export const botWebhookKeys = pgTable(
  'bot_webhook_keys',
  {
    webhookId: reference().notNull(),
    senderId: reference().notNull().default(0),
    key: text().notNull(),
    signalId: reference().notNull(),
    bots: integer().notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [
    uniqueIndex('bot_webhook_keys_once').on(table.webhookId, table.senderId, table.key),
    index().on(table.createdAt),
  ],
)
