import { and, desc, eq, getTableColumns, gte, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Cursors, Window } from '../base/window.ts'
import type { Database, Db } from '../db/database.ts'
import { ofOne, type Slots } from '../db/reads.ts'
import {
  type BotSignalStatus,
  bareSymbol,
  botSignals,
  bots,
  exchangeConnections,
  fills,
  orders,
  payments,
  positionProtections,
  positions,
  reconciliations,
  type SignalOrigin,
  signals,
} from '../db/schema.ts'
import { betweenCursors, cursorsOf, directionOf, inOrder, ofOneBetween } from '../db/windows.ts'
import type { Bot } from './bot.ts'
import { isDemo } from './demo.ts'
import { type EquityPoint, equityCurve, type Span } from './equity-curve.ts'
import { eventsOfBots } from './of-bots.ts'
import { type BotChoice, chosenOf, isOfKind, ownBots } from './own-bots.ts'
import type { ShownLeg } from './protection/record.ts'
import type { ProtectionRow } from './protection/rows.ts'
import { type Rest, restOf } from './rest-record.ts'
import { asMoney } from './shown-figures.ts'
import { type Balance, balanceOf, type PriceLookUp, type ValuedPosition, valued } from './valuation.ts'

/** `isDemo`: its bot trades with a demo account; `null` if the bot is deleted. */
type OfBot = { isDemo: boolean | null }
/** `origin`: of its signal. */
export type Order = typeof orders.$inferSelect &
  OfBot & { signalId: number | null; origin: SignalOrigin | null; rest: Rest | null }
export type Fill = typeof fills.$inferSelect & OfBot
export type Payment = typeof payments.$inferSelect & OfBot
/** A position is deleted with its bot. */
export type ShownPosition = ValuedPosition & {
  isDemo: boolean
  protection: ProtectionRow | null
  legs: ShownLeg[]
  unprotectedMs: number | null
  isAdrift: boolean
}
type PositionRow = {
  protection: ProtectionRow | null
  legs: ShownLeg[]
  unprotectedMs: number | null
  isAdrift: boolean
  position: typeof positions.$inferSelect
  exchangeId: number
  isDemo: boolean | null
}
/** `action` is `null` if the signal itself is no longer stored. */
export type BotSignal = typeof botSignals.$inferSelect & {
  action: (typeof signals.$inferSelect)['action'] | null
}

/** The value of a whole account, as its exchange last calculated it. */
export type AccountValue = { amount: string; currency: string; at: Date }

export type RecordFilter = BotChoice & { symbol?: string; since?: Date }
export type PositionFilter = RecordFilter & { all?: boolean }
export type OrderFilter = RecordFilter & { status?: Order['status'] }
export type FillFilter = RecordFilter & { orderId?: number }
export type BotSignalFilter = Omit<RecordFilter, 'mode' | 'isDemo'> & { status?: BotSignalStatus }

type Owner = Slots<{ userId: number }>

type OfBots = { botIds?: readonly number[] }
/** A filter for the database: instead of a kind of bots, it has their ids. */
type Chosen<Filter> = Omit<Filter, 'mode' | 'isDemo'> & OfBots

/** `reach`: how far the page reaches into the list. */
type PageSlots = { userId: number; limit: number; offset: number; reach: number }

function slotsOf(userId: number, { limit, offset }: Window): PageSlots {
  return { userId, limit, offset, reach: limit + offset }
}

const isItsProtection = and(
  eq(positionProtections.botId, positions.botId),
  eq(positionProtections.symbol, positions.symbol),
)
/** The legs of the position that may rest at the exchange, and the last stop. */
const shownLegs = sql<ShownLeg[]>`(
  select coalesce(json_agg(json_build_object('status', l.status, 'price', trim_scale(l.price)::text,
    'size', trim_scale(l.size)::text, 'sizeStep', l.size_step::text, 'target', l.target, 'ocoTarget', l.oco_target, 'reason', l.reason) order by l.id), '[]')
  from protection_legs l
  where l.bot_id = ${positions.botId} and l.symbol = ${positions.symbol} and l.opened_at = ${positions.openedAt}
    and (l.status in ('PLANNED', 'UNKNOWN', 'OPEN') or l.id = (
      select max(m.id) from protection_legs m
      where m.bot_id = l.bot_id and m.symbol = l.symbol and m.opened_at = l.opened_at and m.target is null)))`
/** For how long no stop rested at its exchange, until now. */
const unprotectedMs = sql<number | null>`(
  select (u.milliseconds + case when u.since is null then 0
    else round(extract(epoch from greatest(interval '0', now() - u.counted_until)) * 1000) end)::float8
  from unprotected_times u
  where u.bot_id = ${positions.botId} and u.symbol = ${positions.symbol} and u.opened_at = ${positions.openedAt})`
/** Whether its books and the account differ, and its owner has not decided yet. */
const isAdrift = sql<boolean>`exists (
  select from ${reconciliations} r
  where r.bot_id = ${positions.botId} and r.symbol = ${positions.symbol} and r.differs_since is not null)`
const isItsConnection = eq(exchangeConnections.id, bots.connectionId)

/**
 * Reads what bots did and what they hold, the newest first. `DatabaseBooks` writes it. Records of deleted bots stay,
 * except positions: they are deleted with the bot.
 */
export class Records {
  #database: Database
  #prices: PriceLookUp

  constructor(database: Database, prices: PriceLookUp) {
    this.#database = database
    this.#prices = prices
  }

  /** Open positions, or, with `all`, closed ones too. */
  async positions(userId: number, filter: PositionFilter, window: Window): Promise<ShownPosition[]> {
    const rows = await this.#database.read(
      'positions',
      { userId, limit: window.limit, offset: window.offset },
      (slots, filter) =>
        this.#positions()
          .where(positionsMatching(slots, filter))
          .orderBy(desc(positions.updatedAt), desc(positions.botId), positions.symbol)
          .limit(slots.limit)
          .offset(slots.offset),
      await this.#chosen(userId, filter),
    )
    return rows.map((row) => this.#valued(row))
  }

  async countPositions(userId: number, filter: PositionFilter): Promise<number> {
    const chosen = await this.#chosen(userId, filter)
    return this.#database.countUpToMost(positions, { userId }, positionsMatching, chosen)
  }

  async orders(userId: number, filter: OrderFilter, window: Window): Promise<Order[]> {
    return this.#database.read(
      'orders',
      slotsOf(userId, window),
      (slots, filter) =>
        this.#db
          .select({
            ...{ ...getTableColumns(orders), isDemo },
            ...{ signalId: botSignals.signalId, origin: signals.origin, rest: restOf },
          })
          .from(orders)
          .leftJoin(botSignals, eq(botSignals.id, orders.botSignalId))
          .leftJoin(signals, eq(signals.id, botSignals.signalId))
          .leftJoin(bots, eq(bots.id, orders.botId))
          .leftJoin(exchangeConnections, isItsConnection)
          .where(this.#isOnPage(orders, ordersMatching, slots, filter))
          .orderBy(desc(orders.id)),
      { ...(await this.#chosen(userId, filter)), ...cursorsOf(window) },
    )
  }

  async countOrders(userId: number, filter: OrderFilter): Promise<number> {
    const chosen = await this.#chosen(userId, filter)
    return this.#database.countUpToMost(orders, { userId }, ordersMatching, chosen)
  }

  async fills(userId: number, filter: FillFilter, window: Window): Promise<Fill[]> {
    return this.#database.read(
      'fills',
      slotsOf(userId, window),
      (slots, filter) =>
        this.#db
          .select({ ...getTableColumns(fills), isDemo })
          .from(fills)
          .leftJoin(bots, eq(bots.id, fills.botId))
          .leftJoin(exchangeConnections, isItsConnection)
          .where(this.#isOnPage(fills, fillsMatching, slots, filter))
          .orderBy(desc(fills.id)),
      { ...(await this.#chosen(userId, filter)), ...cursorsOf(window) },
    )
  }

  async countFills(userId: number, filter: FillFilter): Promise<number> {
    const chosen = await this.#chosen(userId, filter)
    return this.#database.countUpToMost(fills, { userId }, fillsMatching, chosen)
  }

  /** What positions paid or received without an execution. */
  async payments(userId: number, filter: RecordFilter, window: Window): Promise<Payment[]> {
    return this.#database.read(
      'payments',
      slotsOf(userId, window),
      (slots, filter) =>
        this.#db
          .select({ ...getTableColumns(payments), isDemo })
          .from(payments)
          .leftJoin(bots, eq(bots.id, payments.botId))
          .leftJoin(exchangeConnections, isItsConnection)
          .where(this.#isOnPage(payments, paymentsMatching, slots, filter))
          .orderBy(desc(payments.id)),
      { ...(await this.#chosen(userId, filter)), ...cursorsOf(window) },
    )
  }

  async countPayments(userId: number, filter: RecordFilter): Promise<number> {
    const chosen = await this.#chosen(userId, filter)
    return this.#database.countUpToMost(payments, { userId }, paymentsMatching, chosen)
  }

  /** How bots followed their signals. */
  botSignals(userId: number, filter: BotSignalFilter, window: Window): Promise<BotSignal[]> {
    return this.#database.read(
      'bot_signals',
      slotsOf(userId, window),
      (slots, filter) =>
        this.#db
          .select({ ...getTableColumns(botSignals), action: signals.action })
          .from(botSignals)
          .leftJoin(signals, eq(signals.id, botSignals.signalId))
          .where(this.#isOnPage(botSignals, botSignalsMatching, slots, filter))
          .orderBy(desc(botSignals.id)),
      { ...filter, ...cursorsOf(window) },
    )
  }

  countBotSignals(userId: number, filter: BotSignalFilter): Promise<number> {
    return this.#database.countUpToMost(botSignals, { userId }, botSignalsMatching, filter)
  }

  /** The equity curve of a bot. The caller has checked that the bot belongs to the user. */
  equity(botId: number, span: Span): Promise<EquityPoint[]> {
    return equityCurve(this.#database, botId, span)
  }

  /** The balance, equity and open positions of a bot now. */
  async balance(bot: Bot): Promise<Balance<ShownPosition> & { account: AccountValue | null }> {
    const rows = await this.#positions().where(eq(positions.botId, bot.id)).orderBy(positions.symbol)
    const own = rows.map((row) => this.#valued(row))
    const account = bot.mode === 'live' ? await this.#accountOf(bot) : null
    return { ...balanceOf(bot.settings.startBalance, own), account }
  }

  async #accountOf({ connectionId }: Bot): Promise<AccountValue | null> {
    if (connectionId === null) return null
    const { equity: amount, equityCurrency: currency, equityAt: at, id } = exchangeConnections
    const [row] = await this.#db
      .select({ amount, currency, at })
      .from(exchangeConnections)
      .where(eq(id, connectionId))
    if (row?.amount == null || row.currency === null || row.at === null) return null
    return { amount: asMoney(row.amount), currency: row.currency, at: row.at }
  }

  /**
   * The index alone gives the ids of a page, so the rows of earlier pages are not read. PostgreSQL takes an array for
   * ten rows, so it joins the other tables row by row, and this plan suits every page.
   */
  #isOnPage<Filter extends Slots<Cursors & OfBots>>(
    table: typeof orders | typeof fills | typeof payments | typeof botSignals,
    matching: (owner: Owner, filter: Filter) => SQL | undefined,
    slots: Slots<PageSlots>,
    filter: Filter,
  ): SQL {
    const { botIds, ...others } = filter
    const where = matching(slots, others as Filter)
    if (botIds !== undefined) {
      const [direction, { reach }] = [directionOf(filter), slots]
      const page = eventsOfBots(this.#db, table, botIds, { where, direction, reach })
        .limit(slots.limit)
        .offset(slots.offset)
      return sql`${table.id} = any(array(select page.id from ${page} page))`
    }
    const ids = this.#db
      .select({ id: table.id })
      .from(table)
      .where(where)
      .orderBy(...inOrder(filter, table.userId, table.id))
      .limit(slots.limit)
      .offset(slots.offset)
    return sql`${table.id} = any(array(${ids}))`
  }

  /** Replaces a kind of bots in a filter by their ids. */
  async #chosen<Filter extends BotChoice>(userId: number, filter: Filter): Promise<Chosen<Filter>> {
    const { mode, isDemo, ...others } = filter
    if (!isOfKind(filter)) return others
    return { ...others, botIds: chosenOf(await ownBots(this.#database, userId), filter) }
  }

  #positions() {
    return this.#db
      .select({
        ...{ position: positions, exchangeId: bots.exchangeId, isDemo },
        protection: positionProtections,
        ...{ legs: shownLegs, unprotectedMs, isAdrift },
      })
      .from(positions)
      .innerJoin(bots, eq(bots.id, positions.botId))
      .leftJoin(positionProtections, isItsProtection)
      .leftJoin(exchangeConnections, isItsConnection)
      .$dynamic()
  }

  #valued({ position, exchangeId, isDemo, ...rest }: PositionRow): ShownPosition {
    return { ...valued(position, exchangeId, this.#prices), isDemo: isDemo === true, ...rest }
  }

  get #db(): Db {
    return this.#database.db
  }
}

function positionsMatching({ userId }: Owner, filter: Slots<Chosen<PositionFilter>>): SQL | undefined {
  return and(
    ofOne(positions.userId, userId, filter),
    filter.all === true ? undefined : isNotNull(positions.side),
    filter.since === undefined ? undefined : gte(positions.updatedAt, filter.since),
    matching(positions, filter),
  )
}

function ordersMatching({ userId }: Owner, filter: Slots<Chosen<OrderFilter & Cursors>>): SQL | undefined {
  return and(
    ofOneBetween(orders.userId, orders.id, userId, filter),
    filter.status === undefined ? undefined : eq(orders.status, filter.status),
    filter.since === undefined ? undefined : gte(orders.createdAt, filter.since),
    matching(orders, filter),
  )
}

function fillsMatching({ userId }: Owner, filter: Slots<Chosen<FillFilter & Cursors>>): SQL | undefined {
  return and(
    ofOneBetween(fills.userId, fills.id, userId, filter),
    filter.orderId === undefined ? undefined : eq(fills.orderId, filter.orderId),
    filter.since === undefined ? undefined : gte(fills.filledAt, filter.since),
    matching(fills, filter),
  )
}

function paymentsMatching({ userId }: Owner, filter: Slots<Chosen<RecordFilter & Cursors>>): SQL | undefined {
  return and(
    ofOneBetween(payments.userId, payments.id, userId, filter),
    filter.since === undefined ? undefined : gte(payments.paidAt, filter.since),
    matching(payments, filter),
  )
}

function botSignalsMatching({ userId }: Owner, filter: Slots<BotSignalFilter & Cursors>): SQL | undefined {
  return and(
    and(eq(botSignals.userId, userId), betweenCursors(botSignals.id, filter)),
    filter.status === undefined ? undefined : eq(botSignals.status, filter.status),
    filter.since === undefined ? undefined : gte(botSignals.queuedAt, filter.since),
    matching(botSignals, filter),
  )
}

function matching(
  table: { botId: AnyPgColumn; symbol: AnyPgColumn },
  { botId, botIds, symbol }: Slots<Chosen<RecordFilter>>,
): SQL | undefined {
  return and(
    botId === undefined ? undefined : eq(table.botId, botId),
    botIds === undefined ? undefined : sql`${table.botId} = any(${botIds})`,
    symbol === undefined ? undefined : eq(bareSymbol(table.symbol), bareSymbol(sql`${symbol}::text`)),
  )
}
