import { and, count, desc, eq, type SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { runs, signals, strategies } from '../db/schema.ts'
import { notFound } from '../errors.ts'

export type Run = typeof runs.$inferSelect & { signalId: number | null }

/** The records of runs. What belongs to another user's strategy is not found. */
export class Runs {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get(userId: number, id: number): Promise<Run> {
    const [row] = await this.#select(and(eq(runs.id, id), eq(strategies.userId, userId)))
    if (row === undefined) throw notFound('run', id)
    return flatten(row)
  }

  /** The newest first. */
  async list(strategyId: number, window: { limit: number; offset: number }): Promise<Run[]> {
    const rows = await this.#select(eq(runs.strategyId, strategyId)).limit(window.limit).offset(window.offset)
    return rows.map(flatten)
  }

  async count(strategyId: number): Promise<number> {
    const [row] = await this.#database.db
      .select({ n: count() })
      .from(runs)
      .where(eq(runs.strategyId, strategyId))
    return row!.n
  }

  #select(where: SQL | undefined) {
    return this.#database.db
      .select({ run: runs, signalId: signals.id })
      .from(runs)
      .innerJoin(strategies, eq(strategies.id, runs.strategyId))
      .leftJoin(signals, eq(signals.runId, runs.id))
      .where(where)
      .orderBy(desc(runs.id))
      .$dynamic()
  }
}

function flatten(row: { run: typeof runs.$inferSelect; signalId: number | null }): Run {
  return { ...row.run, signalId: row.signalId }
}
