import type { CurrentPrice, LastTrigger, RunSteps } from '@tickwright/sandbox'
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
import type { Role } from '../../config.ts'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'
import type { SignalEntry } from './entry.ts'
import type { Protection, SignalOrigin } from './protection.ts'
import { dataWebhooks } from './webhooks.ts'

/**
 * A folder for a user's strategies of one type and their variables, or for bots of one type. `ancestors` are all folders that it is in, from the
 * outermost to its parent, so that one lookup finds what applies to a strategy.
 */
export const folders = pgTable(
  'folders',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text().$type<FolderType>().notNull(),
    name: text().notNull(),
    parentId: reference().references((): AnyPgColumn => folders.id),
    ancestors: bigint({ mode: 'number' }).array().notNull(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId, table.type), index().on(table.parentId)],
)

/** A value of `$.Env`: for the strategies of a folder and its subfolders, or for all if there is no folder. */
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
 * A user's settings of a strategy or reaction. The values that its runs change are in `strategy_state`. `version`
 * increases with every change to what a run receives: this row, the variables that may apply, or the state if a user
 * resets it. A run stores the version of its time, and a holder with an older version does not start it.
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
    /** The most runs per second; `null`: no limit. */
    delay: integer(),
    /** What triggers a strategy, and the time zone of its schedule; `null` for reactions. */
    cronInterval: text(),
    timezone: text(),
    version: integer().notNull().default(1),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index().on(table.userId, table.type, table.id),
    index().on(table.dataWebhookId),
    index().on(table.folderId),
    index('strategies_public').on(table.type, table.id).where(sql`is_public`),
  ],
)

export type StrategyType = CodeType | LlmType
/** The types of bots, as the API names them. */
export type BotType = 'signal-cex' | StoredBotType
/** The types of bots for which there is no venue yet. */
export type StoredBotType = 'signal-prediction' | 'signal-dex'
/** What folders are for. */
export type FolderType = StrategyType | BotType
/** The types of strategies in JavaScript. */
export type CodeType = 'code-strategy' | 'code-reaction'
/** The types of strategies that ask a language model. */
export type LlmType = 'llm-reaction' | 'llm-session'

/**
 * The next run of a strategy: one row for each active one, none for the others. The table is narrow and separate from
 * `strategies`, because `next_run_at` changes with every run and has an index. If prices trigger a strategy, `ticks` is
 * set, and the first price at or after `next_run_at` triggers it.
 */
export const schedules = pgTable(
  'schedules',
  {
    strategyId: reference()
      .primaryKey()
      .references(() => strategies.id, { onDelete: 'cascade' }),
    ticks: boolean().notNull(),
    nextRunAt: moment().notNull(),
    /** The time that was due when it last fired; `null` before the first time. */
    firedAt: moment(),
  },
  (table) => [
    index('schedules_due').on(table.nextRunAt).where(sql`not ticks`),
    index('schedules_ticks').on(table.strategyId).where(sql`ticks`),
  ],
)

/**
 * The values that the runs of a strategy change. The table is narrow and has no index on a column that changes, so that
 * updates stay heap-only. `holder` is the node that executes the strategy's runs. Every write of a run's outcome checks
 * that this node is still the holder.
 */
export const strategyState = pgTable('strategy_state', {
  strategyId: reference()
    .primaryKey()
    .references(() => strategies.id, { onDelete: 'cascade' }),
  holder: uuid(),
  /** A migration keeps PostgreSQL from compressing it: most runs write it again, and would spend most of their time on that. */
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

/**
 * A process on this database. Without a heartbeat for a while, it is considered dead. Each heartbeat writes `memoryBytes`
 * and `executors`; a node without the role `worker` has no executors.
 */
export const nodes = pgTable('nodes', {
  id: uuid().primaryKey(),
  startedAt: moment().notNull().defaultNow(),
  heartbeatAt: moment().notNull().defaultNow(),
  roles: text().$type<Role>().array(),
  version: text(),
  nodeVersion: text(),
  memoryBytes: bigint({ mode: 'number' }),
  executors: jsonb().$type<{ executors: number; alive: number; running: number; queued: number }>(),
})

export const runs = pgTable(
  'runs',
  {
    id: id(),
    strategyId: reference().notNull(),
    trigger: text().$type<RunTrigger>().notNull(),
    status: text().$type<RunStatus>().notNull().default('QUEUED'),
    deliveryId: reference(),
    /** The version of the strategy that the run executed; `null` if it never started. */
    version: integer(),
    /** The due time of its schedule, for a run that a schedule triggered. */
    dueAt: moment(),
    queuedAt: moment().notNull(),
    startedAt: moment(),
    finishedAt: moment(),
    durationMs: doublePrecision(),
    error: jsonb().$type<{ name: string; message: string; line: number | null; column: number | null }>(),
    violation: jsonb().$type<{ rule: string; limit: number; actual: number }>(),
    log: text(),
    /** `null`: no requests, as in most runs. */
    http: jsonb().$type<HttpCall[]>(),
    /** What its code logged and called, with times; `null` if it did neither. */
    steps: jsonb().$type<StoredSteps>(),
    /** `null`: nothing of it is kept, as of most runs without a price and with a large storage. */
    seen: jsonb().$type<StoredSeen>(),
    /** Its seed, and then the moments of its clock (`RunClock` of the sandbox); `null` if no code ran, or its executor died. */
    clock: bigint({ mode: 'number' }).array(),
  },
  (table) => [
    index().on(table.strategyId, table.id),
    index().on(table.deliveryId),
    index('runs_open').on(table.strategyId, table.id).where(sql`status in ('QUEUED', 'RUNNING')`),
    // Most runs succeed, so this index costs little, and people look for the others.
    index('runs_unsuccessful')
      .on(table.status, table.strategyId, table.id)
      .where(sql`status in ('FAILED', 'VIOLATION', 'SKIPPED')`),
  ],
)

/** What can cause a run. `manual`: its owner asked for it. */
export const runTriggers = ['schedule', 'tick', 'manual', 'webhook', 'replay'] as const
export type RunTrigger = (typeof runTriggers)[number]
export type RunStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VIOLATION' | 'SKIPPED'

/** One call of `$.Http`: `url` without secrets, the `status` that the code saw, and the duration in `ms`. */
export type HttpCall = { method: string; url: string; status: number; cache: boolean; ms: number }

/** What the code of a run logged and called. `leftOut` is the number of steps that did not fit. */
export type StoredSteps = RunSteps & { leftOut: number }

/**
 * What the code of a run found besides its payload. `storage` is JSON text. `storageOf` is an earlier run whose record has
 * the storage. Without both, the storage and the last trigger are not kept; with one of them, `lastTrigger` is missing if
 * there was none.
 */
export type StoredSeen = {
  price?: CurrentPrice
  storage?: string
  storageOf?: number
  lastTrigger?: LastTrigger
}

/**
 * Signals of strategies and of bot webhooks. Those from a bot webhook have no strategy and no run. `webhookId` is the bot
 * webhook that the signal was sent to, or came from. `delivered` says whether a bot has taken it. `previousTrigger` is
 * the strategy's last trigger from before, because a run that is executed again has to see that one.
 */
export const signals = pgTable(
  'signals',
  {
    id: id(),
    userId: reference().notNull(),
    strategyId: reference(),
    runId: reference(),
    webhookId: reference(),
    /**
     * Who made it, if no strategy and no webhook did: the owner of a bot, the bot's `on_limit` setting, or the protection
     * of a position, with the reason.
     */
    origin: text().$type<SignalOrigin>(),
    /** For a signal from a bot webhook: the user whose URL received it; `null`: the owner of the webhook. */
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
    /** For a signal from outside. `REVERSE`: `action` is already reversed. */
    flags: text().array().$type<SignalFlag[]>().notNull().default([]),
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

/** `TEST`: checked and recorded, never traded. `DEBUG`: its sender got an answer that explains it. */
export type SignalFlag = 'TEST' | 'REVERSE' | 'DEBUG'

/** `slug` and `outcome` name the market of a signal for a prediction market, which has no symbol. */
export type SignalOptions = {
  id?: string
  size?: number
  /**
   * What an opening `size` is in, whatever the bots say: base currency, or the quote currency of the market. Absent: the
   * bots decide.
   */
  sizeUnit?: 'base' | 'quote'
  dilution?: boolean
  forceSize?: boolean
  /** Of an EXIT: it closes a position on this side only. Absent: any. */
  closes?: 'long' | 'short'
  /** What the position that it opens is protected by, instead of what the bot says. */
  protection?: Partial<Protection>
  /** How it enters, instead of what the bot says. */
  entry?: SignalEntry
  slug?: string
  outcome?: string
}

/**
 * When an account's latest accepted actions were asked for, in the order in which they were accepted. The other columns
 * are the latest batch that was counted: its runs, the times of their requests, and which of them were granted.
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
