import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'
import { dataWebhooks } from './webhooks.ts'

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
    /** Whether every user may read and copy the code. */
    isPublic: boolean().notNull().default(false),
    code: text().notNull(),
    sendSignal: boolean().notNull().default(false),
    webhookId: reference(),
    symbol: text(),
    usePrice: boolean().notNull().default(false),
    exchangeId: integer(),
    priceSymbol: text(),
    dataWebhookId: reference().references(() => dataWebhooks.id, { onDelete: 'set null' }),
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
    index('strategies_public').on(table.type, table.id).where(sql`is_public`),
  ],
)

export type StrategyType = CodeType | 'llm-reaction'
/** Those that are written in JavaScript. */
export type CodeType = 'code-strategy' | 'code-reaction'

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

export type RunTrigger = 'schedule' | 'tick' | 'webhook' | 'replay'
export type RunStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VIOLATION' | 'SKIPPED'

/** One call of `$.Http`: `url` without its secrets, `status` as the code saw it, `ms` until it did. */
export type HttpCall = { method: string; url: string; status: number; cache: boolean; ms: number }

/**
 * What strategies decided, and what came in by a bot webhook: then there is no strategy and no run. `webhookId` is the
 * bot webhook that it went to, or came by; `delivered` whether a bot took it. `previousTrigger` is what the strategy's
 * last trigger was before: a run that is executed again sees it so.
 */
export const signals = pgTable(
  'signals',
  {
    id: id(),
    userId: reference().notNull(),
    strategyId: reference(),
    runId: reference(),
    webhookId: reference(),
    /** Of what came by a bot webhook: the user whose URL it came by; `null`: the owner of the webhook. */
    senderId: reference(),
    action: text().$type<'LONG' | 'SHORT' | 'EXIT'>().notNull(),
    symbols: jsonb().$type<string[]>().notNull(),
    price: doublePrecision(),
    options: jsonb().$type<SignalOptions>().notNull(),
    previousTrigger: jsonb().$type<{
      action: 'LONG' | 'SHORT' | 'EXIT' | null
      price: number | null
      at: number | null
    }>(),
    /** Of what came from outside. `TEST`: checked and recorded, never traded. `REVERSE`: `action` is the other one. */
    flag: text().$type<'TEST' | 'REVERSE'>(),
    delivered: boolean().notNull().default(false),
    /** Why no bot took it, for its owner; `null` if one did, and for signals from before there was this column. */
    reason: text(),
    createdAt: moment().notNull(),
  },
  (table) => [
    uniqueIndex().on(table.runId),
    index().on(table.userId, table.id),
    index().on(table.strategyId, table.id),
    index().on(table.webhookId, table.id),
  ],
)

/** `slug` and `outcome` name what a signal for a prediction market is about; it has no symbol. */
export type SignalOptions = {
  id?: string
  size?: number
  dilution?: boolean
  forceSize?: boolean
  slug?: string
  outcome?: string
}

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
