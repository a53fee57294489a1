import { bigint, boolean, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment, reference } from './columns.ts'
import { strategies } from './strategies.ts'

/**
 * What a strategy executes, and what it executed before: one row for each save that changed it. `version` is the version
 * of the strategy right after that save. It has gaps, because a strategy's version increases with other changes too. A
 * row is what runs of the versions from `version` to before `until` executed, and `until` is `null` for the latest one.
 */
export const strategyVersions = pgTable(
  'strategy_versions',
  {
    strategyId: reference()
      .notNull()
      .references(() => strategies.id, { onDelete: 'cascade' }),
    version: bigint({ mode: 'number' }).notNull(),
    until: bigint({ mode: 'number' }),
    /** The code, or the prompt of an AI reaction. */
    text: text().notNull(),
    /** The other settings that change what runs, under their names in the API. */
    settings: jsonb().$type<VersionSettings>().notNull(),
    /** The names of the settings in which it differs from the version before, with `code` and `prompt`. */
    changed: jsonb().$type<string[]>().notNull(),
    savedAt: moment().notNull().defaultNow(),
    /** How it was saved; `null` for what was there before versions were. */
    via: text().$type<SavedVia>(),
    apiKeyId: reference(),
    /** The strategy whose code sent the request; 0 for a test run of unsaved code. */
    byStrategyId: reference(),
    reason: text(),
    /** The version that a restore took its content from. */
    restoredFrom: bigint({ mode: 'number' }),
    /** Whether a signal of a run that is deleted came from it. Runs that still exist are found by themselves. */
    isNamed: boolean().notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.strategyId, table.version] })],
)

export type VersionSettings = Record<string, unknown>

/** By a person in a browser, by a signed request, by an agent's tool, by code of a strategy, or by the service itself. */
export type SavedVia = 'session' | 'key' | 'agent' | 'strategy' | 'service'
