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

/** A user's access to a provider of language models. `credentials` are encrypted, and never shown again. */
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
    /** Whether answers are asked for as a stream of events. */
    streaming: boolean().notNull().default(false),
    credentials: bytea().notNull(),
    /** What is asked in its place when it cannot answer; of the same user. */
    fallbackId: reference().references((): AnyPgColumn => aiConnections.id),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId), index().on(table.fallbackId)],
)

/**
 * What a reaction that asks a model has besides: a row for each, none for other strategies. A change of what its owner
 * decided raises the version of the strategy; `response` is what its last run has left.
 */
export const llmReactions = pgTable(
  'llm_reactions',
  {
    strategyId: reference()
      .primaryKey()
      .references(() => strategies.id, { onDelete: 'cascade' }),
    prompt: text().notNull(),
    connectionId: reference().references(() => aiConnections.id),
    /** What the model may do. */
    actions: jsonb().$type<('LONG' | 'SHORT' | 'EXIT')[]>().notNull(),
    /** The largest size that it may name; `null`: it names none. */
    maxSize: doublePrecision(),
    tokensPerDay: integer().notNull(),
    actionsPerDay: integer().notNull(),
    /** Whether its actions wait for their owner, and for how long. */
    needsApproval: boolean().notNull().default(false),
    approvalMinutes: integer().notNull().default(15),
    /** The last words of the model. */
    response: text(),
  },
  (table) => [index().on(table.connectionId)],
)

/** What a reaction has spent on a day in UTC, and what is reserved for questions that are not answered yet. */
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

/** What was said and done in the run of a model, as JSON. Goes with its run, without a foreign key as that has none. */
export const runTranscripts = pgTable(
  'run_transcripts',
  {
    runId: reference().primaryKey(),
    strategyId: reference().notNull(),
    text: text().notNull(),
  },
  (table) => [index().on(table.strategyId)],
)

/**
 * Actions of models that wait for their owner, or have waited: one a run, and one at a time that is `PENDING` for a
 * reaction. Nothing has to happen for one to expire but time. The signal that came of it is the one of its run.
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
    action: text().$type<'LONG' | 'SHORT' | 'EXIT'>().notNull(),
    symbols: jsonb().$type<string[]>().notNull(),
    options: jsonb().$type<SignalOptions>().notNull(),
    status: text().$type<ApprovalStatus>().notNull().default('PENDING'),
    /** The last words of the model in that run. */
    response: text(),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull(),
    decidedAt: moment(),
  },
  (table) => [
    uniqueIndex('approvals_run').on(table.runId),
    uniqueIndex('approvals_waiting').on(table.strategyId).where(sql`status = 'PENDING'`),
    index().on(table.userId, table.id),
    index().on(table.strategyId, table.id),
  ],
)

/** One that is stored as `PENDING` and late counts as `EXPIRED`. */
export type ApprovalStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'SUPERSEDED'
