import { sql } from 'drizzle-orm'
import { index, integer, json, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'

/**
 * A place that receives a user's notifications, or a host that receives the callbacks of signals. Address and secrets are
 * encrypted. The node that sends to it holds it until `heldUntil`. While it fails, `probeAt` is the time of the next attempt. `failingNotificationId` is the
 * notification that all failures since `failingSince` were about; `null`: there were several.
 */
export const notificationEndpoints = pgTable(
  'notification_endpoints',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text().$type<EndpointKind>().notNull().default('webhook'),
    /** Encrypted: the address of a webhook; for other kinds, their fields as JSON. */
    url: bytea().notNull(),
    /**
     * For callbacks: the origin of their addresses, such as `https://example.com`. The address is that of each delivery,
     * and `events` is empty. `null`: an endpoint of the user's own.
     */
    callbackOrigin: text(),
    description: text().notNull().default(''),
    events: text().array().$type<EventType[]>().notNull(),
    /** Events whose messages come without a sound. */
    silent: text().array().$type<EventType[]>().notNull().default([]),
    /** When other messages do too, except urgent ones. */
    quietHours: jsonb().$type<QuietHours>(),
    /** Until then, the same: its user has muted it. */
    mutedUntil: moment(),
    /** When it gets a digest each day; `null`: never. The next one is due then (`null`: nobody has looked yet). */
    digest: jsonb().$type<DigestTime>(),
    digestDueAt: moment(),
    /** The day of the last digest in its zone, such as `2026-01-31`, and the moment up to which it told. */
    digestDay: text(),
    digestUntil: moment(),
    status: text().$type<EndpointStatus>().notNull().default('ACTIVE'),
    /** Why the service has disabled it, as a sentence for people. */
    reason: text(),
    /** Signs the notifications of webhooks. Other kinds have one too, which nothing uses. */
    secret: bytea().notNull(),
    previousSecret: bytea(),
    previousUntil: moment(),
    holder: uuid(),
    heldUntil: moment(),
    failures: integer().notNull().default(0),
    failingSince: moment(),
    /** Of the time since then, how long no node tried although an attempt was due: the service was not running. */
    untriedSeconds: integer().notNull().default(0),
    failingNotificationId: reference(),
    probeAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index().on(table.userId),
    index('notification_endpoints_digest').on(table.digestDueAt).where(sql`digest is not null`),
    uniqueIndex('notification_endpoints_callbacks')
      .on(table.userId, table.callbackOrigin)
      .where(sql`callback_origin is not null`),
  ],
)

/** An address that gets signed JSON, a chat service, or the mail address of the user. */
export type EndpointKind = 'webhook' | 'telegram' | 'discord' | 'slack' | 'ntfy' | 'pushover' | 'email'

/** A time of each day, such as `22:00` to `07:30`, in an IANA time zone. */
export type QuietHours = { from: string; to: string; time_zone: string }

/** When an endpoint gets its digest each day, such as `08:00`, in an IANA time zone. */
export type DigestTime = { at: string; time_zone: string }

export type EndpointStatus = 'ACTIVE' | 'INACTIVE' | 'DISABLED'

export type EventType =
  | 'signal.created'
  | 'signal.failed'
  | 'order.settled'
  | 'order.unknown'
  | 'limit.reached'
  | 'position.opened'
  | 'position.closed'
  | 'position.closed_outside'
  | 'position.liquidated'
  | 'books.differ'
  | 'close.refused'
  | 'stop.refused'
  | 'stop.too_late'
  | 'funding.unknown'
  | 'bot.failed'
  | 'trading.switched'
  | 'strategy.suspended'
  | 'run.failed'
  | 'approval.requested'
  | 'backtest.finished'
  /** For callbacks: what became of a signal. */
  | 'signal.ended'
  /** For endpoints with a time for it. */
  | 'digest'
  | 'test'

/** An event, as receivers get it. `uid` is its id for receivers. */
export const notifications = pgTable(
  'notifications',
  {
    id: id(),
    uid: uuid().notNull().defaultRandom(),
    userId: reference().notNull(),
    type: text().$type<EventType>().notNull(),
    /** Stored as text, so that the signed bytes never change. */
    data: json().$type<Record<string, unknown>>().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId, table.id)],
)

/**
 * The delivery of a notification to one endpoint. `attempts` counts all attempts. `strikes` counts those that failed
 * although the endpoint accepted others, and determines `nextAttemptAt` (`null`: at once). There are no foreign keys: a
 * write along with a run must not fail because an endpoint has just been deleted.
 */
export const notificationDeliveries = pgTable(
  'notification_deliveries',
  {
    id: id(),
    notificationId: reference().notNull(),
    endpointId: reference().notNull(),
    /** For callbacks: the address of this one, encrypted. */
    url: bytea(),
    status: text().$type<'WAITING' | 'DELIVERED' | 'FAILED'>().notNull().default('WAITING'),
    attempts: integer().notNull().default(0),
    strikes: integer().notNull().default(0),
    /** The HTTP status of the latest attempt, or why there was no answer. */
    lastStatus: integer(),
    lastError: text(),
    lastAttemptAt: moment(),
    nextAttemptAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('notification_deliveries_once').on(table.notificationId, table.endpointId),
    index('notification_deliveries_waiting')
      .on(table.endpointId, table.notificationId)
      .where(sql`status = 'WAITING'`),
    index().on(table.endpointId, table.id),
  ],
)

/**
 * An address that wants to know what became of a signal, encrypted. It has the id of the signal. `notificationId` is the
 * notification that tells it; `null` while bots of the user still follow the signal. No foreign keys, as above.
 */
export const signalCallbacks = pgTable(
  'signal_callbacks',
  {
    id: reference().primaryKey(),
    /** Who sent the signal: the owner of the webhook, or a user with whom it is shared. */
    userId: reference().notNull(),
    origin: text().notNull(),
    url: bytea().notNull(),
    notificationId: reference(),
    createdAt: moment().notNull(),
  },
  (table) => [index('signal_callbacks_waiting').on(table.id).where(sql`notification_id is null`)],
)
