import { and, desc, eq } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { ofOne } from '../db/reads.ts'
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
    const { db, read } = this.#database
    const [row] = await read('run', { userId, id }, ({ userId, id }) =>
      db
        .select({ ...shown, transcript: runTranscripts.text })
        .from(runs)
        .leftJoin(signals, eq(signals.runId, runs.id))
        .leftJoin(approvals, eq(approvals.runId, runs.id))
        .leftJoin(runTranscripts, eq(runTranscripts.runId, runs.id))
        .innerJoin(strategies, eq(strategies.id, runs.strategyId))
        .where(and(eq(runs.id, id), eq(strategies.userId, userId))),
    )
    if (row === undefined) throw notFound('run', id)
    const { run, ...others } = row
    return { ...run, ...others }
  }

  /** Newest first. The caller has checked that the strategy is the user's. */
  async list(strategyId: number, window: { limit: number; offset: number }): Promise<Run[]> {
    const { db, read } = this.#database
    const rows = await read('runs', { strategyId, ...window }, ({ strategyId, limit, offset }) =>
      db
        .select(shown)
        .from(runs)
        .leftJoin(signals, eq(signals.runId, runs.id))
        .leftJoin(approvals, eq(approvals.runId, runs.id))
        .where(ofOne(runs.strategyId, strategyId))
        .orderBy(desc(runs.strategyId), desc(runs.id))
        .limit(limit)
        .offset(offset),
    )
    return rows.map(({ run, ...others }) => ({ ...run, ...others }))
  }

  count(strategyId: number): Promise<number> {
    return this.#database.count(runs, { strategyId }, ({ strategyId }) => ofOne(runs.strategyId, strategyId))
  }
}
