import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { botSignals, bots, exchangeConnections, fills, orders, signals } from '../db/schema.ts'
import { isDemo } from './demo.ts'
import type { BotSignal, Fill, Order } from './records.ts'
import { restOf } from './rest-record.ts'

/** Reads the records of some users with certain ids, for live streams. Those of other users count as missing. */
export class RecordsById {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  orders(userIds: readonly number[], ids: readonly number[]): Promise<Order[]> {
    const { db, read } = this.#database
    return read('orders_by_id', { userIds, ids }, ({ userIds, ids }) =>
      db
        .select({
          ...{ ...getTableColumns(orders), isDemo },
          ...{ signalId: botSignals.signalId, origin: signals.origin, rest: restOf },
        })
        .from(orders)
        .leftJoin(botSignals, eq(botSignals.id, orders.botSignalId))
        .leftJoin(signals, eq(signals.id, botSignals.signalId))
        .leftJoin(bots, eq(bots.id, orders.botId))
        .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
        .where(and(sql`${orders.id} = any(${ids})`, sql`${orders.userId} = any(${userIds})`)),
    )
  }

  fills(userIds: readonly number[], ids: readonly number[]): Promise<Fill[]> {
    const { db, read } = this.#database
    return read('fills_by_id', { userIds, ids }, ({ userIds, ids }) =>
      db
        .select({ ...getTableColumns(fills), isDemo })
        .from(fills)
        .leftJoin(bots, eq(bots.id, fills.botId))
        .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
        .where(and(sql`${fills.id} = any(${ids})`, sql`${fills.userId} = any(${userIds})`)),
    )
  }

  botSignals(userIds: readonly number[], ids: readonly number[]): Promise<BotSignal[]> {
    const { db, read } = this.#database
    return read('bot_signals_by_id', { userIds, ids }, ({ userIds, ids }) =>
      db
        .select({ ...getTableColumns(botSignals), action: signals.action })
        .from(botSignals)
        .leftJoin(signals, eq(signals.id, botSignals.signalId))
        .where(and(sql`${botSignals.id} = any(${ids})`, sql`${botSignals.userId} = any(${userIds})`)),
    )
  }

  /** The rows of these signals for the bots of these users. */
  ofSignals(userIds: readonly number[], signalIds: readonly number[]) {
    const { db, read } = this.#database
    return read('bot_signals_of_signals', { userIds, signalIds }, ({ userIds, signalIds }) =>
      db
        .select({ id: botSignals.id, signalId: botSignals.signalId })
        .from(bots)
        // By bot and signal, because the index begins with these columns.
        .innerJoin(
          botSignals,
          and(eq(botSignals.botId, bots.id), sql`${botSignals.signalId} = any(${signalIds})`),
        )
        .where(sql`${bots.userId} = any(${userIds})`)
        .orderBy(asc(botSignals.id)),
    )
  }
}
