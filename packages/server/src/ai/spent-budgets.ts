import { and, asc, count, eq, type SQL } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { aiSpending, type LlmType, llmSettings, strategies } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import type { Spend } from './budget.ts'

/** The budget of an AI strategy on one day (UTC). `spent` includes what is reserved for questions without an answer yet. */
export type SpentBudget = {
  strategyId: number
  name: string
  connectionId: number | null
  day: string
  limits: Spend
  spent: Spend
}

export type BudgetFilter = { connectionId?: number }

const columns = {
  strategyId: strategies.id,
  name: strategies.name,
  connectionId: llmSettings.connectionId,
  tokensPerDay: llmSettings.tokensPerDay,
  actionsPerDay: llmSettings.actionsPerDay,
  tokens: aiSpending.tokens,
  actions: aiSpending.actions,
}

/**
 * Reads what AI strategies of one type have spent of their budgets. A strategy of another user or of another type counts
 * as missing.
 */
export class SpentBudgets {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @throws {AppError} 404 if the user has no such strategy */
  async get(userId: number, type: LlmType, id: number, now = new Date()): Promise<SpentBudget> {
    const day = dayOf(now)
    const [row] = await this.#select(day).where(and(matching(userId, type, {}), eq(strategies.id, id)))
    if (row === undefined) throw notFound(typeName(type), id)
    return budgetOf(row, day)
  }

  /** In order of id. */
  async list(
    userId: number,
    type: LlmType,
    window: { limit: number; offset: number },
    filter: BudgetFilter = {},
    now = new Date(),
  ): Promise<SpentBudget[]> {
    const day = dayOf(now)
    const rows = await this.#select(day)
      .where(matching(userId, type, filter))
      .orderBy(asc(strategies.id))
      .limit(window.limit)
      .offset(window.offset)
    return rows.map((row) => budgetOf(row, day))
  }

  async count(userId: number, type: LlmType, filter: BudgetFilter = {}): Promise<number> {
    const [counted] = await this.#database.db
      .select({ total: count() })
      .from(strategies)
      .innerJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
      .where(matching(userId, type, filter))
    return counted!.total
  }

  #select(day: string) {
    return this.#database.db
      .select(columns)
      .from(strategies)
      .innerJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
      .leftJoin(aiSpending, and(eq(aiSpending.strategyId, strategies.id), eq(aiSpending.day, day)))
  }
}

function matching(userId: number, type: LlmType, { connectionId }: BudgetFilter): SQL | undefined {
  return and(
    eq(strategies.userId, userId),
    eq(strategies.type, type),
    connectionId === undefined ? undefined : eq(llmSettings.connectionId, connectionId),
  )
}

/** The same day as in `RunBudget`. */
function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

type Row = {
  strategyId: number
  name: string
  connectionId: number | null
  tokensPerDay: number
  actionsPerDay: number
  tokens: number | null
  actions: number | null
}

function budgetOf(row: Row, day: string): SpentBudget {
  const { strategyId, name, connectionId } = row
  return {
    ...{ strategyId, name, connectionId, day },
    limits: { tokens: row.tokensPerDay, actions: row.actionsPerDay },
    spent: { tokens: row.tokens ?? 0, actions: row.actions ?? 0 },
  }
}
