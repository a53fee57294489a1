/** The rows of strategies: how they are found, locked and written. */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import type { Slots } from '../db/reads.ts'
import { llmSettings, type StrategyType, schedules, strategies, strategyState } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import { newVersion } from '../db/strategy-versions.ts'
import type { ListedStrategy } from './strategy.ts'

export type Own = { userId: number; type: StrategyType; id: number }

/** Selects a strategy if it belongs to this user and has this type. */
export function own({ userId, type, id }: Own | Slots<Own>): SQL | undefined {
  return and(eq(strategies.id, id), eq(strategies.userId, userId), eq(strategies.type, type))
}

/** 404: the user has no strategy of this type with this id. */
export function missing(type: StrategyType, id: number): Error {
  return notFound(typeName(type), id)
}
const { code: _code, ...columns } = getTableColumns(strategies)
/** The columns of a strategy, without its code. */
export const listed = columns
const { storage: _storage, ...listedState } = getTableColumns(strategyState)
const { prompt: _prompt, response: _response, ...listedLlm } = getTableColumns(llmSettings)
/** The latest of its versions. */
export const savedVersion = sql<number>`(
  select max(v.version) from strategy_versions v where v.strategy_id = ${strategies.id}
)`
  .mapWith(Number)
  .as('saved_version')

/** Everything about a strategy: its settings, and what its runs left. */
export const whole = {
  ...getTableColumns(strategies),
  savedVersion,
  state: getTableColumns(strategyState),
  llm: getTableColumns(llmSettings),
  nextRunAt: schedules.nextRunAt,
}
/** The same without the texts that can be large. */
export const withoutText = { ...listed, state: listedState, llm: listedLlm, nextRunAt: schedules.nextRunAt }

/**
 * Reads a strategy and locks it against changes until the transaction ends.
 * @throws {AppError} 404 if the user has no such strategy
 */
export async function hold(tx: Db, userId: number, type: StrategyType, id: number): Promise<ListedStrategy> {
  const [strategy] = await tx
    .select(withoutText)
    .from(strategies)
    .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
    .leftJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
    .leftJoin(schedules, eq(schedules.strategyId, strategies.id))
    .where(own({ userId, type, id }))
    // Runs change the other table only, so they continue.
    .for('no key update', { of: strategies })
  if (strategy === undefined) throw missing(type, id)
  return strategy
}

/** Resolves to the id of the new strategy. */
export async function insert(tx: Db, values: typeof strategies.$inferInsert): Promise<number> {
  const [row] = await tx.insert(strategies).values(values).returning({ id: strategies.id })
  await tx.insert(strategyState).values({ strategyId: row!.id })
  return row!.id
}

/** Changes a strategy, so that its next run reads it again. Resolves to `undefined` if it does not exist. */
export async function update(tx: Db, id: number, values: Partial<typeof strategies.$inferInsert>) {
  const [row] = await tx
    .update(strategies)
    .set({ ...values, ...newVersion, updatedAt: sql`now()` })
    .where(eq(strategies.id, id))
    .returning(listed)
  return row
}
