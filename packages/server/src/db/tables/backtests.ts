import type { LastTrigger } from '@tickwright/sandbox'
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'
import type { BotSettings } from './trading.ts'

/**
 * Backtests that users asked for. `holder` is the node that executes it; if that dies, another node goes on from the
 * checkpoint in `backtest_parts`.
 */
export const backtests = pgTable(
  'backtests',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    status: text().$type<BacktestStatus>().notNull().default('QUEUED'),
    /** The strategy and version that the code is from; `null`: it came with the request. It may be deleted by now. */
    strategyId: reference(),
    version: bigint({ mode: 'number' }),
    code: text().notNull(),
    symbol: text().notNull(),
    plan: jsonb().$type<BacktestPlan>().notNull(),
    /** The variables of `$.Env` at the time of the request, as JSON, encrypted. Empty once it has ended. */
    environment: bytea().notNull(),
    /** Those that came with the request, compressed. Empty with a stored series, and once it has ended. */
    candles: bytea().notNull(),
    /** The moments of funding, compressed. Null if nothing is paid, and once it has ended. */
    funding: bytea(),
    candleCount: integer().notNull(),
    periodMs: bigint({ mode: 'number' }).notNull(),
    /** The runs of the code, for all bots together, and how many of them are over. */
    runs: integer().notNull(),
    runsDone: integer().notNull().default(0),
    holder: uuid(),
    /** How often its process has ended without a result. */
    deaths: integer().notNull().default(0),
    /** Names the decisions of the code, if they depend on nothing else, so that later backtests of the user need no run. */
    decisionsKey: bytea().notNull(),
    isDecided: boolean().notNull().default(false),
    /** The tokens that its model has used, with those that are reserved for questions without an answer. */
    modelTokens: bigint({ mode: 'number' }).notNull().default(0),
    results: jsonb().$type<BacktestResult[]>(),
    digest: text(),
    /** Why it failed, or, while it is `RUNNING`, why it waits. */
    error: text(),
    createdAt: moment().notNull().defaultNow(),
    startedAt: moment(),
    finishedAt: moment(),
  },
  (table) => [
    index().on(table.userId, table.id),
    // Each account has one that runs, whichever nodes look for work at the same time.
    uniqueIndex('backtests_running').on(table.userId).where(sql`status = 'RUNNING'`),
    index('backtests_open').on(table.id).where(sql`status in ('QUEUED', 'RUNNING')`),
    index('backtests_decided').on(table.userId, table.decisionsKey).where(sql`is_decided`),
  ],
)

export type BacktestStatus = 'QUEUED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'CANCELLED'

/** What a backtest depends on, besides its code, candles and variables. Times in Unix ms; `null`: all candles. */
export type BacktestPlan = {
  /** The stored series that the candles are from; `null`: they came with the request. */
  candleId?: number | null
  /** Which of the candles of the series in `backtest_parts` it has. Absent: it has those of its own row. */
  series?: BacktestSeries
  /** Default: `candles`. */
  source?: 'candles' | 'deliveries' | 'signals'
  /** The bot webhook whose stored signals the bots follow, instead of what code decides. */
  botWebhookId?: number
  /** The stored deliveries that the code runs on: their number, and the digest of their copies in `backtest_parts`. */
  deliveries?: { webhookId: number; usesPrice: boolean; count: number; digest: string }
  fromMs: number | null
  toMs: number | null
  warmUpFromMs: number | null
  parameters: Record<string, string>
  seed: number
  atEnd: 'hold' | 'close'
  /** What the code finds at its start, and where that is from. Default: it finds nothing. */
  storage: string | null
  lastTrigger: LastTrigger
  starts?: { storage: BacktestStart; lastTrigger: BacktestStart }
  answers: BacktestAnswer[]
  /** Requests of `$.Http` that only read are sent. Default: none are. */
  http?: 'read'
  /** `id` is that of the bot that the settings are from. */
  bots: { id: number | null; name: string; settings: BotSettings }[]
  /** Absent: the market takes any order at once, and liquidates no position. */
  market?: BacktestMarket
  /** Whether the code is run again on other data, to see whether it looks ahead. */
  examines: boolean
  /** Whose decisions the bots follow, instead of those of code. Then the code of the backtest is the prompt. */
  model?: BacktestModel
  /** Tries many combinations with its only bot. Absent: there is one, and it is no sweep. */
  sweep?: SweepPlan
}

/** So many rows after the first `skip` of the parts of a series. */
export type BacktestSeries = { skip: number; count: number }

/**
 * A model whose decisions on `events` are those that it made live (`recorded`). `question` is the digest of what it was
 * asked. `missing`: why events have no decision, and how many.
 */
export type BacktestModel = {
  mode: 'recorded' | 'live'
  service: string
  model: string
  question: string
  events: number
  recorded: number
  missing: Record<string, number>
  /** With `live`: the model is asked about the other events, for at most so many tokens. */
  budget?: number
  /** Events that it was asked about and has decided; until it has ended: those that it may have to be asked about. */
  asked?: number
  /** About the most tokens of the first question about each of these. */
  questionTokens?: number
  /** What was used in the end. */
  tokens?: number
}

/** The values of a parameter of the code or of a setting of the bot, as texts, in the order in which they are neighbours. */
export type SweepAxis = { of: 'parameter' | 'setting'; name: string; values: string[] }

/** How many combinations of which parameters and settings. `objective`: the figure by which one is the best. */
export type SweepSummary = {
  parameters: string[]
  settings: string[]
  combinations: number
  /** So many of the combinations, which the seed chooses; `null`: all of them. */
  random: number | null
  objective: string
  /** A combination ends early when its equity is so far below its highest, in percent. Absent: none does. */
  endAtDrawdown?: number
  /** Chooses parameters on one stretch of time, and trades them on the next one. Absent: on all candles at once. */
  walk?: { trainDays: number; testDays: number; isAnchored: boolean }
}

/** `sets`: only these sets of parameters; `null`: every combination of the axes. */
export type SweepPlan = SweepSummary & { axes: SweepAxis[]; sets: Record<string, string>[] | null }

/** What the market is like, in decimals. `funding`: `null` if positions pay nothing. */
export type BacktestMarket = {
  participation: string | null
  latencyMs: number
  sizeStep: string
  minSize: string
  minNotional: string
  maintenance: string
  funding: BacktestFunding | null
}

/**
 * `rates`: as the request gave them, for a form that asks again; absent: it gave none. `moments`: how often positions pay;
 * `unknown`: at how many of these nobody knows the rate.
 */
export type BacktestFunding = {
  candleId: number | null
  rates?: (string | number)[][]
  assume: string | null
  everyHours: number | null
  moments: number
  unknown: number
}

/** `recorded`: as the first recorded decision of a model found it. */
export type BacktestStart = 'empty' | 'saved' | 'given' | 'recorded'

export type BacktestAnswer = {
  method: string
  url: string
  body?: string | null
  status: number
  text: string
}

/** The most important figures of a report, for lists. */
export type BacktestResult = {
  digest: string
  quote: string
  startEquity: number
  endEquity: number
  returnPercent: number | null
  maxDrawdownPercent: number | null
  sharpe: number | null
  trades: number
}

/**
 * What a backtest has produced for one of its bots, in compressed parts: its checkpoint, what the code decided until then,
 * and at the end the report and its records. Until it ends, also the parts of a stored series, the deliveries that its code
 * runs on, what is known of the model to ask about them, and what came of the combinations of a sweep, all for bot 0. `number` counts the parts of a kind from 0, and `first` is the number of its first
 * record.
 */
export const backtestParts = pgTable(
  'backtest_parts',
  {
    backtestId: reference()
      .notNull()
      .references(() => backtests.id, { onDelete: 'cascade' }),
    bot: integer().notNull(),
    kind: text().$type<BacktestPartKind>().notNull(),
    number: integer().notNull(),
    first: integer().notNull().default(0),
    records: integer().notNull().default(0),
    content: bytea().notNull(),
  },
  (table) => [primaryKey({ columns: [table.backtestId, table.bot, table.kind, table.number] })],
)

/**
 * What models have answered in backtests, so that no question is paid for twice. `question` is the SHA-256 of the delivery and
 * of all that the model was sent. Like backtests, an answer is kept for `RETENTION_DAYS`, whatever becomes of its backtest.
 */
export const backtestAnswers = pgTable(
  'backtest_answers',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    backtestId: reference().notNull(),
    question: bytea().notNull(),
    /** Compressed JSON. */
    answer: bytea().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [uniqueIndex('backtest_answers_question').on(table.userId, table.question)],
)

export type BacktestPartKind =
  | 'series'
  | 'delivery'
  | 'model'
  | 'checkpoint'
  | 'decided'
  | 'report'
  | 'page'
  | 'candle'
  | 'combination'
  | 'sweep'
  | 'trade'
  | 'fill'
  | 'equity'
  | 'signal'
  | 'run'
