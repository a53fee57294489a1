import { sql } from 'drizzle-orm'
import { index, integer, json, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'

/**
 * Where a user wants to be told of events. Address and secrets are encrypted. The node that sends to it has it in its
 * hands until `heldUntil`. While it fails, `probeAt` says when it is tried next, and `failingNotificationId` which
 * single notification all failures since `failingSince` were about; `null`: several.
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
    /** Why the service has disabled it, for a person. */
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
  | 'strategy.suspended'
  | 'run.failed'
  | 'approval.requested'
  | 'test'

/** What happened, as it is told. `uid` is what receivers know it by. */
export const notifications = pgTable(
  'notifications',
  {
    id: id(),
    uid: uuid().notNull().defaultRandom(),
    userId: reference().notNull(),
    type: text().$type<EventType>().notNull(),
    /** Text in its own order: what is signed stays the same, byte for byte. */
    data: json().$type<Record<string, unknown>>().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId, table.id)],
)

/**
 * A notification on its way to one endpoint. `attempts` are all that were made; `strikes` those that failed although
 * the endpoint took others, and set `nextAttemptAt`: `null` is at once. No foreign keys: what is written along with a
 * run must not fail because an endpoint has just been deleted.
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
    /** Of the latest attempt: the HTTP status, where there was an answer, and else why there was none. */
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
