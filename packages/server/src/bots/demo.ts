import { sql } from 'drizzle-orm'
import { Type } from 'typebox'
import { bots, exchangeConnections } from '../db/schema.ts'

/** Needs left joins of the bot and its connection. `null` if the bot is deleted. */
export const isDemo = sql<
  boolean | null
>`case when ${bots.id} is not null then ${bots.mode} = 'live' and coalesce(${exchangeConnections.isDemo}, false) end`

/** The same in the text of a statement, for a bot that it calls `b`. */
export const isDemoText = `case when b.id is not null then b.mode = 'live' and coalesce(
  (select x.is_demo from exchange_connections x where x.id = b.connection_id), false) end`

/** In records that stay when their bot is deleted. */
export const DemoOrNull = Type.Union([Type.Boolean(), Type.Null()], {
  description: 'Whether the bot trades with a demo account, without real money; `null` if it is deleted.',
})
