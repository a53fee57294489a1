import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
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

/** `json`: only `application/json`. `any`: also `text/plain`, and posts that do not say what they are. */
type ContentType = 'json' | 'any'
/** `header`: senders put the password into `X-Key`. `header_or_body`: there, or into the field `key` of the payload. */
type KeyFrom = 'header' | 'header_or_body'
/** In whose words the payloads of a bot webhook are. `tickwright` is our own. */
export type AlertFormat = 'tickwright' | 'tradingview' | '3commas' | 'traderspost' | 'openalgo' | 'freqtrade'

/**
 * The columns of webhooks of both kinds. `version` increases with every change of a row. Ingestion uses a cached row, and
 * its statement checks the version. So a stale cache can never accept what the stored row would refuse.
 * @param name the name of the table
 * @param defaults what its webhooks accept unless their owner decides otherwise
 */
const webhookColumns = (name: string, defaults: { contentType: ContentType; keyFrom: KeyFrom }) => ({
  id: id(),
  userId: reference()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  name: text().notNull(),
  description: text().notNull(),
  status: text().$type<'ACTIVE' | 'INACTIVE'>().notNull().default('ACTIVE'),
  isSafe: boolean().notNull().default(false),
  keyHash: bytea(),
  keyFrom: text().$type<KeyFrom>().notNull().default(defaults.keyFrom),
  contentType: text().$type<ContentType>().notNull().default(defaults.contentType),
  /** The networks whose posts it accepts, or `tradingview` for its addresses. Empty: those of everyone. */
  allowFrom: text().array().notNull().default([]),
  /** SHA-256 of the id in the URL, for lookups. */
  urlHash: bytea().notNull().unique(`${name}_url_hash_unique`),
  /** The id in the URL, encrypted, so that the service can show it to its owner again. */
  urlSecret: bytea().notNull(),
  version: integer().notNull().default(1),
  createdAt: moment().notNull().defaultNow(),
  updatedAt: moment().notNull().defaultNow(),
})

/**
 * The columns of shares of both kinds. A share permits another user to use a webhook with a URL of their own. Revoking a
 * share deletes it, and its id is never reused. Ingestion's statement checks that the share still exists, so no cache can
 * accept a payload after that.
 * @param webhookId the id of the shared webhook
 */
const shareColumns = (name: string, webhookId: () => AnyPgColumn) => ({
  id: id(),
  webhookId: reference().notNull().references(webhookId, { onDelete: 'cascade' }),
  /** The id that the owner entered. It may belong to nobody, because sharing must not reveal who exists. */
  namedUserId: reference().notNull(),
  /** The recipient: the user who had that id at the time. `null`: nobody, or a user who was deleted. */
  userId: reference().references(() => users.id, { onDelete: 'set null' }),
  urlHash: bytea().notNull().unique(`${name}_url_hash_unique`),
  urlSecret: bytea().notNull(),
  createdAt: moment().notNull().defaultNow(),
})

/** The columns of refused posts of both kinds. They have no foreign keys, so that writing them locks nothing. */
const refusedPostColumns = () => ({
  id: id(),
  webhookId: reference().notNull(),
  /** The user whose URL it came by; `null`: the owner of the webhook. */
  senderId: reference(),
  /** `null` if the sender had ended the connection. */
  ip: text(),
  /** The bytes of its body; `null` if the sender did not say, and the service did not read all of it. */
  size: bigint({ mode: 'number' }),
  status: integer().notNull(),
  code: text().notNull(),
  reason: text().notNull(),
  /** The header or field that carried a key; `null`: none did. */
  keyName: text(),
  /** How many posts by the same URL were refused after this one, and are only counted. */
  more: bigint({ mode: 'number' }).notNull(),
  refusedAt: moment().notNull(),
})

/** An address that receives JSON from outside and passes it to reactions. */
export const dataWebhooks = pgTable(
  'data_webhooks',
  webhookColumns('data_webhooks', { contentType: 'json', keyFrom: 'header' }),
  (table) => [index().on(table.userId, table.id)],
)

export const dataWebhookShares = pgTable(
  'data_webhook_shares',
  shareColumns('data_webhook_shares', () => dataWebhooks.id),
  (table) => [uniqueIndex().on(table.webhookId, table.namedUserId), index().on(table.userId)],
)

export const refusedDataPosts = pgTable('refused_data_posts', refusedPostColumns(), (table) => [
  index().on(table.webhookId, table.id),
])

/** A payload that its user keeps to test reactions with, under a name. Retention never deletes it. */
export const testPayloads = pgTable(
  'test_payloads',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    webhookId: reference()
      .notNull()
      .references(() => dataWebhooks.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    body: text().notNull(),
    /** With the address, what came with the delivery that it is a copy of; `null` if its user typed it. */
    headers: jsonb().$type<Record<string, string>>(),
    ip: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [uniqueIndex().on(table.webhookId, table.name), index().on(table.userId, table.id)],
)

/**
 * The tables that grow with traffic (deliveries, runs, signals) have no foreign keys: each check would cost a lookup per
 * row on the hottest path. The domain that owns the rows deletes them, and retention does.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    id: id(),
    webhookId: reference().notNull(),
    /** Byte for byte as received, except for a `key` that was removed. */
    body: text().notNull(),
    headers: jsonb().$type<Record<string, string>>().notNull(),
    ip: text().notNull(),
    /** The user whose URL received it; `null`: the owner of the webhook. */
    senderId: reference(),
    idempotencyKey: text(),
    reactions: integer().notNull(),
    receivedAt: moment().notNull(),
    /** When its row was written, by the clock of the database; `null` for deliveries from before there was this column. */
    storedAt: moment().default(sql`clock_timestamp()`),
  },
  (table) => [index().on(table.webhookId, table.id)],
)

/**
 * The delivery that an `Idempotency-Key` belongs to. A key is free again after 24 hours. Each sender has keys of its own:
 * `senderId` is the user whose URL received it, or 0 for the owner of the webhook.
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

/** An address that receives signals from outside. Its owner's strategies can send their signals to it too. */
export const botWebhooks = pgTable(
  'bot_webhooks',
  // Most senders of signals are alerts of charts, which control the body alone.
  {
    ...webhookColumns('bot_webhooks', { contentType: 'any', keyFrom: 'header_or_body' }),
    format: text().$type<AlertFormat>().notNull().default('tickwright'),
  },
  (table) => [index().on(table.userId, table.id)],
)

export const botWebhookShares = pgTable(
  'bot_webhook_shares',
  shareColumns('bot_webhook_shares', () => botWebhooks.id),
  (table) => [uniqueIndex().on(table.webhookId, table.namedUserId), index().on(table.userId)],
)

export const refusedBotPosts = pgTable('refused_bot_posts', refusedPostColumns(), (table) => [
  index().on(table.webhookId, table.id),
])

/** The post from which a signal came. It has the id of the signal, and no foreign key, as above. */
export const botWebhookDeliveries = pgTable(
  'bot_webhook_deliveries',
  {
    id: reference().primaryKey(),
    webhookId: reference().notNull(),
    /** Byte for byte as received, except for a `key` that was removed. */
    body: text().notNull(),
    headers: jsonb().$type<Record<string, string>>().notNull(),
    /** Empty if the sender had ended the connection. */
    ip: text().notNull(),
    /** The user whose URL received it; `null`: the owner of the webhook. */
    senderId: reference(),
    idempotencyKey: text(),
    /** How many bots took its signal. */
    bots: integer().notNull(),
    receivedAt: moment().notNull(),
    /** `null` for posts from before there were receipts of them. */
    storedAt: moment().default(sql`clock_timestamp()`),
  },
  (table) => [index().on(table.webhookId, table.id)],
)

/**
 * The signal that an `Idempotency-Key` of a bot webhook belongs to, and its answer: `bots` is the number of bots that took
 * it, and it arrived at `createdAt`. A key is free again after 24 hours, and each sender has keys of its own, as above.
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
