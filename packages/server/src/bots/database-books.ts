import { and, asc, eq, gte, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { decimal, plain } from '../base/decimals.ts'
import type { Database, Db } from '../db/database.ts'
import {
  bots,
  exchangeConnections,
  fills,
  orders,
  payments,
  positions,
  reconciliations,
} from '../db/schema.ts'
import type { Announce } from '../live/changes.ts'
import type { AccountEquity } from '../trading/account.ts'
import { freshExecutions } from '../trading/fresh-executions.ts'
import { applyExecution, averagePrice } from '../trading/ledger.ts'
import { statusAfter } from '../trading/order-status.ts'
import {
  type BookedOrder,
  type BookingTerms,
  type Books,
  type DrawdownState,
  type Execution,
  type HeldPosition,
  type OpeningRoom,
  type Openings,
  type OrderReport,
  type OrderRequest,
  PlanRefused,
  type Position,
  type ReachedDrawdown,
  type ReachedLimit,
  type Sending,
} from '../trading/types.ts'
import { raiseHighest, reachDrawdown } from './drawdown-limit.ts'
import { writeEquityPoint } from './equity-point.ts'
import { lockHeld } from './held-bot.ts'
import { reachLimit } from './loss-limit.ts'
import {
  demandLatest,
  demandNoDrawdown,
  demandNoLimit,
  demandQuote,
  demandRoom,
  quoteOfBooks,
} from './opening-demands.ts'
import { notifyOfOrder, notifyOfReport, type OrderSubscribers } from './order-notifications.ts'
import { planOrder } from './planned-orders.ts'
import { readPosition, toPosition, writePosition } from './position-rows.ts'
import { protectOpened } from './protection/opened.ts'
import { openingsOf } from './taken-symbols.ts'

export type DatabaseBooksOptions = {
  database: Database
  /** The node that holds the bot. The books plan an order only while it does. */
  nodeId: string
  bot: { id: number; userId: number; startBalance: string | null }
  /** The current price of a symbol in quote currency; `null` if there is none. */
  markPrice(symbol: string): string | null
  /** Gets notifications about orders. */
  subscribers?: OrderSubscribers
  /** Announces that the bot has reached its loss limit, and closes are queued for it. */
  announce?(botIds: number[]): void
  /** Called when a position has been opened with a protection, or a protected one has become larger. */
  onProtected?(): void
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
}

type OrderRow = typeof orders.$inferSelect
/** The ids of the fills, and whether the position is protected. */
type Booked = { booked: number[]; isProtected: boolean }

/** The books of one bot in the database. */
export class DatabaseBooks implements Books {
  #options: DatabaseBooksOptions

  constructor(options: DatabaseBooksOptions) {
    this.#options = options
  }

  position(symbol: string): Promise<Position> {
    return readPosition(this.#options.database.db, this.#options.bot.id, symbol)
  }

  /** Every open position. */
  async held(): Promise<HeldPosition[]> {
    const rows = await this.#options.database.db
      .select()
      .from(positions)
      .where(and(eq(positions.botId, this.#options.bot.id), isNotNull(positions.side)))
    return rows.map((row) => ({ symbol: row.symbol, position: toPosition(row) }))
  }

  openings(): Promise<Openings> {
    return openingsOf(this.#options.database.db, this.#options.bot.id)
  }

  /** For all time, it sums the positions instead of the fills and payments, of which there may be many. */
  async realisedSince(at: number): Promise<string> {
    if (at <= 0) return this.#realised()
    const { db } = this.#options.database
    const { id } = this.#options.bot
    const since = new Date(at)
    const paid = db
      .select({ sum: sql`coalesce(sum(${payments.value}), 0)` })
      .from(payments)
      .where(and(eq(payments.botId, id), gte(payments.paidAt, since)))
    const [row] = await db
      .select({ sum: sql<string | null>`coalesce(sum(${fills.realised}), 0) + (${paid})` })
      .from(fills)
      .where(and(eq(fills.botId, id), gte(fills.filledAt, since)))
    return plain(decimal(row?.sum ?? '0'))
  }

  quote(): Promise<string | null> {
    return quoteOfBooks(this.#options.database.db, this.#options.bot.id)
  }

  async limitReachedAt(): Promise<number | null> {
    const { database, bot } = this.#options
    const [row] = await database.db.select({ at: bots.limitReachedAt }).from(bots).where(eq(bots.id, bot.id))
    return row?.at?.getTime() ?? null
  }

  async reachLimit(reached: ReachedLimit): Promise<void> {
    await reachLimit(this.#options, this.#options.bot.id, reached)
  }

  drawdown(equity: string | null): Promise<DrawdownState> {
    const { database, bot } = this.#options
    return raiseHighest(database.db, bot, equity)
  }

  async reachDrawdown(reached: ReachedDrawdown): Promise<void> {
    await reachDrawdown(this.#options, this.#options.bot.id, reached)
  }

  /** Why the bot may open nothing in a symbol: the books and the account differ. `null` if it may. */
  async openingObstacle(symbol: string): Promise<string | null> {
    const [row] = await this.#options.database.db
      .select({ reason: reconciliations.reason })
      .from(reconciliations)
      .where(
        and(
          eq(reconciliations.botId, this.#options.bot.id),
          eq(reconciliations.symbol, symbol),
          isNotNull(reconciliations.differsSince),
        ),
      )
    if (row === undefined) return null
    return `The books of ${symbol} and the account differ, so the bot opens nothing there. ${row.reason ?? ''}`.trim()
  }

  async accountEquity(): Promise<AccountEquity | null> {
    const { equity, equityCurrency: currency, id } = exchangeConnections
    const [row] = await this.#options.database.db
      .select({ amount: equity, currency })
      .from(exchangeConnections)
      .innerJoin(bots, eq(bots.connectionId, id))
      .where(eq(bots.id, this.#options.bot.id))
    if (row === undefined || row.amount === null || row.currency === null) return null
    return { amount: plain(decimal(row.amount)), currency: row.currency }
  }

  async isCompared(symbol: string): Promise<boolean> {
    const own = and(eq(reconciliations.botId, this.#options.bot.id), eq(reconciliations.symbol, symbol))
    return (await this.#options.database.db.$count(reconciliations, own)) > 0
  }

  async #realised(): Promise<string> {
    const [row] = await this.#options.database.db
      .select({ sum: sql<string | null>`sum(${positions.realised})` })
      .from(positions)
      .where(eq(positions.botId, this.#options.bot.id))
    return plain(decimal(row?.sum ?? '0'))
  }

  async ordersOf(botSignalId: number): Promise<BookedOrder[]> {
    const rows = await this.#options.database.db
      .select()
      .from(orders)
      .where(and(eq(orders.botId, this.#options.bot.id), eq(orders.botSignalId, botSignalId)))
      .orderBy(asc(orders.id))
    return rows.map(
      ({
        clientOrderId,
        symbol,
        side,
        purpose,
        reduceOnly,
        size,
        status,
        filledSize,
        reason,
        createdAt,
        legId,
        exchangeOrderId,
        type,
        limitPrice,
      }) => ({
        clientOrderId,
        symbol,
        side,
        purpose,
        reduceOnly,
        size: plain(decimal(size)),
        plannedAt: createdAt.getTime(),
        status,
        filledSize: plain(decimal(filledSize)),
        reason,
        ...(limitPrice !== null && {
          limit: { price: plain(decimal(limitPrice)), postOnly: type === 'post_only' },
        }),
        ...(legId !== null && exchangeOrderId !== null && { legOrderId: exchangeOrderId }),
      }),
    )
  }

  /**
   * @throws {BotLost} and {SignalOver}: see `planOrder`
   * @throws {PlanOutdated} see `Books`
   */
  async plan(botSignalId: number, order: OrderRequest, room: OpeningRoom = {}): Promise<void> {
    const { database, nodeId, bot } = this.#options
    const of = { database, nodeId, bot, botSignalId }
    const orderId =
      order.purpose === 'close'
        ? await planOrder(of, order)
        : await database.db.transaction(async (tx) => {
            const current = await lockHeld(tx, bot.id, nodeId)
            if (current.status !== 'ACTIVE') throw new PlanRefused('The bot was switched off meanwhile.')
            demandNoLimit(current)
            demandNoDrawdown(current, order.symbol)
            await demandQuote(tx, bot.id, order.symbol)
            if (room.positions !== undefined) await demandRoom(tx, bot.id, order.symbol, room.positions)
            if (room.latest !== undefined) await demandLatest(tx, bot.id, room.latest)
            return planOrder(of, order, tx)
          })
    this.#announce('order', orderId)
    this.#announce('bot_signal', botSignalId)
  }

  async note(
    clientOrderId: string,
    status: 'UNKNOWN' | 'REJECTED',
    reason: string,
    sending?: Sending | null,
  ): Promise<void> {
    const { database, subscribers } = this.#options
    let noted: number | undefined
    const hasNotification = await database.db.transaction(async (tx) => {
      const [was] = await tx
        .select({ id: orders.id, status: orders.status })
        .from(orders)
        .where(and(eq(orders.clientOrderId, clientOrderId), inArray(orders.status, ['PLANNED', 'UNKNOWN'])))
        .for('update')
      if (was === undefined) return false
      noted = was.id
      const [order] = await tx
        .update(orders)
        .set({ status, reason, ...sendingTimes(sending), updatedAt: new Date() })
        .where(eq(orders.id, was.id))
        .returning()
      return was.status !== status && notifyOfOrder(tx, order!, subscribers)
    })
    if (hasNotification) subscribers?.onTold()
    if (noted !== undefined) this.#announce('order', noted)
  }

  /** @throws {BotLost} if another node holds the bot */
  async noteCancelling(clientOrderId: string, reason: string): Promise<void> {
    const { database, nodeId, bot } = this.#options
    const noted = await database.db.transaction(async (tx) => {
      await lockHeld(tx, bot.id, nodeId)
      return tx
        .update(orders)
        .set({ reason })
        .where(and(eq(orders.clientOrderId, clientOrderId), eq(orders.status, 'OPEN')))
        .returning({ id: orders.id })
    })
    for (const { id } of noted) this.#announce('order', id)
  }

  async report(
    clientOrderId: string,
    report: OrderReport,
    terms: BookingTerms,
    sending?: Sending,
  ): Promise<void> {
    const { database, bot, subscribers, markPrice } = this.#options
    let changedOrder: OrderRow | undefined
    let booked: number[] = []
    let isProtected = false
    const hasNotification = await database.db.transaction(async (tx) => {
      // This lock lets in one report of a bot at a time, even if two nodes think that they hold the bot.
      const [holder] = await tx
        .select({ settings: bots.settings })
        .from(bots)
        .where(eq(bots.id, bot.id))
        .for('update')
      const [order] = await tx.select().from(orders).where(eq(orders.clientOrderId, clientOrderId))
      if (order === undefined) throw new Error(`There is no order ${clientOrderId}.`)
      const known = await tx
        .select({ tradeId: fills.tradeId, size: fills.size, price: fills.price })
        .from(fills)
        .where(eq(fills.orderId, order.id))
      const fresh = await this.#notOutside(tx, order, freshExecutions(known, report))
      if (fresh.length > 0) ({ booked, isProtected } = await this.#book(tx, order, fresh, terms))
      // The current value: the user may change it until the first fill, even while an order is in progress.
      const startBalance = holder?.settings.startBalance ?? bot.startBalance
      const last = fresh.at(-1)
      if (last !== undefined) {
        const of = { botId: bot.id, startBalance, markPrice }
        await writeEquityPoint(tx, of, last.filledAt, { [order.symbol]: last.price })
      }
      const all = [...known, ...fresh]
      const status = statusAfter(order.status, report.status)
      const filled = all.reduce((sum, { size }) => sum.plus(size), decimal('0'))
      const [changed] = await tx
        .update(orders)
        .set({
          status,
          reason: status === order.status && status !== report.status ? order.reason : report.reason,
          exchangeOrderId: report.exchangeOrderId ?? order.exchangeOrderId,
          filledSize: plain(filled),
          averagePrice: averagePrice(all),
          ...sendingTimes(sending),
          updatedAt: new Date(),
        })
        .where(eq(orders.id, order.id))
        .returning()
      const isNew = status !== order.status
      changedOrder = isNew || fresh.length > 0 ? changed : undefined
      return notifyOfReport(tx, changed!, { booked, isNew }, subscribers)
    })
    if (hasNotification) subscribers?.onTold()
    if (isProtected) this.#options.onProtected?.()
    if (changedOrder !== undefined) this.#announceReport(changedOrder, booked)
  }

  #announceReport({ id, botId, userId, symbol }: OrderRow, fillIds: number[]): void {
    for (const fillId of fillIds) this.#announce('fill', fillId)
    if (fillIds.length > 0) this.#options.onChange?.({ kind: 'position', id: botId, userId, part: symbol })
    this.#announce('order', id)
  }

  #announce(kind: 'order' | 'fill' | 'bot_signal', id: number): void {
    const { onChange, bot } = this.#options
    onChange?.({ kind, id, userId: bot.userId })
  }

  /** The executions that reconciliation has not booked as trades of somebody else, before the order was found. */
  async #notOutside(tx: Db, order: OrderRow, fresh: Execution[]): Promise<Execution[]> {
    // An order that a stop has become may be found after its trades.
    if (fresh.length === 0 || (order.status !== 'REJECTED' && order.legId === null)) return fresh
    const { botId, symbol } = order
    const tradeIds = fresh.map(({ tradeId }) => tradeId)
    const outside = await tx
      .select({ tradeId: fills.tradeId })
      .from(fills)
      .where(
        and(
          ...[eq(fills.botId, botId), eq(fills.symbol, symbol), isNull(fills.orderId)],
          inArray(fills.tradeId, tradeIds),
        ),
      )
    const booked = new Set(outside.map(({ tradeId }) => tradeId))
    return fresh.filter(({ tradeId }) => !booked.has(tradeId))
  }

  async #book(tx: Db, order: OrderRow, executions: Execution[], terms: BookingTerms): Promise<Booked> {
    const { id: botId, userId } = this.#options.bot
    const before = await readPosition(tx, botId, order.symbol)
    let position = before
    const booked: number[] = []
    for (const execution of executions) {
      const { side, symbol } = order
      const applied = applyExecution(position, execution, side, terms)
      position = applied.position
      const { tradeId, size, price, fee, feeAsset } = execution
      const { realised } = applied
      const filledAt = new Date(execution.filledAt)
      const [fill] = await tx
        .insert(fills)
        .values({
          ...{ orderId: order.id, botId, userId, tradeId, symbol, side, size, price, fee, feeAsset },
          ...{ realised, filledAt },
        })
        .returning({ id: fills.id })
      booked.push(fill!.id)
    }
    await writePosition(tx, { botId, userId, symbol: order.symbol }, position)
    const change = { botId, symbol: order.symbol, before, after: position }
    return { booked, isProtected: await protectOpened(tx, order, change) }
  }
}

/** The times of the last sending: an order that never arrived may be sent again. */
function sendingTimes(sending: Sending | null | undefined) {
  if (sending === undefined) return {}
  if (sending === null) return { sentAt: null, acknowledgedAt: null }
  const { sentAt, answeredAt } = sending
  return { sentAt: new Date(sentAt), acknowledgedAt: answeredAt === null ? null : new Date(answeredAt) }
}
