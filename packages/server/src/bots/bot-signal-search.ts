import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { given } from '../base/given.ts'
import type { Found, Window } from '../base/window.ts'
import type { Database } from '../db/database.ts'
import { contains, type EventSearch, findEvents, forEach } from '../db/event-search.ts'
import { type BotSignalStatus, botSignals, bots, type RunTrigger, signals } from '../db/schema.ts'
import { cursorsOf } from '../db/windows.ts'
import type { BotSignal } from './records.ts'

const table = { name: 'bot_signals', owner: 'bot_id', time: 'queued_at' }

export type BotSignalSearch = {
  status?: BotSignalStatus
  botId?: number
  /** The strategy of the user that sent the signal. */
  strategyId?: number
  /** The bot webhook of the signal. */
  webhookId?: number
  /** What triggered the run of the user that sent the signal. */
  trigger?: RunTrigger
  since?: Date
  until?: Date
  /** A text of the symbol or the reason. */
  text?: string
}

/** What the bots of a user did with their signals, the newest first. */
export async function findBotSignals(
  { db, read }: Database,
  userId: number,
  filter: BotSignalSearch,
  window: Window,
): Promise<Found<BotSignal>> {
  const { botId, since, until } = filter
  const isIt = botId === undefined ? undefined : eq(bots.id, botId)
  const owners = await db
    .select({ id: bots.id })
    .from(bots)
    .where(and(eq(bots.userId, userId), isIt))
  const search = {
    ...{ table, owners: owners.map(({ id }) => id), ...conditionsOf(userId, filter) },
    ...{ span: given({ since, until }), cursors: cursorsOf(window) },
  }
  const { ids, ...found } = await findEvents(db, search, window)
  const items = await read('found_bot_signals', { ids }, ({ ids }) =>
    db
      .select({ ...getTableColumns(botSignals), action: signals.action })
      .from(botSignals)
      .leftJoin(signals, eq(signals.id, botSignals.signalId))
      .where(sql`${botSignals.id} = any(${ids})`)
      .orderBy(desc(botSignals.id)),
  )
  return { ...found, items }
}

/** Statuses of which an index has the signals. */
const indexed = new Set<BotSignalStatus>(['WAITING', 'REFUSED', 'FAILED'])

/** The conditions on a row `e`. */
function conditionsOf(userId: number, filter: BotSignalSearch): Partial<EventSearch> {
  const { status, strategyId, webhookId, trigger, text } = filter
  const isIndexed = status !== undefined && indexed.has(status)
  const ofSignal = (condition: SQL) =>
    sql`exists (select from signals g where g.id = e.signal_id and ${condition} ${forEach})`
  return given({
    indexed: isIndexed ? sql.raw(`e.status = '${status}'`) : undefined,
    condition: and(
      status === undefined || isIndexed ? undefined : sql`e.status = ${status}`,
      // Nobody may find signals by the strategies and runs of other users.
      strategyId === undefined
        ? undefined
        : ofSignal(sql`g.strategy_id = ${strategyId} and g.user_id = ${userId}`),
      webhookId === undefined ? undefined : ofSignal(sql`g.webhook_id = ${webhookId}`),
      trigger === undefined
        ? undefined
        : ofSignal(sql`g.user_id = ${userId} and exists (
            select from runs r where r.id = g.run_id and r.trigger = ${trigger} ${forEach})`),
    ),
    isJoined: strategyId !== undefined || webhookId !== undefined || trigger !== undefined,
    text:
      text === undefined
        ? undefined
        : {
            joins: sql``,
            bytes: sql`coalesce(octet_length(e.reason), 0)`,
            condition: sql`(${contains('e.symbol', text)} or ${contains('e.reason', text)})`,
          },
  })
}
