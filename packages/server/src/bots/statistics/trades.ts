import { eq, inArray, sql } from 'drizzle-orm'
import { type Decimal, decimal, zero } from '../../base/decimals.ts'
import type { Database } from '../../db/database.ts'
import {
  botSignals,
  orders,
  payments,
  type SignalOrigin,
  signals,
  unprotectedTimes,
} from '../../db/schema.ts'
import type { Period } from '../../trading/statistics/tally.ts'
import { netOf, type Trade } from '../../trading/statistics/trades.ts'
import { currentPrice, type PriceLookUp } from '../valuation.ts'
import type { BotKey, FillWalks, Mark } from './fill-walk.ts'

/**
 * Which trades of a bot: of one symbol, in any spelling, before and after the trades with these ids. Those next to
 * `before` or the newest ones, or, with `after` alone, those next to it.
 */
export type TradeWindow = { symbol?: string; before?: number; after?: number; limit: number }

/** The signal of an order. `origin`: what closed with it, unless it came from a strategy or a webhook. */
export type SignalOfOrder = { signalId: number; origin: SignalOrigin | null }

/** A trade with its funding, and the profit after all costs. `signals`: the signal of each of its orders. */
export type WholeTrade = {
  botId: number
  trade: Trade
  funding: Decimal
  realised: Decimal
  /** For how long no stop of it rested at its exchange, in milliseconds; `null` where the service keeps none. */
  unprotectedMs: number | null
  signals: ReadonlyMap<number, SignalOfOrder>
}

/** A trade, and when the payments of the next one begin; `null` if there is none yet. */
export type Found = { botId: number; trade: Trade; paidUntil: number | null }

/** The payments of a trade on one day (UTC): all of them, and those within a period. */
export type PaidOnDay = { day: string; value: Decimal; within: Decimal }

const always: Period = { since: 0, until: Date.UTC(9999, 11, 31) }

/** Reads the trades of bots. The caller has checked that the bot belongs to the user. */
export class Trades {
  #database: Database
  #walks: FillWalks
  #prices: PriceLookUp

  constructor(database: Database, walks: FillWalks, prices: PriceLookUp) {
    this.#database = database
    this.#walks = walks
    this.#prices = prices
  }

  /** The current price of the symbol of an open trade, at the exchange of its bot; `null` if there is none. */
  priceOf({ exchangeId }: { exchangeId: number }, { trade }: { trade: Trade }): string | null {
    return trade.closedAt === null ? currentPrice(this.#prices, exchangeId, trade.symbol) : null
  }

  /** One window of the trades of a bot, in the order of their first fills, the newest first. */
  async window(bot: BotKey, window: TradeWindow, signal?: AbortSignal): Promise<WholeTrade[]> {
    const marks = this.#walks.marks(bot.id)
    const first = marks.findLastIndex(({ fillId }) => fillId <= (window.after ?? 0))
    const found = isUpwards(window)
      ? await this.#collect(bot, marks[first]!, window, signal)
      : await this.#latest(bot, marks.slice(first), window, signal)
    return this.whole(found)
  }

  /** All trades of a bot that began with a fill of a range; both ends belong to it. */
  beganWithin(bot: BotKey, first: number, last: number, signal?: AbortSignal): Promise<Found[]> {
    const from = this.#walks.marks(bot.id).findLast(({ fillId }) => fillId < first)!
    const window = { after: first - 1, before: last + 1, limit: Number.POSITIVE_INFINITY }
    return this.#collect(bot, from, window, signal)
  }

  /** Adds funding and signals to trades, which may be of several bots. */
  async whole(found: readonly Found[]): Promise<WholeTrade[]> {
    const [paid, signals, unprotected] = await Promise.all([
      this.paymentsOf(found),
      this.#signalsOf(found),
      this.#unprotectedOf(found),
    ])
    return found.map(({ botId, trade }, place) => {
      const funding = sumOf(paid.get(place) ?? [])
      const unprotectedMs = unprotected.get(place) ?? null
      return { botId, trade, funding, realised: netOf(trade).plus(funding), unprotectedMs, signals }
    })
  }

  /** The payments of each trade, by its place in the list. Each payment belongs to one trade: see `paidFrom`. */
  async paymentsOf(
    found: readonly Found[],
    { since, until }: Period = always,
  ): Promise<Map<number, PaidOnDay[]>> {
    const paid = new Map<number, PaidOnDay[]>()
    if (found.length === 0) return paid
    const spans = found.map(({ botId, trade, paidUntil }, place) => ({
      ...{ place, bot_id: botId, symbol: trade.symbol },
      ...{ since: textOf(trade.paidFrom), until: textOf(paidUntil) },
    }))
    const { rows } = (await this.#database.db.execute(sql`
      select span.place, (paid.paid_at at time zone 'UTC')::date::text as day, sum(paid.value)::text as value,
        coalesce(sum(paid.value) filter (where paid.paid_at between ${textOf(since)} and ${textOf(until)}), 0)::text
          as within
      from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb)
        as span(place integer, bot_id bigint, symbol text, since timestamptz, until timestamptz)
      join ${payments} paid on paid.bot_id = span.bot_id and paid.symbol = span.symbol
        and paid.paid_at >= coalesce(span.since, '-infinity') and paid.paid_at < coalesce(span.until, 'infinity')
      group by 1, 2`)) as unknown as { rows: { place: number; day: string; value: string; within: string }[] }
    for (const { place, day, value, within } of rows) {
      const days = paid.get(place) ?? []
      paid.set(place, [...days, { day, value: decimal(value), within: decimal(within) }])
    }
    return paid
  }

  /** Begins at earlier and earlier marks until there are enough trades, so that the end of a long history is cheap. */
  async #latest(
    bot: BotKey,
    marks: readonly Mark[],
    window: TradeWindow,
    signal?: AbortSignal,
  ): Promise<Found[]> {
    const { before = Number.POSITIVE_INFINITY, limit } = window
    const earlier = marks.filter(({ fillId }, place) => place === 0 || fillId < before)
    for (let back = 1; ; back *= 2) {
      const from = earlier[Math.max(0, earlier.length - back)]!
      const found = await this.#collect(bot, from, window, signal)
      if (found.length >= limit || from === earlier[0]) return found
    }
  }

  /** Collects the trades that begin after a mark, and walks on until none of them can change any more. */
  async #collect(bot: BotKey, from: Mark, window: TradeWindow, signal?: AbortSignal): Promise<Found[]> {
    const found = new Map<number, Found>()
    const open = new Set<number>()
    const add = (trade: Trade) => {
      if (!found.has(trade.id)) open.add(trade.id)
      if (open.has(trade.id)) found.set(trade.id, { botId: bot.id, trade, paidUntil: null })
      if (found.size <= window.limit) return
      const [oldest] = found.keys()
      found.delete(oldest!)
      open.delete(oldest!)
    }
    for await (const batch of this.#walks.walk(bot, from, signal)) {
      for (const { fill, step } of batch) {
        const { past } = step
        if (past !== null && open.delete(past.trade.id)) found.set(past.trade.id, { botId: bot.id, ...past })
        for (const { trade } of step.shares) {
          if (open.has(trade.id) || (trade.id === fill.id && mayBegin(window, trade, found.size))) add(trade)
        }
        if (isOver(window, fill.id, found.size) && open.size === 0) return newestFirst(found)
      }
    }
    return newestFirst(found)
  }

  /** By the place of the trade in the list. Nobody ends the count of a position that closes without a stop. */
  async #unprotectedOf(found: readonly Found[]): Promise<Map<number, number>> {
    if (found.length === 0) return new Map()
    const spans = found.map(({ botId, trade }, place) => ({
      ...{ place, bot_id: botId, symbol: trade.symbol },
      ...{ since: textOf(trade.openedAt), until: textOf(trade.closedAt) },
    }))
    const { rows } = (await this.#database.db.execute(sql`
      select span.place, sum(u.milliseconds + case when u.since is null then 0 else
        round(extract(epoch from greatest(interval '0', coalesce(span.until, now()) - u.counted_until)) * 1000) end
      )::float8 as ms
      from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb)
        as span(place integer, bot_id bigint, symbol text, since timestamptz, until timestamptz)
      join ${unprotectedTimes} u on u.bot_id = span.bot_id and u.symbol = span.symbol and u.opened_at >= span.since
        and (u.opened_at = span.since or u.opened_at < coalesce(span.until, 'infinity'))
      group by 1`)) as unknown as { rows: { place: number; ms: number | string }[] }
    return new Map(rows.map(({ place, ms }) => [place, Number(ms)]))
  }

  async #signalsOf(found: readonly Found[]): Promise<Map<number, SignalOfOrder>> {
    const ids = found.flatMap(({ trade }) =>
      [...trade.entries, ...trade.exits].flatMap(({ orderId }) => (orderId === null ? [] : [orderId])),
    )
    if (ids.length === 0) return new Map()
    const rows = await this.#database.db
      .select({ orderId: orders.id, signalId: botSignals.signalId, origin: signals.origin })
      .from(orders)
      .innerJoin(botSignals, eq(botSignals.id, orders.botSignalId))
      .leftJoin(signals, eq(signals.id, botSignals.signalId))
      .where(inArray(orders.id, [...new Set(ids)]))
    return new Map(rows.map(({ orderId, ...signal }) => [orderId, signal]))
  }
}

function isUpwards({ before, after }: TradeWindow): boolean {
  return after !== undefined && before === undefined
}

/** Whether the window may contain a trade that begins with a fill. */
function mayBegin(window: TradeWindow, trade: Trade, count: number): boolean {
  const { symbol, before = Number.POSITIVE_INFINITY, after = 0, limit } = window
  if (trade.id >= before || trade.id <= after || (isUpwards(window) && count >= limit)) return false
  return symbol === undefined || bare(symbol) === bare(trade.symbol)
}

/** Whether no more trades can begin in the window. */
function isOver(window: TradeWindow, fillId: number, count: number): boolean {
  return isUpwards(window) ? count >= window.limit : fillId >= (window.before ?? Number.POSITIVE_INFINITY)
}

function newestFirst(found: ReadonlyMap<number, Found>): Found[] {
  return [...found.values()].sort((a, b) => b.trade.id - a.trade.id)
}

/** The same as `bareSymbol` of the database: `BTCUSDT` for `btc-usdt` and `BTC/USDT:USDT`. */
function bare(symbol: string): string {
  return symbol
    .split(':')[0]!
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}

export function sumOf(paid: readonly PaidOnDay[]): Decimal {
  return paid.reduce((sum, { value }) => sum.plus(value), zero)
}

function textOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
