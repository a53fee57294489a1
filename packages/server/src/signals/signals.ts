import { and, desc, eq, gte, type SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { signals } from '../db/schema.ts'

export type Signal = typeof signals.$inferSelect

/** What a list of signals is narrowed by. */
export type SignalFilter = {
  strategyId?: number
  runId?: number
  webhookId?: number
  action?: Signal['action']
  since?: Date
}

/**
 * What strategies decided, and what came in by bot webhooks. A signal is written by the run that sent it, see
 * `runs/journal.ts`, or by `outside-signals.ts`.
 */
export class Signals {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The newest first. */
  list(userId: number, filter: SignalFilter, window: { limit: number; offset: number }): Promise<Signal[]> {
    return this.#database.db
      .select()
      .from(signals)
      .where(matching(userId, filter))
      .orderBy(desc(signals.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number, filter: SignalFilter): Promise<number> {
    return this.#database.db.$count(signals, matching(userId, filter))
  }
}

function matching(userId: number, filter: SignalFilter): SQL | undefined {
  return and(
    eq(signals.userId, userId),
    filter.strategyId === undefined ? undefined : eq(signals.strategyId, filter.strategyId),
    filter.runId === undefined ? undefined : eq(signals.runId, filter.runId),
    filter.webhookId === undefined ? undefined : eq(signals.webhookId, filter.webhookId),
    filter.action === undefined ? undefined : eq(signals.action, filter.action),
    filter.since === undefined ? undefined : gte(signals.createdAt, filter.since),
  )
}
