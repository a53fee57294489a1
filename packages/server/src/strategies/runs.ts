import { and, desc, eq } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { approvals, runs, runTranscripts, signals, strategies } from '../db/schema.ts'

export type Run = typeof runs.$inferSelect & { signalId: number | null; approvalId: number | null }

const shown = { run: runs, signalId: signals.id, approvalId: approvals.id }

/** The records of runs. A run of another user's strategy counts as missing. */
export class Runs {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** `transcript` is JSON text; `null` unless the run asked a model. */
  async get(userId: number, id: number): Promise<Run & { transcript: string | null }> {
    const [row] = await this.#database.db
      .select({ ...shown, transcript: runTranscripts.text })
      .from(runs)
      .leftJoin(signals, eq(signals.runId, runs.id))
      .leftJoin(approvals, eq(approvals.runId, runs.id))
      .leftJoin(runTranscripts, eq(runTranscripts.runId, runs.id))
      .innerJoin(strategies, eq(strategies.id, runs.strategyId))
      .where(and(eq(runs.id, id), eq(strategies.userId, userId)))
    if (row === undefined) throw notFound('run', id)
    const { run, ...others } = row
    return { ...run, ...others }
  }

  /** Newest first. The caller has checked that the strategy is the user's. */
  async list(strategyId: number, window: { limit: number; offset: number }): Promise<Run[]> {
    const rows = await this.#database.db
      .select(shown)
      .from(runs)
      .leftJoin(signals, eq(signals.runId, runs.id))
      .leftJoin(approvals, eq(approvals.runId, runs.id))
      .where(eq(runs.strategyId, strategyId))
      .orderBy(desc(runs.id))
      .limit(window.limit)
      .offset(window.offset)
    return rows.map(({ run, ...others }) => ({ ...run, ...others }))
  }

  count(strategyId: number): Promise<number> {
    return this.#database.db.$count(runs, eq(runs.strategyId, strategyId))
  }
}
