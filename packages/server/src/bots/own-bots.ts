import { eq } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { bots, exchangeConnections } from '../db/schema.ts'
import type { Bot } from './bot.ts'
import { isDemo } from './demo.ts'

/** A bot of a user, as far as lists of records need it. */
export type OwnBot = { id: number; mode: Bot['mode']; isDemo: boolean; exchangeId: number }

/** Which bots. A deleted bot has no mode and no account. */
export type BotChoice = { botId?: number; mode?: Bot['mode']; isDemo?: boolean }

/** All bots of a user. */
export async function ownBots({ db, read }: Database, userId: number): Promise<OwnBot[]> {
  const rows = await read('own_bots', { userId }, ({ userId }) =>
    db
      .select({ id: bots.id, mode: bots.mode, exchangeId: bots.exchangeId, isDemo })
      .from(bots)
      .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
      .where(eq(bots.userId, userId)),
  )
  return rows.map((row) => ({ ...row, isDemo: row.isDemo === true }))
}

/** Whether a choice names a kind of bots, and so leaves out deleted ones. */
export function isOfKind({ mode, isDemo }: BotChoice): boolean {
  return mode !== undefined || isDemo !== undefined
}

/** The ids of the bots that a choice leaves. */
export function chosenOf(own: readonly OwnBot[], { botId, mode, isDemo }: BotChoice): number[] {
  const fits = (bot: OwnBot) =>
    (botId === undefined || bot.id === botId) &&
    (mode === undefined || bot.mode === mode) &&
    (isDemo === undefined || bot.isDemo === isDemo)
  return own.filter(fits).map(({ id }) => id)
}
