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
import type { BotKey, FillWalks, Mark, WalkedFill } from './fill-walk.ts'
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
/** The trades that signals of one strategy opened; `null`: those of no strategy, such as signals from outside. */
export type StrategyGroup = Group & { strategyId: number | null }

/** `first`: its first fill of the period; `null` if it has none. */
type BotOfUser = { id: number; mode: GroupKey['mode']; isDemo: boolean | null; first: number | null }
type Listener = {
  fill?(walked: WalkedFill): void
  /** Whether `tally` must know the strategy of a trade. To look it up costs a query for each batch. */
  needsStrategy?: boolean
  /** What counts the trades of a strategy; `null` if they do not count. */
  tally(currency: string | null, strategyId: number | null): Tally | null
}

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

/** Which trades: all in one sum, those of each strategy, or those of one. */
type Choice = 'all' | 'each' | { strategyId: number }

type Now = { at: number; equity: string | null }

/** Calculates statistics from the books. It reads them in batches, so its memory does not grow with them. */
export class Statistics {
  #database: Database
  #points: PreparedStatement
  #walks: FillWalks
  #trades: Trades
  #ofBots = new SharedWork<BotStatistics>(mostUnderWay, tooMany)
  #ofUsers = new SharedWork<StrategyGroup[]>(mostUnderWay, tooMany)

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
    const choice = strategyId === undefined ? 'all' : { strategyId }
    return this.#shared(userId, period, choice, signal)
  }

  /** The statistics of all bots of a user by the strategies that opened the trades, in one walk. Throws as `ofBot` does. */
  async byStrategy(userId: number, period: Period, signal: AbortSignal): Promise<StrategyGroup[]> {
    return this.#shared(userId, period, 'each', signal)
  }

  #shared(userId: number, period: Period, choice: Choice, signal: AbortSignal): Promise<StrategyGroup[]> {
    const key = `${userId} ${period.since} ${period.until} ${JSON.stringify(choice)}`
    const work = { ownerId: userId, key }
    return this.#ofUsers.join(work, signal, (stopped) => this.#ofUser(userId, period, choice, stopped))
  }

  async #ofBot(bot: ShownBot, period: Period, now: Now, signal: AbortSignal): Promise<BotStatistics> {
    const tallies = new Map<string | null, Tally>()
    const holding = new Holding()
    let exposure: { counted: Exposure; span: Period } | null = null
    let currency: string | null | undefined
    const until = Math.min(period.until, now.at)
    await this.#count(bot, this.#walks.marks(bot.id)[0]!, period, signal, {
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
    choice: Choice,
    signal: AbortSignal,
  ): Promise<StrategyGroup[]> {
    const groups = new Map<
      string,
      Omit<StrategyGroup, 'bots' | 'tallied'> & { bots: Set<number>; tally: Tally }
    >()
    for (const bot of await this.#botsOf(userId, period, choice)) {
      const { id, mode, isDemo, first } = bot
      const tally = (currency: string | null, strategyId: number | null) => {
        if (typeof choice === 'object' && choice.strategyId !== strategyId) return null
        const key = { mode, isDemo, currency, strategyId: choice === 'all' ? null : strategyId }
        const group = entryOf(groups, JSON.stringify(key), () => ({
          ...{ ...key, bots: new Set<number>(), tally: new Tally(period) },
        }))
        group.bots.add(id)
        return group.tally
      }
      const listener = { tally, needsStrategy: choice !== 'all' }
      await this.#count({ id, userId }, this.#markBefore(id, first), period, signal, listener)
    }
    // Where a walk begins must not change the order: by the first bot of each group, and then by currency.
    const firstOf = ({ bots }: { bots: Set<number> }) => bots.values().next().value ?? 0
    const sorted = [...groups.values()].sort(
      (one, other) =>
        firstOf(one) - firstOf(other) || (one.currency ?? '').localeCompare(other.currency ?? ''),
    )
    return sorted.map(({ bots, tally, ...key }) => ({
      ...{ ...key, bots: bots.size, tallied: tally.result() },
    }))
  }

  /** The last mark before a fill. What happened before it is in its books: trades that are open, and how they began. */
  #markBefore(botId: number, fillId: number | null): Mark {
    return this.#walks.marks(botId).findLast((mark) => fillId === null || mark.fillId < fillId)!
  }

  /** Walks through the fills of a bot after a mark, and counts them and its trades. */
  async #count(
    bot: BotKey,
    start: Mark,
    period: Period,
    signal: AbortSignal,
    listener: Listener,
  ): Promise<void> {
    const hasPayments = await this.#hasPayments(bot.id)
    const last = new Map<string, Trade>()
    for (const [symbol, { trade }] of start.books) if (trade !== null) last.set(symbol, trade)
    for await (const batch of this.#walks.walk(bot, start, signal)) {
      await this.#walks.part(bot.userId, signal, async (turns) => {
        const shares = batch.flatMap(({ step }) => step.shares)
        const strategyOf = await this.#strategiesOf(
          shares.map(({ trade }) => trade),
          listener,
        )
        const past: Found[] = []
        for (const walked of batch) {
          if (turns.isOver) await turns.rest()
          const { fill, step } = walked
          listener.fill?.(walked)
          const currency = quoteOf(fill.symbol)
          for (const share of step.shares) {
            listener.tally(currency, strategyOf(share.trade))?.share(fill.filledAt, share)
          }
          if (step.past !== null) past.push({ botId: bot.id, ...step.past })
          if (step.books.trade !== null) last.set(fill.symbol, step.books.trade)
        }
        await this.#countTrades(period, past, hasPayments, listener)
      })
    }
    const still = [...last.values()].map((trade) => ({ botId: bot.id, trade, paidUntil: null }))
    await this.#countTrades(period, still, hasPayments, listener)
  }

  async #countTrades(
    period: Period,
    found: readonly Found[],
    hasPayments: boolean,
    listener: Listener,
  ): Promise<void> {
    const strategyOf = await this.#strategiesOf(
      found.map(({ trade }) => trade),
      listener,
    )
    const counted = found.flatMap((one) => {
      const tally = listener.tally(quoteOf(one.trade.symbol), strategyOf(one.trade))
      return tally === null ? [] : [{ ...one, tally }]
    })
    const paid = hasPayments ? await this.#trades.paymentsOf(counted, period) : new Map()
    for (const [place, { trade, tally }] of counted.entries()) {
      const days = paid.get(place) ?? []
      tally.trade(trade, trade.gross.minus(trade.fees).plus(sumOf(days)))
      for (const { day, within } of days) if (!within.eq('0')) tally.payments(Date.parse(day), within)
    }
  }

  /** Tells the strategy whose signal opened a trade, if the listener must know it. */
  async #strategiesOf(
    trades: readonly Trade[],
    { needsStrategy = false }: Listener,
  ): Promise<(trade: Trade) => number | null> {
    const openedBy = ({ entries: [first] }: Trade) => first?.orderId ?? null
    const ids = needsStrategy ? [...new Set(trades.map(openedBy))].filter((id) => id !== null) : []
    if (ids.length === 0) return () => null
    const rows = await this.#database.db
      .select({ id: orders.id, strategyId: signals.strategyId })
      .from(orders)
      .innerJoin(botSignals, eq(botSignals.id, orders.botSignalId))
      .innerJoin(signals, eq(signals.id, botSignals.signalId))
      .where(inArray(orders.id, ids))
    const strategies = new Map<number | null, number | null>(
      rows.map(({ id, strategyId }) => [id, strategyId]),
    )
    return (trade) => strategies.get(openedBy(trade)) ?? null
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

  /**
   * Every bot of a user that has traded; with a strategy, only those that got its signals. Deleted ones count if they
   * traded in the period.
   */
  async #botsOf(userId: number, { since }: Period, choice: Choice): Promise<BotOfUser[]> {
    const gotItsSignals =
      typeof choice === 'string'
        ? sql`true`
        : sql`exists (select 1 from ${signals} s join ${botSignals} followed on followed.signal_id = s.id
            and followed.bot_id = traded.bot_id
            where s.user_id = ${userId} and s.strategy_id = ${choice.strategyId})`
    const { rows } = (await this.#database.db.execute(sql`
      with recent as materialized (
        select bot_id, min(id) as first from ${fills}
        where user_id = ${userId} and filled_at >= ${new Date(since).toISOString()} group by bot_id
      )
      select traded.bot_id::int8 as id, b.mode, ${sql.raw(isDemoText)} as "isDemo", traded.first
      from (
        select bot_id, first from recent
        union all
        select own.id, null from bots own where own.user_id = ${userId}
          and not exists (select 1 from recent where recent.bot_id = own.id)
          and exists (select 1 from ${fills} f where f.bot_id = own.id)
      ) traded
      left join bots b on b.id = traded.bot_id
      where ${gotItsSignals} order by 1`)) as unknown as {
      rows: { id: string; first: string | null; mode: BotOfUser['mode']; isDemo: BotOfUser['isDemo'] }[]
    }
    return rows.map(({ id, first, ...row }) => ({
      ...{ ...row, id: Number(id), first: first === null ? null : Number(first) },
    }))
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
