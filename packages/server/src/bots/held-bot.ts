import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { bots } from '../db/schema.ts'

/** Another node holds the bot now, so this node may send no more orders for it. */
export class BotLost extends Error {
  override name = 'BotLost'

  constructor(botId: number) {
    super(`Bot ${botId} is held by another node.`)
  }
}

const { userId, name, status, settings } = bots
const { limitReachedAt, highestEquity, drawdownEquity } = bots

/**
 * Locks a bot until the commit, as every order, fill and stop does: a node that takes over the bot then finds what this
 * transaction writes.
 * @throws {BotLost} if another node holds the bot
 */
export async function lockHeld(tx: Db, botId: number, nodeId: string) {
  const [bot] = await tx
    .select({ userId, name, status, settings, limitReachedAt, highestEquity, drawdownEquity })
    .from(bots)
    .where(and(eq(bots.id, botId), eq(bots.holder, nodeId)))
    .for('update')
  if (bot === undefined) throw new BotLost(botId)
  return bot
}
