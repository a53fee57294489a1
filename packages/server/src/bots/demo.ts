import { eq, sql } from 'drizzle-orm'
import { Type } from 'typebox'
import type { Db } from '../db/database.ts'
import { bots, exchangeConnections } from '../db/schema.ts'

/** Needs left joins of the bot and its connection. `null` if the bot is deleted. */
export const isDemo = sql<
  boolean | null
>`case when ${bots.id} is not null then ${bots.mode} = 'live' and coalesce(${exchangeConnections.isDemo}, false) end`

/** How the data of a notification names a bot. `mode` and `demo` are `null` if it is deleted. */
export async function namedBot(tx: Db, botId: number): Promise<NamedBot> {
  const [bot] = await tx
    .select({ name: bots.name, mode: bots.mode, isDemo })
    .from(bots)
    .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
    .where(eq(bots.id, botId))
  const { name = '', mode = null, isDemo: demo = null } = bot ?? {}
  return { bot_id: botId, bot_name: name, mode, demo }
}

export type NamedBot = {
  bot_id: number
  bot_name: string
  mode: 'paper' | 'live' | null
  demo: boolean | null
}

/** The same as `isDemo` in the text of a statement, for a bot that it calls `b`. */
export const isDemoText = `case when b.id is not null then b.mode = 'live' and coalesce(
  (select x.is_demo from exchange_connections x where x.id = b.connection_id), false) end`

/** In records that stay when their bot is deleted. */
export const DemoOrNull = Type.Union([Type.Boolean(), Type.Null()], {
  description: 'Whether the bot trades with a demo account, without real money; `null` if it is deleted.',
})
