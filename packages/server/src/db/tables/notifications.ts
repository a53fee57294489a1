import { sql } from 'drizzle-orm'
import { index, integer, json, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'

/**
 * An address that receives a user's notifications. Address and secrets are encrypted. The node that sends to it holds it
 * until `heldUntil`. While it fails, `probeAt` is the time of the next attempt. `failingNotificationId` is the
 * notification that all failures since `failingSince` were about; `null`: there were several.
 */
export const notificationEndpoints = pgTable(
  'notification_endpoints',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    url: bytea().notNull(),
    description: text().notNull().default(''),
    events: text().array().$type<EventType[]>().notNull(),
    status: text().$type<EndpointStatus>().notNull().default('ACTIVE'),
    /** Why the service has disabled it, as a sentence for people. */
    reason: text(),
    secret: bytea().notNull(),
    previousSecret: bytea(),
    previousUntil: moment(),
    holder: uuid(),
    heldUntil: moment(),
    failures: integer().notNull().default(0),
    failingSince: moment(),
    failingNotificationId: reference(),
    probeAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId)],
)

export type EndpointStatus = 'ACTIVE' | 'INACTIVE' | 'DISABLED'

export type EventType =
  | 'signal.created'
  | 'signal.failed'
  | 'order.settled'
  | 'order.unknown'
  | 'limit.reached'
  | 'position.closed_outside'
  | 'position.liquidated'
  | 'books.differ'
  | 'close.refused'
  | 'strategy.suspended'
  | 'run.failed'
  | 'approval.requested'
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
