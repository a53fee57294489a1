import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { type Decimal, decimal } from '../../base/decimals.ts'
import { AppError } from '../../base/errors.ts'
import { SharedWork } from '../../base/shared-work.ts'
import type { Database, PreparedStatement } from '../../db/database.ts'
import { botSignals, equity, fills, orders, payments, signals } from '../../db/schema.ts'
import { Drawdown, type Drawdowns } from '../../trading/statistics/drawdown.ts'
import { Exposure } from '../../trading/statistics/exposure.ts'
import { changeOfAll, type Held, Holding } from '../../trading/statistics/holding.ts'
import { type Period, type Tallied, Tally } from '../../trading/statistics/tally.ts'
import type { Trade } from '../../trading/statistics/trades.ts'
import { quoteOf } from '../../trading/symbols.ts'
import type { ShownBot } from '../bot.ts'
import { isDemoText } from '../demo.ts'
import type { BotKey, FillWalks, WalkedFill } from './fill-walk.ts'
import { type Found, sumOf, type Trades } from './trades.ts'

/** What a bot did within a period, in the currency of its books. `null`: unknown, or nothing to divide by. */
export type BotStatistics = Tallied & {
  currency: string | null
  /** Quote currencies of other fills, which these figures do not contain. */
  otherCurrencies: string[]
  startEquity: Decimal | null
  endEquity: Decimal | null
  returnPercent: Decimal | null
  drawdowns: Drawdowns
  exposurePercent: Decimal | null
  held: Held[]
  heldPercent: Decimal | null
}

/** Bots of one kind in one currency. The mode of deleted bots is unknown. */
export type GroupKey = { mode: 'paper' | 'live' | null; isDemo: boolean | null; currency: string | null }
export type Group = GroupKey & { bots: number; tallied: Tallied }

type BotOfUser = { id: number; mode: GroupKey['mode']; isDemo: boolean | null }
type Listener = { fill?(walked: WalkedFill): void; tally(currency: string | null): Tally }

const pointsAtOnce = 1_000
const pointsSql = `
  select balance + unrealised, floor(extract(epoch from at) * 1000)::int8, at, id from equity
  where bot_id = $1 and (at, id) > ($2::timestamptz, $3::int8) and at <= $4::timestamptz
  order by at, id limit ${pointsAtOnce}`

/** Calculations of a user under way on this node. They take turns, so more of them would only wait. */
const mostUnderWay = 8
const tooMany = () =>
  new AppError(
    'rate_limited',
    `You have ${mostUnderWay} calculations of statistics under way already, the most allowed. Wait until one ends.`,
    { retryAfterSeconds: 1 },
  )

type Now = { at: number; equity: string | null }

/** Calculates statistics from the books. It reads them in batches, so its memory does not grow with them. */
export class Statistics {
  #database: Database
  #points: PreparedStatement
  #walks: FillWalks
  #trades: Trades
  #ofBots = new SharedWork<BotStatistics>(mostUnderWay, tooMany)
  #ofUsers = new SharedWork<Group[]>(mostUnderWay, tooMany)

  constructor(database: Database, walks: FillWalks, trades: Trades) {
    this.#database = database
    this.#points = database.prepare('points_of_equity', pointsSql)
    this.#walks = walks
    this.#trades = trades
  }

  /**
   * Everyone who asks for the same at the same time gets the same answer.
   * @param now the current equity of the bot, which ends its curve if the period has not ended; `null` if it is unknown
   * @throws {AppError} 429 if the user has too many calculations under way
   */
  async ofBot(bot: ShownBot, period: Period, now: Now, signal: AbortSignal): Promise<BotStatistics> {
    const key = `${bot.id} ${period.since} ${period.until}`
    const work = { ownerId: bot.userId, key }
    return this.#ofBots.join(work, signal, (stopped) => this.#ofBot(bot, period, now, stopped))
  }

  /** The statistics of all bots of a user, or of the trades that signals of a strategy opened. Throws as `ofBot` does. */
  async ofUser(
    userId: number,
    period: Period,
    strategyId: number | undefined,
    signal: AbortSignal,
  ): Promise<Group[]> {
    const key = `${userId} ${period.since} ${period.until} ${strategyId}`
    const work = { ownerId: userId, key }
    return this.#ofUsers.join(work, signal, (stopped) => this.#ofUser(userId, period, strategyId, stopped))
  }

  async #ofBot(bot: ShownBot, period: Period, now: Now, signal: AbortSignal): Promise<BotStatistics> {
    const tallies = new Map<string | null, Tally>()
    const holding = new Holding()
    let exposure: { counted: Exposure; span: Period } | null = null
    let currency: string | null | undefined
    const until = Math.min(period.until, now.at)
    await this.#count(bot, period, signal, {
      tally: (of) => entryOf(tallies, of, () => new Tally(period)),
      fill: ({ fill, step }) => {
        const { symbol, price, filledAt } = fill
        currency ??= quoteOf(symbol)
        exposure ??= exposureOf({ since: Math.max(period.since, filledAt), until })
        exposure.counted.change(symbol, step.books.trade?.closedAt === null, filledAt)
        if (filledAt >= period.since && filledAt <= period.until) holding.add(symbol, price, filledAt)
      },
    })
    const tallied = (tallies.get(currency ?? null) ?? new Tally(period)).result()
    const curve = await this.#curveOf(bot, period, now, signal)
    const { start, end } = curve
    const held = holding.symbols()
    return {
      ...tallied,
      currency: currency ?? bot.settings.amountCurrency,
      otherCurrencies: [...tallies.keys()].filter((other) => other !== currency).map((other) => other ?? ''),
      ...{ startEquity: start, endEquity: end, drawdowns: curve.drawdowns },
      returnPercent:
        start === null || end === null || !start.gt('0') ? null : percent(end.minus(start), start),
      exposurePercent: exposure === null ? null : exposurePercentOf(exposure),
      ...{ held, heldPercent: changeOfAll(held) },
    }
  }

  async #ofUser(
    userId: number,
    period: Period,
    strategyId: number | undefined,
    signal: AbortSignal,
  ): Promise<Group[]> {
    const groups = new Map<string, GroupKey & { bots: Set<number>; tally: Tally }>()
    for (const bot of await this.#botsOf(userId, strategyId)) {
      const { id, mode, isDemo } = bot
      const tally = (currency: string | null) => {
        const key = { mode, isDemo, currency }
        const group = entryOf(groups, JSON.stringify(key), () => ({
          ...{ ...key, bots: new Set<number>(), tally: new Tally(period) },
        }))
        group.bots.add(id)
        return group.tally
      }
      await this.#count({ id, userId }, period, signal, { tally }, strategyId)
    }
    return [...groups.values()].map(({ bots, tally, ...key }) => ({
      ...{ ...key, bots: bots.size, tallied: tally.result() },
    }))
  }

  /** Walks through all fills of a bot, and counts them and its trades, or only those of a strategy. */
  async #count(
    bot: BotKey,
    period: Period,
    signal: AbortSignal,
    listener: Listener,
    strategyId?: number,
  ): Promise<void> {
    const hasPayments = await this.#hasPayments(bot.id)
    const last = new Map<string, Trade>()
    const start = this.#walks.marks(bot.id)[0]!
    for await (const batch of this.#walks.walk(bot, start, signal)) {
      await this.#walks.part(bot.userId, signal, async (turns) => {
        const shares = batch.flatMap(({ step }) => step.shares)
        const isCounted = await this.#filter(
          shares.map(({ trade }) => trade),
          strategyId,
        )
        const past: Found[] = []
        for (const walked of batch) {
          if (turns.isOver) await turns.rest()
          const { fill, step } = walked
          listener.fill?.(walked)
          for (const share of step.shares) {
            if (!isCounted(share.trade)) continue
            listener.tally(quoteOf(fill.symbol)).share(fill.filledAt, share)
          }
          if (step.past !== null) past.push({ botId: bot.id, ...step.past })
          if (step.books.trade !== null) last.set(fill.symbol, step.books.trade)
        }
        await this.#countTrades(period, past, hasPayments, listener, strategyId)
      })
    }
    const still = [...last.values()].map((trade) => ({ botId: bot.id, trade, paidUntil: null }))
    await this.#countTrades(period, still, hasPayments, listener, strategyId)
  }

  async #countTrades(
    period: Period,
    found: readonly Found[],
    hasPayments: boolean,
    { tally }: Listener,
    strategyId?: number,
  ): Promise<void> {
    const isCounted = await this.#filter(
      found.map(({ trade }) => trade),
      strategyId,
    )
    const counted = found.filter(({ trade }) => isCounted(trade))
    const paid = hasPayments ? await this.#trades.paymentsOf(counted, period) : new Map()
    for (const [place, { trade }] of counted.entries()) {
      const days = paid.get(place) ?? []
      const own = tally(quoteOf(trade.symbol))
      own.trade(trade, trade.gross.minus(trade.fees).plus(sumOf(days)))
      for (const { day, within } of days) if (!within.eq('0')) own.payments(Date.parse(day), within)
    }
  }

  /** Tells whether a trade counts: with a strategy, only if a signal of the strategy opened it. */
  async #filter(
    trades: readonly Trade[],
    strategyId: number | undefined,
  ): Promise<(trade: Trade) => boolean> {
    if (strategyId === undefined) return () => true
    const openedBy = ({ entries: [first] }: Trade) => first?.orderId ?? null
    const ids = [...new Set(trades.map(openedBy))].filter((id) => id !== null)
    if (ids.length === 0) return () => false
    const rows = await this.#database.db
      .select({ id: orders.id })
      .from(orders)
      .innerJoin(botSignals, eq(botSignals.id, orders.botSignalId))
      .innerJoin(signals, eq(signals.id, botSignals.signalId))
      .where(and(inArray(orders.id, ids), eq(signals.strategyId, strategyId)))
    const own = new Set<number | null>(rows.map(({ id }) => id))
    return (trade) => own.has(openedBy(trade))
  }

  async #hasPayments(botId: number): Promise<boolean> {
    const { db } = this.#database
    const found = await db
      .select({ id: payments.id })
      .from(payments)
      .where(eq(payments.botId, botId))
      .limit(1)
    return found.length > 0
  }

  /** Every bot of a user that has traded, also deleted ones; with a strategy, only those that got its signals. */
  async #botsOf(userId: number, strategyId: number | undefined): Promise<BotOfUser[]> {
    const gotItsSignals =
      strategyId === undefined
        ? sql`true`
        : sql`exists (select 1 from ${signals} s join ${botSignals} followed on followed.signal_id = s.id
            and followed.bot_id = traded.bot_id where s.user_id = ${userId} and s.strategy_id = ${strategyId})`
    const { rows } = (await this.#database.db.execute(sql`
      select traded.bot_id::int8 as id, b.mode, ${sql.raw(isDemoText)} as "isDemo"
      from (select distinct bot_id from ${fills} where user_id = ${userId}) traded
      left join bots b on b.id = traded.bot_id
      where ${gotItsSignals} order by 1`)) as unknown as { rows: (Omit<BotOfUser, 'id'> & { id: string })[] }
    return rows.map((row) => ({ ...row, id: Number(row.id) }))
  }

  /** The equity at both ends of a period, and its falls over every point between. */
  async #curveOf(
    bot: ShownBot,
    period: Period,
    now: Now,
    signal: AbortSignal,
  ): Promise<{ start: Decimal | null; end: Decimal | null; drawdowns: Drawdowns }> {
    const { startBalance } = bot.settings
    if (startBalance === null) return { start: null, end: null, drawdowns: { largest: null, steepest: null } }
    const before = await this.#pointBefore(bot.id, period.since)
    const start = before ?? decimal(startBalance)
    const drawdown = new Drawdown()
    drawdown.add(Math.max(period.since, bot.createdAt.getTime()), start)
    let end = start
    for (let after: [at: string, id: number] = [new Date(period.since).toISOString(), 0]; ; ) {
      const points = await this.#walks.part(bot.userId, signal, async (turns) => {
        const found = await this.#points([bot.id, ...after, new Date(period.until).toISOString()])
        for (const [value, atMs] of found) {
          if (turns.isOver) await turns.rest()
          end = decimal(value!)
          drawdown.add(Number(atMs), end)
        }
        return found
      })
      const last = points.at(-1)
      if (last === undefined || points.length < pointsAtOnce) break
      after = [last[2]!, Number(last[3])]
    }
    if (period.until < now.at) return { start, end, drawdowns: drawdown.drawdowns() }
    if (now.equity === null) return { start, end: null, drawdowns: drawdown.drawdowns() }
    drawdown.add(now.at, decimal(now.equity))
    return { start, end: decimal(now.equity), drawdowns: drawdown.drawdowns() }
  }

  async #pointBefore(botId: number, since: number): Promise<Decimal | null> {
    const [point] = await this.#database.db
      .select({ value: equityOfPoint })
      .from(equity)
      .where(and(eq(equity.botId, botId), lt(equity.at, new Date(since))))
      .orderBy(desc(equity.at), desc(equity.id))
      .limit(1)
    return point === undefined ? null : decimal(point.value)
  }
}

const equityOfPoint = sql<string>`(${equity.balance} + ${equity.unrealised})::text`

function exposureOf(span: Period) {
  return { counted: new Exposure(span), span }
}

function exposurePercentOf({ counted, span }: { counted: Exposure; span: Period }): Decimal | null {
  const length = span.until - span.since
  return length <= 0 ? null : percent(decimal(String(counted.total())), decimal(String(length)))
}

function percent(part: Decimal, whole: Decimal): Decimal {
  return part.times('100').div(whole)
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key) ?? make()
  map.set(key, known)
  return known
}
