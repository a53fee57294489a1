import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import { decimal, plain } from '../../base/decimals.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bareSymbol,
  bots,
  exchangeConnections,
  fills,
  orders,
  positions,
  protectionLegs,
  reconciliationEvents,
  reconciliations,
} from '../../db/schema.ts'
import type { AccountOrder, AccountTrade } from '../../trading/account.ts'
import type { HeldBot } from '../inbox.ts'
import { type OwnOrder, plannedIdOf } from './open-orders.ts'

export type Reconciliation = typeof reconciliations.$inferSelect
export type Event = typeof reconciliationEvents.$inferSelect

/** What the books say about a symbol, and the last comparison. Sizes are signed. */
export type BooksState = {
  size: string
  openedAt: number | null
  /** `undefined` before the first comparison. */
  last: Reconciliation | undefined
  /** Whether a bot of the account has an order in the symbol that may still change the position. */
  isUnsettled: boolean
  /** What the owner decided about the difference, if the bot has not carried it out yet. */
  decision: Event | undefined
}

export type Known = {
  orderIds: Set<string>
  tradeIds: Set<string>
  /** The size of trades that other bots of the account have booked, by trade id. */
  booked: Map<string, string>
}

/** An order that the exchange may have received although the books gave it up. */
export type LostOrder = typeof orders.$inferSelect

/** A trade that happened a while before a comparison may appear in the exchange's list after it. */
export const overlapMs = 15 * 60_000

/** The database side of reconciliation: what the books know, for one node. */
export class ReconciliationStore {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The ids of all bots that trade the account of a bot. */
  async botsOfAccount({ id, userId, connectionId }: HeldBot): Promise<number[]> {
    const { account } = exchangeConnections
    const own = this.#db
      .select({ account })
      .from(exchangeConnections)
      .where(eq(exchangeConnections.id, connectionId ?? 0))
    const rows = await this.#db
      .select({ id: bots.id })
      .from(bots)
      .innerJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
      .where(
        and(
          eq(bots.userId, userId),
          eq(bots.mode, 'live'),
          or(eq(bots.connectionId, connectionId ?? 0), eq(account, own)),
        ),
      )
    const ids = rows.map((row) => row.id)
    return ids.includes(id) ? ids : [...ids, id]
  }

  /** The symbols that a bot has or had a position in, or that were compared before. */
  async symbolsOf(botId: number): Promise<string[]> {
    const held = await this.#db
      .select({ symbol: positions.symbol })
      .from(positions)
      .where(eq(positions.botId, botId))
      .union(
        this.#db
          .select({ symbol: reconciliations.symbol })
          .from(reconciliations)
          .where(eq(reconciliations.botId, botId)),
      )
    return held.map(({ symbol }) => symbol).sort()
  }

  async read(botId: number, symbol: string, accountBots: readonly number[]): Promise<BooksState> {
    const [[position], [last], unsettled] = await Promise.all([
      this.#db
        .select({ side: positions.side, size: positions.size, openedAt: positions.openedAt })
        .from(positions)
        .where(and(eq(positions.botId, botId), eq(positions.symbol, symbol))),
      this.#db.select().from(reconciliations).where(keyOf(botId, symbol)),
      this.#db
        .select({ id: orders.id })
        .from(orders)
        .where(
          and(
            inArray(orders.botId, [...accountBots]),
            eq(orders.symbol, symbol),
            inArray(orders.status, ['PLANNED', 'OPEN', 'UNKNOWN']),
          ),
        )
        .limit(1),
    ])
    const size = plain(decimal(position?.size ?? '0'))
    return {
      size: position?.side === 'short' ? `-${size}` : size,
      openedAt: position?.openedAt?.getTime() ?? null,
      last,
      isUnsettled: unsettled.length > 0,
      decision: last?.differsSince == null ? undefined : await this.#decision(botId, symbol),
    }
  }

  /** The owner's decision about the current difference: the last event, if it is a decision. */
  async #decision(botId: number, symbol: string): Promise<Event | undefined> {
    const [event] = await this.#db
      .select()
      .from(reconciliationEvents)
      .where(and(eq(reconciliationEvents.botId, botId), eq(reconciliationEvents.symbol, symbol)))
      .orderBy(desc(reconciliationEvents.id))
      .limit(1)
    return event?.type === 'ADOPTED' || event?.type === 'IGNORED' ? event : undefined
  }

  /**
   * The orders and trades of the account's bots among these trades. First it looks at the fills of that time. Only for
   * the rest, it looks at all orders of the user.
   */
  async known(
    { id, userId }: HeldBot,
    symbol: string,
    accountBots: readonly number[],
    trades: readonly AccountTrade[],
  ): Promise<Known> {
    const orderIds = new Set<string>()
    const tradeIds = new Set<string>()
    const booked = new Map<string, string>()
    const [first] = trades
    if (first === undefined) return { orderIds, tradeIds, booked }
    const rows = await this.#db
      .select({
        botId: fills.botId,
        tradeId: fills.tradeId,
        size: fills.size,
        orderId: fills.orderId,
        exchangeOrderId: orders.exchangeOrderId,
      })
      .from(fills)
      .leftJoin(orders, eq(orders.id, fills.orderId))
      .where(
        and(
          inArray(fills.botId, [...accountBots]),
          eq(fills.symbol, symbol),
          gte(fills.filledAt, new Date(first.filledAt)),
        ),
      )
    for (const { botId, tradeId, size, orderId, exchangeOrderId } of rows) {
      if (exchangeOrderId !== null) orderIds.add(exchangeOrderId)
      if (orderId !== null || botId === id) tradeIds.add(tradeId)
      else booked.set(tradeId, plain(decimal(booked.get(tradeId) ?? '0').plus(decimal(size))))
    }
    const asked = trades.flatMap(({ exchangeOrderId }) =>
      exchangeOrderId === null || orderIds.has(exchangeOrderId) ? [] : [exchangeOrderId],
    )
    if (asked.length === 0) return { orderIds, tradeIds, booked }
    const found = await this.#db
      .select({ exchangeOrderId: orders.exchangeOrderId })
      .from(orders)
      .where(
        and(
          eq(orders.userId, userId),
          eq(bareSymbol(orders.symbol), bareSymbol(sql`${symbol}::text`)),
          inArray(orders.exchangeOrderId, [...new Set(asked)]),
          inArray(orders.botId, [...accountBots]),
        ),
      )
    for (const { exchangeOrderId } of found) orderIds.add(exchangeOrderId!)
    return { orderIds, tradeIds, booked }
  }

  /** The orders of the service among open orders of an account. */
  async ordersAmong(listed: readonly AccountOrder[], accountBots: readonly number[]): Promise<OwnOrder[]> {
    if (listed.length === 0) return []
    const ids = listed.flatMap(({ clientOrderId }) => plannedIdOf(clientOrderId) ?? [])
    const isOfAccount = and(
      inArray(orders.botId, [...accountBots]),
      inArray(
        orders.exchangeOrderId,
        listed.map(({ exchangeOrderId }) => exchangeOrderId),
      ),
    )
    const ofOrders = await this.#db
      .select({
        botId: orders.botId,
        clientOrderId: orders.clientOrderId,
        exchangeOrderId: orders.exchangeOrderId,
      })
      .from(orders)
      .where(or(inArray(orders.clientOrderId, ids), isOfAccount))
    return [...ofOrders, ...(await this.#stopsAmong(listed, accountBots))]
  }

  /** Some exchanges list resting stops among the open orders. */
  async #stopsAmong(listed: readonly AccountOrder[], accountBots: readonly number[]): Promise<OwnOrder[]> {
    const { botId, clientId, exchangeId, ocoClientId } = protectionLegs
    const ids = listed.flatMap(({ clientOrderId }) => clientOrderId ?? [])
    const found = await this.#db
      .select({ botId, clientId, exchangeId, ocoClientId })
      .from(protectionLegs)
      .where(
        and(
          inArray(botId, [...accountBots]),
          or(
            inArray(clientId, ids),
            inArray(ocoClientId, ids),
            inArray(
              exchangeId,
              listed.map(({ exchangeOrderId }) => exchangeOrderId),
            ),
          ),
        ),
      )
    return found.flatMap((leg) => [
      { botId: leg.botId, clientOrderId: leg.clientId, exchangeOrderId: leg.exchangeId },
      ...(leg.ocoClientId === null
        ? []
        : [{ botId: leg.botId, clientOrderId: leg.ocoClientId, exchangeOrderId: null }]),
    ])
  }

  /** The symbols whose open orders matter: those with a position, and those that differ. */
  async watchedSymbols(botId: number): Promise<string[]> {
    const rows = await this.#db
      .select({ symbol: positions.symbol })
      .from(positions)
      .where(and(eq(positions.botId, botId), isNotNull(positions.side)))
      .union(
        this.#db
          .select({ symbol: reconciliations.symbol })
          .from(reconciliations)
          .where(and(eq(reconciliations.botId, botId), isNotNull(reconciliations.differsSince))),
      )
    return rows.map(({ symbol }) => symbol)
  }

  /** The last orders of a bot in a symbol that the exchange never confirmed. Some may have arrived after all. */
  lostOrders(botId: number, symbol: string, since: number): Promise<LostOrder[]> {
    return this.#db
      .select()
      .from(orders)
      .where(
        and(
          eq(orders.botId, botId),
          eq(orders.symbol, symbol),
          isNull(orders.exchangeOrderId),
          eq(orders.status, 'REJECTED'),
          gte(orders.createdAt, new Date(since)),
        ),
      )
      .orderBy(desc(orders.id))
      .limit(5)
  }

  /** What the bots of an account hold of an asset on spot. */
  async holdings(accountBots: readonly number[], asset: string) {
    const rows = await this.#db
      .select({ botId: positions.botId, symbol: positions.symbol, size: positions.size })
      .from(positions)
      .where(
        and(
          inArray(positions.botId, [...accountBots]),
          eq(positions.side, 'long'),
          sql`split_part(${positions.symbol}, '/', 1) = ${asset}`,
          sql`position(':' in ${positions.symbol}) = 0`,
        ),
      )
      .orderBy(asc(positions.botId))
    return rows.map(({ size, ...row }) => ({ ...row, size: plain(decimal(size)) }))
  }

  /**
   * Live bots without a living holder elsewhere that were not compared lately, and that are active, hold positions, or
   * differ from their account.
   */
  async due(isFree: SQL, everyMs: number): Promise<number[]> {
    const holds = this.#db
      .select({ id: sql`1` })
      .from(positions)
      .where(and(eq(positions.botId, bots.id), isNotNull(positions.side)))
    const differs = this.#db
      .select({ id: sql`1` })
      .from(reconciliations)
      .where(and(eq(reconciliations.botId, bots.id), isNotNull(reconciliations.differsSince)))
    const compared = this.#db
      .select({ id: sql`1` })
      .from(reconciliations)
      .where(
        and(
          eq(reconciliations.botId, bots.id),
          sql`${reconciliations.checkedAt} > now() - make_interval(secs => ${everyMs / 2_000}::float8)`,
        ),
      )
    const rows = await this.#db
      .select({ id: bots.id })
      .from(bots)
      .where(
        and(
          eq(bots.mode, 'live'),
          isNotNull(bots.connectionId),
          isFree,
          or(eq(bots.status, 'ACTIVE'), sql`exists ${holds}`, sql`exists ${differs}`),
          sql`not exists ${compared}`,
        ),
      )
      .orderBy(asc(bots.id))
    return rows.map(({ id }) => id)
  }

  get #db(): Db {
    return this.#database.db
  }
}

export function keyOf(botId: number, symbol: string) {
  return and(eq(reconciliations.botId, botId), eq(reconciliations.symbol, symbol))
}
