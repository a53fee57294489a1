import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'
import { type SignalOptions, strategies } from './strategies.ts'

/** A user's access to a provider of language models. `credentials` are encrypted and never shown again. */
export const aiConnections = pgTable(
  'ai_connections',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    serviceId: integer().notNull(),
    name: text().notNull(),
    /** `null`: the service's own address. */
    baseUrl: text(),
    model: text().notNull(),
    /** Whether the service requests answers as a stream of events. */
    streaming: boolean().notNull().default(false),
    credentials: bytea().notNull(),
    /** The connection, of the same user, that is asked if this one cannot answer. */
    fallbackId: reference().references((): AnyPgColumn => aiConnections.id),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId), index().on(table.fallbackId)],
)

/**
 * The additional settings of a strategy that asks a model: one row for each, none for other strategies. A change by the
 * owner increases the version of the strategy. `response` is the result of the last run.
 */
export const llmSettings = pgTable(
  'llm_settings',
  {
    strategyId: reference()
      .primaryKey()
      .references(() => strategies.id, { onDelete: 'cascade' }),
    prompt: text().notNull(),
    connectionId: reference().references(() => aiConnections.id),
    /** The connection that is asked instead of the fallback of `connectionId`; `null`: that one. */
    fallbackId: reference().references(() => aiConnections.id),
    /** The actions that the model may take. */
    actions: jsonb().$type<('LONG' | 'SHORT' | 'EXIT')[]>().notNull(),
    /** The largest size that the model may name; `null`: it cannot name one. */
    maxSize: doublePrecision(),
    /** The tools that the model has besides its actions. */
    tools: jsonb().$type<ModelTool[]>().notNull(),
    /** The code strategies and code reactions of its owner that it may change. Some may no longer exist. */
    mayChange: jsonb().$type<number[]>().notNull().default([]),
    changeNeedsApproval: boolean().notNull().default(true),
    tokensPerDay: integer().notNull(),
    actionsPerDay: integer().notNull(),
    /** Whether actions wait for the owner's approval, and for how long. */
    needsApproval: boolean().notNull().default(false),
    approvalMinutes: integer().notNull().default(15),
    /** Whether the owner gets each reply of the model by mail. */
    sendEmail: boolean().notNull().default(false),
    /** The chart that the model sees: `market/chart/chart-settings.ts`. */
    useChart: boolean().notNull().default(false),
    chartSymbol: text(),
    chartInterval: text().notNull().default('1h'),
    chartStudies: jsonb().$type<string[]>().notNull().default([]),
    chartRange: text(),
    /** The last reply of the model. */
    response: text(),
  },
  (table) => [index().on(table.connectionId), index().on(table.fallbackId)],
)

/** `ai/tools.ts` has what each of them does. */
export type ModelTool =
  | 'get_positions'
  | 'get_price'
  | 'get_candles'
  | 'get_indicator'
  | 'get_signal_logs'
  | 'get_error_logs'
  | 'get_storage'
  | 'set_storage'
  | 'append_storage'
  | 'web_fetch'
  | 'set_strategy'
  | 'set_strategy_status'

/** What a reaction has spent on a day (UTC), and what is reserved for questions without an answer yet. */
export const aiSpending = pgTable(
  'ai_spending',
  {
    strategyId: reference()
      .notNull()
      .references(() => strategies.id, { onDelete: 'cascade' }),
    day: date({ mode: 'string' }).notNull(),
    tokens: bigint({ mode: 'number' }).notNull(),
    actions: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.strategyId, table.day] }), index().on(table.day)],
)

/** The conversation with a model in a run, as JSON. It is deleted with its run. Like runs, it has no foreign key. */
export const runTranscripts = pgTable(
  'run_transcripts',
  {
    runId: reference().primaryKey(),
    strategyId: reference().notNull(),
    text: text().notNull(),
    /** The chart that the model saw, a PNG. */
    picture: bytea(),
    /** `null`: a fallback decided, or the run is from before the service kept this. */
    basis: jsonb().$type<TranscriptBasis>(),
  },
  (table) => [index().on(table.strategyId)],
)

/**
 * What the decision of a run depended on, besides its payload. Digests are SHA-256 in hex: `question` of prompt, model and
 * tools, `storage` and `kept` of the stored value before and after. The last action, and when it was in Unix ms, are there
 * if the prompt shows them. `prices`: those that the model got. `asksBots`: it asked what bots hold or did.
 */
export type TranscriptBasis = {
  question: string
  storage: string
  kept: string
  lastAction?: 'LONG' | 'SHORT' | 'EXIT' | null
  lastActionAt?: number | null
  prices: [symbol: string, price: number][]
  asksBots: boolean
}

/** What a model wants another strategy to be, and the tag and version of the settings that it knew. */
export type StrategyChange = { etag: string; version: number } & (
  | { kind: 'code'; code: string }
  | { kind: 'status'; status: 'ACTIVE' | 'INACTIVE' }
)

/**
 * Actions and changes of models that wait, or have waited, for approval. `number` counts those of a run: 0 is its action,
 * whose signal is that of the run, and 1, 2 … are its changes. A strategy has one `PENDING` action at a time, and one
 * `PENDING` change of each kind for each target. An approval expires when its time is over; nothing has to be written.
 */
export const approvals = pgTable(
  'approvals',
  {
    id: id(),
    userId: reference().notNull(),
    strategyId: reference()
      .notNull()
      .references(() => strategies.id, { onDelete: 'cascade' }),
    runId: reference().notNull(),
    number: integer().notNull().default(0),
    kind: text().$type<'action' | StrategyChange['kind']>().notNull().default('action'),
    /** `null` for a change, which has a target and a `change` instead. */
    action: text().$type<'LONG' | 'SHORT' | 'EXIT'>(),
    symbols: jsonb().$type<string[]>().notNull().default([]),
    options: jsonb().$type<SignalOptions>().notNull().default({}),
    targetId: reference().references(() => strategies.id, { onDelete: 'cascade' }),
    change: jsonb().$type<StrategyChange>(),
    status: text().$type<ApprovalStatus>().notNull().default('PENDING'),
    /** The last reply of the model in that run. */
    response: text(),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull(),
    decidedAt: moment(),
  },
  (table) => [
    uniqueIndex('approvals_run').on(table.runId, table.number),
    uniqueIndex('approvals_waiting')
      .on(table.strategyId, table.kind, sql`coalesce(${table.targetId}, 0)`)
      .where(sql`status = 'PENDING'`),
    index().on(table.targetId),
    index().on(table.userId, table.id),
    index().on(table.strategyId, table.id),
  ],
)

/**
 * A row that is stored as `PENDING` counts as `EXPIRED` once its time is over. A scheduler stores that soon after.
 * `NOT_NEEDED`: a change that the service made at once.
 */
export type ApprovalStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'SUPERSEDED' | 'NOT_NEEDED'
