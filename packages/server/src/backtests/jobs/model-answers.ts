/** What models have answered in backtests, and the tokens that a backtest may use. */
import { and, eq, lte, sql } from 'drizzle-orm'
import type { Answer } from '../../ai/answer.ts'
import type { Database } from '../../db/database.ts'
import { backtestAnswers, backtests, llmSettings } from '../../db/schema.ts'
import { packLater, unpackLater } from './packed.ts'

/** Far more than an answer of a provider can have. */
const mostBytes = 16 * 1024 * 1024

/** A backtest, as the node that executes it sees it. */
export type Asking = { userId: number; backtestId: number; strategyId: number; nodeId: string }

export class ModelAnswers {
  #database: Database
  #asking: Asking

  constructor(database: Database, asking: Asking) {
    this.#database = database
    this.#asking = asking
  }

  /** What any backtest of the account was answered to this question. */
  async find(question: Buffer): Promise<Answer | undefined> {
    const isIt = and(eq(backtestAnswers.userId, this.#asking.userId), eq(backtestAnswers.question, question))
    const [row] = await this.#database.db
      .select({ answer: backtestAnswers.answer })
      .from(backtestAnswers)
      .where(isIt)
    if (row === undefined) return undefined
    return JSON.parse(await unpackLater(row.answer, mostBytes)) as Answer
  }

  /** Keeps an answer, and replaces the tokens that were reserved for it by what it took. */
  async keep(question: Buffer, answer: Answer, { reserved, used }: Taken): Promise<void> {
    const { userId, backtestId } = this.#asking
    const row = { userId, backtestId, question, answer: await packLater(JSON.stringify(answer)) }
    await this.#database.db.transaction(async (tx) => {
      await tx.insert(backtestAnswers).values(row).onConflictDoNothing()
      await tx
        .update(backtests)
        .set(tokensBy(used - reserved))
        .where(eq(backtests.id, backtestId))
    })
  }

  /**
   * Reserves tokens, unless the backtest would have more than its budget. One statement, so that no two can exceed it together.
   * @returns `false`: not enough are left; `undefined`: this node no longer holds the backtest
   */
  async reserve(tokens: number, budget: number): Promise<boolean | undefined> {
    const { db } = this.#database
    const { modelTokens } = backtests
    const reserved = await db
      .update(backtests)
      .set(tokensBy(tokens))
      .where(and(this.#isHeld(), lte(sql`${modelTokens} + ${tokens}`, budget)))
      .returning({ id: backtests.id })
    if (reserved.length > 0) return true
    return (await db.$count(backtests, this.#isHeld())) > 0 ? false : undefined
  }

  async settle({ reserved, used }: Taken): Promise<void> {
    if (used === reserved) return
    const isIt = eq(backtests.id, this.#asking.backtestId)
    await this.#database.db
      .update(backtests)
      .set(tokensBy(used - reserved))
      .where(isIt)
  }

  /** What the backtest has used, with what is reserved. */
  async tokens(): Promise<number> {
    const [row] = await this.#database.db
      .select({ tokens: backtests.modelTokens })
      .from(backtests)
      .where(eq(backtests.id, this.#asking.backtestId))
    return row?.tokens ?? 0
  }

  /** What the reaction may use on a day now; `undefined`: it was deleted. */
  async tokensPerDay(): Promise<number | undefined> {
    const [row] = await this.#database.db
      .select({ tokens: llmSettings.tokensPerDay })
      .from(llmSettings)
      .where(eq(llmSettings.strategyId, this.#asking.strategyId))
    return row?.tokens
  }

  #isHeld() {
    const { backtestId, nodeId } = this.#asking
    return and(eq(backtests.id, backtestId), eq(backtests.holder, nodeId), eq(backtests.status, 'RUNNING'))
  }
}

type Taken = { reserved: number; used: number }

function tokensBy(change: number) {
  return { modelTokens: sql`greatest(0, ${backtests.modelTokens} + ${change}::bigint)` }
}
