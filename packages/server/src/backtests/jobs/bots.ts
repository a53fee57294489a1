/** The bots that follow in a backtest. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { type BacktestPlan, bots } from '../../db/schema.ts'
import { type BacktestRequest, type Problems, readBotSettings } from './request.ts'

/** Those that a request names, with their settings. Notes those that are not the user's, and settings that are wrong. */
export async function readBots(
  db: Db,
  userId: number,
  { bots: asked = [{}], symbol }: Pick<BacktestRequest, 'bots'> & { symbol: string },
  problems: Problems,
): Promise<BacktestPlan['bots']> {
  const given = asked.map((each) => (typeof each === 'number' ? { id: each } : each))
  const ids = given.flatMap(({ id }) => id ?? [])
  const found = await db
    .select()
    .from(bots)
    .where(and(eq(bots.userId, userId), inArray(bots.id, ids)))
  return given.map(({ id, name, ...settings }, index) => {
    const bot = found.find((each) => each.id === id)
    if (id !== undefined && bot === undefined) {
      problems.add(`bots[${index}]`, `must be settings or the id of one of your signal bots, got ${id}`)
    }
    return {
      ...{ id: id ?? null, name: name ?? bot?.name ?? `Bot ${index + 1}` },
      settings: readBotSettings(settings, { symbol, index, base: bot?.settings ?? null }, problems),
    }
  })
}
