import { and, eq, lte, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { type BotSignalStatus, botSignals, bots } from '../db/schema.ts'

/** What a bot did with a signal, or will do. */
export type SignalBot = {
  botId: number
  botName: string
  symbol: string
  status: BotSignalStatus
  reason: string | null
  dueAt: Date | null
  finishedAt: Date | null
}

/** `total` counts the bots and symbols, of which `bots` has the first ones. */
export type SignalBots = { bots: SignalBot[]; total: number }

/** A signal may have gone to a thousand bots, with a hundred symbols each. */
const mostShown = 20

/** What the user's own bots did with each of these signals, in one query. A signal that none got is absent. */
export async function botsOfSignals(
  { db, read }: Pick<Database, 'db' | 'read'>,
  userId: number,
  signalIds: readonly number[],
): Promise<Map<number, SignalBots>> {
  const found = new Map<number, SignalBots>()
  if (signalIds.length === 0) return found
  const rows = await read('bots_of_signals', { userId, signalIds }, ({ userId, signalIds }) => {
    const within = sql`over (partition by ${botSignals.signalId} order by ${botSignals.id})`
    const numbered = db
      .select({
        ...{ id: botSignals.id, signalId: botSignals.signalId, botId: botSignals.botId, botName: bots.name },
        ...{ symbol: botSignals.symbol, status: botSignals.status, reason: botSignals.reason },
        ...{ dueAt: botSignals.dueAt, finishedAt: botSignals.finishedAt },
        place: sql`row_number() ${within}`.mapWith(Number).as('place'),
        total: sql`count(*) over (partition by ${botSignals.signalId})`.mapWith(Number).as('total'),
      })
      .from(bots)
      // By bot and signal, because the index begins with these columns.
      .innerJoin(
        botSignals,
        and(eq(botSignals.botId, bots.id), sql`${botSignals.signalId} = any(${signalIds})`),
      )
      .where(eq(bots.userId, userId))
      .as('numbered')
    return db.select().from(numbered).where(lte(numbered.place, mostShown)).orderBy(numbered.id)
  })
  for (const { id: _id, place: _place, signalId, total, ...bot } of rows) {
    const of = found.get(signalId) ?? { bots: [], total }
    found.set(signalId, of)
    of.bots.push(bot)
  }
  return found
}
