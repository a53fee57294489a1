import { and, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm'
import { type Decimal, decimal, zero } from '../../base/decimals.ts'
import { AppError } from '../../base/errors.ts'
import { SharedWork } from '../../base/shared-work.ts'
import type { Database, PreparedStatement } from '../../db/database.ts'
import { bots, equity, exchangeConnections, positions } from '../../db/schema.ts'
import { dayMs, dayOf } from '../../trading/risk.ts'
import { Drawdown, type Drawdowns, type Fall } from '../../trading/statistics/drawdown.ts'
import { type CurvePoint, SampledCurve } from '../../trading/statistics/sampled-curve.ts'
import { quoteOf } from '../../trading/symbols.ts'
import { isDemo } from '../demo.ts'
import { balanceOf, type PriceLookUp, valued } from '../valuation.ts'
import type { FillWalks } from './fill-walk.ts'

/** Bots whose money may be added up. */
export type MoneyKey = { mode: 'paper' | 'live'; isDemo: boolean; currency: string }

export type EquityGroup = MoneyKey & {
  bots: number
  /** How many of them have an equity that nobody knows now. */
  unknown: number
  /** The sum of those that are known; `null` if none is. */
  equity: Decimal | null
  /** Since midnight (UTC), after fees and with funding. */
  realisedToday: Decimal
}

/**
 * The falls of the sum of all equities of a group. `bots`: how many are part of it. `curve`: the sum over time, if it was
 * asked for.
 */
export type FallGroup = MoneyKey & {
  bots: number
  current: Fall | null
  falls: Drawdowns
  curve?: CurvePoint[]
}

/** From when to when, in Unix milliseconds, and of how many points a curve is wanted; `null`: of none. */
export type FallSpan = { since: number; now: number; points: number | null }

/** The sum of a group at the moment that the calculation has reached. */
type Running = { sum: Decimal; drawdown: Drawdown; curve: SampledCurve | null }

type Books = MoneyKey & {
  id: number
  /** `null`: unknown, or the books have several currencies. */
  startBalance: Decimal | null
  equity: Decimal | null
}

const todaySql = `
  select bot_id, symbol, sum(amount)::text from (
    select bot_id, symbol, realised as amount from fills where user_id = $1 and filled_at >= $2::timestamptz
    union all
    select bot_id, symbol, value from payments
    where bot_id in (select id from bots where user_id = $1) and paid_at >= $2::timestamptz
  ) today group by 1, 2`

const pointsSql = `
  select bot_id, balance + unrealised, floor(extract(epoch from at) * 1000)::int8 from equity
  where bot_id = any($1::bigint[]) and at >= $2::timestamptz and at < $3::timestamptz
  order by at, id`

const mostUnderWay = 8
const tooMany = () =>
  new AppError(
    'rate_limited',
    `You have ${mostUnderWay} calculations of drawdowns under way already, the most allowed. Wait until one ends.`,
    { retryAfterSeconds: 1 },
  )

/** What all bots of a user are worth, one figure for each kind of money. Deleted bots have no equity any more. */
export class Equities {
  #database: Database
  #walks: FillWalks
  #prices: PriceLookUp
  #today: PreparedStatement
  #points: PreparedStatement
  #underWay = new SharedWork<FallGroup[]>(mostUnderWay, tooMany)

  constructor(database: Database, walks: FillWalks, prices: PriceLookUp) {
    this.#database = database
    this.#walks = walks
    this.#prices = prices
    this.#today = database.prepare('realised_today', todaySql)
    this.#points = database.prepare('points_of_equities', pointsSql)
  }

  /** The equity of all bots now, and what they realised today. It reads no more than their positions and the day's fills. */
  async now(userId: number, now: number): Promise<EquityGroup[]> {
    const [books, today] = await Promise.all([
      this.#books(userId),
      this.#today([userId, new Date(dayOf(now)).toISOString()]),
    ])
    const groups = new Map<string, EquityGroup>()
    const groupOf = (key: MoneyKey) =>
      entryOf(groups, key, () => ({ ...key, bots: 0, unknown: 0, equity: null, realisedToday: zero }))
    const byId = new Map(books.map((book) => [book.id, book]))
    for (const book of books) {
      const group = groupOf(moneyOf(book))
      group.bots++
      if (book.equity === null) group.unknown++
      else group.equity = (group.equity ?? zero).plus(book.equity)
    }
    for (const [botId, symbol, realised] of today) {
      const book = byId.get(Number(botId))
      if (book === undefined) continue
      // By hand, a bot can trade in another currency than that of its books.
      const group = groupOf({ ...moneyOf(book), currency: quoteOf(symbol!) ?? book.currency })
      group.realisedToday = group.realisedToday.plus(decimal(realised!))
    }
    return [...groups.values()]
  }

  /**
   * The falls of the sum of all equities from a time on, over every point of each bot. The start balance of a bot counts
   * from the beginning, so a new bot is no profit. Everyone who asks for the same at the same time gets the same answer.
   * @throws {AppError} 429 if the user has too many calculations under way
   */
  falls(userId: number, span: FallSpan, signal: AbortSignal): Promise<FallGroup[]> {
    const work = { ownerId: userId, key: `${userId} ${span.since} ${span.points}` }
    return this.#underWay.join(work, signal, (stopped) => this.#falls(userId, span, stopped))
  }

  async #falls(userId: number, { since, now, points }: FallSpan, signal: AbortSignal): Promise<FallGroup[]> {
    const known = (await this.#books(userId)).filter(({ startBalance }) => startBalance !== null)
    const values = new Map(known.map(({ id, startBalance }) => [id, startBalance!]))
    for (const [id, value] of await this.#before([...values.keys()], since)) values.set(id, value)
    const groups = new Map<string, MoneyKey & { bots: number } & Running>()
    const groupOfBot = new Map<number, Running>()
    for (const book of known) {
      const key = moneyOf(book)
      const group = entryOf(groups, key, () => ({
        ...{ ...key, bots: 0, sum: zero, drawdown: new Drawdown() },
        curve: points === null ? null : new SampledCurve(since, now, points),
      }))
      group.bots++
      group.sum = group.sum.plus(values.get(book.id)!)
      groupOfBot.set(book.id, group)
    }
    const change = (id: number, value: Decimal) => {
      const group = groupOfBot.get(id)!
      group.sum = group.sum.plus(value.minus(values.get(id)!))
      values.set(id, value)
      return group
    }
    const see = ({ drawdown, curve, sum }: Running, at: number) => {
      drawdown.add(at, sum)
      curve?.add(at, sum)
    }
    for (const group of groups.values()) see(group, since)
    await this.#eachPoint(userId, [...values.keys()], { since, now }, signal, (id, at, value) => {
      see(change(id, value), at)
    })
    // All current prices are of one moment.
    for (const { id, equity } of known) if (equity !== null) change(id, equity)
    for (const group of groups.values()) see(group, now)
    return [...groups.values()].map(({ drawdown, curve, bots, ...group }) => ({
      ...{ ...moneyOf(group), bots },
      ...{ current: drawdown.current(), falls: drawdown.drawdowns() },
      ...(curve !== null && { curve: curve.end() }),
    }))
  }

  /** Reads the points of all bots in the order of time, one day after the other, so that memory does not grow with them. */
  async #eachPoint(
    userId: number,
    ids: readonly number[],
    { since, now }: { since: number; now: number },
    signal: AbortSignal,
    visit: (id: number, at: number, value: Decimal) => void,
  ): Promise<void> {
    if (ids.length === 0) return
    const list = `{${ids}}`
    for (let from = since; from <= now; from += dayMs) {
      const isLast = from + dayMs > now
      await this.#walks.part(userId, signal, async (turns) => {
        // A point may be a little later than this clock.
        const to = isLast ? 'infinity' : new Date(from + dayMs).toISOString()
        for (const [id, value, at] of await this.#points([list, new Date(from).toISOString(), to])) {
          if (turns.isOver) await turns.rest()
          visit(Number(id), Number(at), decimal(value!))
        }
      })
    }
  }

  /** The last value of each bot before a time, if there is one. */
  async #before(ids: readonly number[], since: number): Promise<[id: number, value: Decimal][]> {
    if (ids.length === 0) return []
    const { db } = this.#database
    const last = db
      .select({ value: sql<string>`(${equity.balance} + ${equity.unrealised})::text`.as('value') })
      .from(equity)
      .where(and(eq(equity.botId, bots.id), lt(equity.at, new Date(since))))
      .orderBy(desc(equity.at), desc(equity.id))
      .limit(1)
      .as('last')
    const rows = await db
      .select({ id: bots.id, value: last.value })
      .from(bots)
      .crossJoinLateral(last)
      .where(inArray(bots.id, [...ids]))
    return rows.map(({ id, value }) => [id, decimal(value)])
  }

  async #books(userId: number): Promise<Books[]> {
    const { db } = this.#database
    const [own, held] = await Promise.all([
      db
        .select({ ...getTableColumns(bots), isDemo })
        .from(bots)
        .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
        .where(eq(bots.userId, userId))
        .orderBy(bots.id),
      db.select().from(positions).where(eq(positions.userId, userId)),
    ])
    const byBot = Map.groupBy(held, ({ botId }) => botId)
    return own.map(({ id, mode, isDemo, exchangeId, settings }): Books => {
      const rows = (byBot.get(id) ?? []).map((row) => valued(row, exchangeId, this.#prices))
      const currencies = new Set(rows.map(({ symbol }) => quoteOf(symbol) ?? settings.amountCurrency))
      const [currency = settings.amountCurrency, ...others] = currencies
      // The sum of several currencies means nothing.
      const startBalance = others.length > 0 ? null : settings.startBalance
      const { equity } = balanceOf(startBalance, rows)
      return {
        ...{
          id,
          mode,
          isDemo: isDemo === true,
          currency: others.length > 0 ? settings.amountCurrency : currency,
        },
        startBalance: startBalance === null ? null : decimal(startBalance),
        equity: equity === null ? null : decimal(equity),
      }
    })
  }
}

function moneyOf({ mode, isDemo, currency }: MoneyKey): MoneyKey {
  return { mode, isDemo, currency }
}

function entryOf<Value>(map: Map<string, Value>, key: MoneyKey, make: () => Value): Value {
  const text = JSON.stringify(key)
  const known = map.get(text) ?? make()
  map.set(text, known)
  return known
}
