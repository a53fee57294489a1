import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

const bytea = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => Buffer.from(value),
})
const id = () => bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity()
const reference = () => bigint({ mode: 'number' })
const moment = () => timestamp({ withTimezone: true })

/** One row: what this installation is. `keyCheck` tells whether the master key is the one that the secrets were sealed with. */
export const installation = pgTable('installation', {
  id: integer().primaryKey(),
  keyCheck: bytea().notNull(),
  createdAt: moment().notNull().defaultNow(),
})

export const users = pgTable('users', {
  id: id(),
  email: text().notNull().unique(),
  passwordHash: text().notNull(),
  role: text().$type<'admin' | 'user'>().notNull(),
  createdAt: moment().notNull().defaultNow(),
})

/** `secret` is an HMAC secret, encrypted; `publicKey` an ML-DSA-44 key, raw. A key has one of the two. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    algorithm: text().$type<'HMAC' | 'ML-DSA'>().notNull(),
    apiKey: text().notNull().unique('api_keys_api_key_unique'),
    secret: bytea(),
    publicKey: bytea(),
    createdAt: moment().notNull().defaultNow(),
    lastUsedAt: moment(),
    rotatedAt: moment(),
  },
  (table) => [index().on(table.userId)],
)

/** What this installation decided about an exchange; what an exchange is stands in `catalogue/`. */
export const exchangeSettings = pgTable('exchange_settings', {
  exchangeId: integer().primaryKey(),
  enabled: boolean().notNull(),
  updatedAt: moment().notNull().defaultNow(),
})

/**
 * `version` rises with every change of a row. Ingestion works from a cached row and lets its own statement
 * check the version, so that a stale cache can never accept what the stored row would refuse.
 */
export const dataWebhooks = pgTable(
  'data_webhooks',
  {
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
    urlHash: bytea().notNull().unique('data_webhooks_url_hash_unique'),
    /** The id in the URL, encrypted, so that its owner can be shown it again. */
    urlSecret: bytea().notNull(),
    version: integer().notNull().default(1),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId)],
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
    idempotencyKey: text(),
    reactions: integer().notNull(),
    receivedAt: moment().notNull(),
  },
  (table) => [index().on(table.webhookId, table.id)],
)

/** Which delivery an `Idempotency-Key` stands for. A key is free again after 24 hours. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    webhookId: reference().notNull(),
    key: text().notNull(),
    deliveryId: reference().notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.webhookId, table.key] }), index().on(table.createdAt)],
)

/**
 * Where a user keeps strategies of one type, and variables for them. `ancestors` are all folders that it is in,
 * the outermost first and its parent last: so that what applies to a strategy is found without climbing.
 */
export const folders = pgTable(
  'folders',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text().$type<StrategyType>().notNull(),
    name: text().notNull(),
    parentId: reference().references((): AnyPgColumn => folders.id),
    ancestors: bigint({ mode: 'number' }).array().notNull(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId, table.type), index().on(table.parentId)],
)

/** What `$.Env` holds: in strategies of a folder and of those within it, or in all where there is no folder. */
export const variables = pgTable(
  'variables',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    folderId: reference().references(() => folders.id),
    name: text().notNull(),
    /** Encrypted. */
    value: bytea().notNull(),
    valueBytes: integer().notNull(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('variables_name').on(table.userId, sql`coalesce(${table.folderId}, 0)`, table.name),
    index().on(table.folderId),
  ],
)

/**
 * What a user decided about a strategy or reaction. What its runs change is in `strategy_state`. `version` rises
 * with every change of what a run is given: of this row, of the variables that may apply, of the state by hand.
 * A run knows the version that was stored when it was, and no holder of an older one starts it.
 */
export const strategies = pgTable(
  'strategies',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text().$type<StrategyType>().notNull(),
    name: text().notNull(),
    folderId: reference().references(() => folders.id),
    status: text().$type<'ACTIVE' | 'INACTIVE'>().notNull().default('INACTIVE'),
    code: text().notNull(),
    sendSignal: boolean().notNull().default(false),
    webhookId: reference(),
    symbol: text(),
    usePrice: boolean().notNull().default(false),
    exchangeId: integer(),
    priceSymbol: text(),
    dataWebhookId: reference().references(() => dataWebhooks.id),
    /** At most that many runs a second; `null`: as fast as they go. */
    delay: integer(),
    /** What sets a strategy off, and the time zone it is read in; `null` for reactions. */
    cronInterval: text(),
    timezone: text(),
    version: integer().notNull().default(1),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index().on(table.userId, table.type),
    index().on(table.dataWebhookId),
    index().on(table.folderId),
  ],
)

export type StrategyType = 'code-strategy' | 'code-reaction'

/**
 * When a strategy that is switched on runs next: a row for each, none for the others. Narrow, and apart from
 * `strategies`, because `next_run_at` moves with every run and has an index. A strategy that prices set off has
 * `ticks`; the next price that comes at `next_run_at` or later does.
 */
export const schedules = pgTable(
  'schedules',
  {
    strategyId: reference()
      .primaryKey()
      .references(() => strategies.id, { onDelete: 'cascade' }),
    ticks: boolean().notNull(),
    nextRunAt: moment().notNull(),
    /** The moment that was due when it last fired; `null` before the first. */
    firedAt: moment(),
  },
  (table) => [
    index('schedules_due').on(table.nextRunAt).where(sql`not ticks`),
    index('schedules_ticks').on(table.strategyId).where(sql`ticks`),
  ],
)

/**
 * What the runs of a strategy change: narrow, without an index on any column that changes, so that the updates
 * stay heap-only. `holder` is the node that works off this strategy's runs; every write of a run's outcome
 * demands that it still is.
 */
export const strategyState = pgTable('strategy_state', {
  strategyId: reference()
    .primaryKey()
    .references(() => strategies.id, { onDelete: 'cascade' }),
  holder: uuid(),
  storage: text(),
  lastAction: text().$type<'LONG' | 'SHORT' | 'EXIT'>(),
  lastPrice: doublePrecision(),
  lastActionAt: moment(),
  lastRunAt: moment(),
  suspendedUntil: moment(),
  suspension: jsonb().$type<Suspension>(),
  violationCount: integer().notNull().default(0),
  lastViolationAt: moment(),
})

export type Suspension = { run_id: number; rule: string; limit: number; actual: number }

/** A process that works on this database. One that has not been heard of for a while is dead. */
export const nodes = pgTable('nodes', {
  id: uuid().primaryKey(),
  startedAt: moment().notNull().defaultNow(),
  heartbeatAt: moment().notNull().defaultNow(),
})

export const runs = pgTable(
  'runs',
  {
    id: id(),
    strategyId: reference().notNull(),
    trigger: text().$type<RunTrigger>().notNull(),
    status: text().$type<RunStatus>().notNull().default('QUEUED'),
    deliveryId: reference(),
    queuedAt: moment().notNull(),
    startedAt: moment(),
    finishedAt: moment(),
    durationMs: doublePrecision(),
    error: jsonb().$type<{ name: string; message: string; line: number | null; column: number | null }>(),
    violation: jsonb().$type<{ rule: string; limit: number; actual: number }>(),
    log: text(),
    /** `null` for none: most runs make none. */
    http: jsonb().$type<HttpCall[]>(),
  },
  (table) => [
    index().on(table.strategyId, table.id),
    index().on(table.deliveryId),
    index('runs_open').on(table.strategyId, table.id).where(sql`status in ('QUEUED', 'RUNNING')`),
  ],
)

export type RunTrigger = 'schedule' | 'tick' | 'webhook' | 'manual' | 'replay' | 'test'
export type RunStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VIOLATION' | 'SKIPPED'

/** One call of `$.Http`: `url` without its secrets, `status` as the code saw it, `ms` until it did. */
export type HttpCall = { method: string; url: string; status: number; cache: boolean; ms: number }

/** `previousTrigger` is what the strategy's last trigger was before: a run that is executed again sees it so. */
export const signals = pgTable(
  'signals',
  {
    id: id(),
    userId: reference().notNull(),
    strategyId: reference().notNull(),
    runId: reference().notNull(),
    action: text().$type<'LONG' | 'SHORT' | 'EXIT'>().notNull(),
    symbols: jsonb().$type<string[]>().notNull(),
    price: doublePrecision(),
    options: jsonb().$type<SignalOptions>().notNull(),
    previousTrigger: jsonb()
      .$type<{ action: 'LONG' | 'SHORT' | 'EXIT' | null; price: number | null; at: number | null }>()
      .notNull(),
    delivered: boolean().notNull().default(false),
    createdAt: moment().notNull(),
  },
  (table) => [
    uniqueIndex().on(table.runId),
    index().on(table.userId, table.id),
    index().on(table.strategyId, table.id),
  ],
)

export type SignalOptions = { id?: string; size?: number; dilution?: boolean; forceSize?: boolean }

/**
 * When the latest actions of an account were accepted, the oldest first. The other columns are the latest batch
 * that was counted: the runs that asked, when they did, and which of them were granted their action.
 */
export const actionRates = pgTable('action_rates', {
  userId: reference()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  accepted: moment().array().notNull(),
  askingRuns: bigint({ mode: 'number' }).array().notNull(),
  askedAt: moment().array().notNull(),
  grantedRuns: bigint({ mode: 'number' }).array().notNull(),
})
