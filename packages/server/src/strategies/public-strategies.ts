import { and, asc, eq, getTableColumns, type SQL } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { llmSettings, type StrategyType, strategies } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import { countUpToMost } from '../db/windows.ts'
import type { ListedLlm } from './strategy.ts'

/** The public fields: not the state that runs left, and not the webhooks of payloads and signals. */
const shown = {
  id: strategies.id,
  userId: strategies.userId,
  name: strategies.name,
  sendSignal: strategies.sendSignal,
  symbol: strategies.symbol,
  usePrice: strategies.usePrice,
  exchangeId: strategies.exchangeId,
  priceSymbol: strategies.priceSymbol,
  delay: strategies.delay,
  cronInterval: strategies.cronInterval,
  timezone: strategies.timezone,
  createdAt: strategies.createdAt,
  updatedAt: strategies.updatedAt,
}

const { prompt, response: _, ...llm } = getTableColumns(llmSettings)

export type PublicStrategy = Pick<typeof strategies.$inferSelect, keyof typeof shown> & {
  llm: ListedLlm | null
}

/** Strategies that every user can read and copy. */
export class PublicStrategies {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** In order of id, without code and prompts. */
  list(type: StrategyType, window: { limit: number; offset: number }): Promise<PublicStrategy[]> {
    return this.#database.db
      .select({ ...shown, llm })
      .from(strategies)
      .leftJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
      .where(publicOf(type))
      .orderBy(asc(strategies.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(type: StrategyType): Promise<number> {
    return countUpToMost(this.#database.db, strategies, publicOf(type))
  }

  async get(
    type: StrategyType,
    id: number,
  ): Promise<PublicStrategy & { code: string; prompt: string | null }> {
    const [strategy] = await this.#database.db
      .select({ ...shown, llm, code: strategies.code, prompt })
      .from(strategies)
      .leftJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
      .where(publicOne(type, id))
    if (strategy === undefined) throw notFound(`public ${typeName(type)}`, id)
    return strategy
  }
}

/** Selects this strategy if it is public. */
export function publicOne(type: StrategyType, id: number): SQL | undefined {
  return and(eq(strategies.id, id), publicOf(type))
}

function publicOf(type: StrategyType): SQL | undefined {
  return and(eq(strategies.isPublic, true), eq(strategies.type, type))
}
