/** What must hold when an opening is planned, while the bot is locked. */
import { and, asc, eq, gt, inArray, or } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema.ts'
import { stoppedReason } from '../trading/drawdown-limit.ts'
import { dayOf, roomRefusal } from '../trading/risk.ts'
import { quoteOf } from '../trading/symbols.ts'
import { PlanOutdated, PlanRefused, type PositionRoom } from '../trading/types.ts'
import type { Bot } from './bot.ts'
import { heldSymbols, latestOpening, openingSymbols } from './taken-symbols.ts'

/** The quote currency of the books of a bot: see `Books.quote`. */
export async function quoteOfBooks(db: Db, botId: number): Promise<string | null> {
  const mayCount = or(gt(orders.filledSize, '0'), inArray(orders.status, ['PLANNED', 'OPEN', 'UNKNOWN']))
  const [first] = await db
    .select({ symbol: orders.symbol })
    .from(orders)
    .where(and(eq(orders.botId, botId), mayCount))
    .orderBy(asc(orders.id))
    .limit(1)
  return first === undefined ? null : quoteOf(first.symbol)
}

/**
 * Two symbols in different quote currencies may be opened at the same time, each before the other is in the books. The
 * second one fails here, tries again, and then sees the quote currency of the first.
 * @throws {Error} if the books are in another quote currency
 */
export async function demandQuote(tx: Db, botId: number, symbol: string): Promise<void> {
  const quote = await quoteOfBooks(tx, botId)
  if (quote === null || quote === (quoteOf(symbol) ?? quote)) return
  throw new Error(`The books are now in ${quote}.`)
}

/**
 * Two symbols may be opened at the same time, each before the other is in the books. While the bot is locked, only one of
 * them takes the last place.
 * @throws {PlanRefused} if the bot would have more positions than it may
 */
export async function demandRoom(
  tx: Db,
  botId: number,
  own: string,
  { most, dust }: PositionRoom,
): Promise<void> {
  const held = (await heldSymbols(tx, botId)).filter((symbol) => !dust.includes(symbol))
  const elsewhere = new Set([...held, ...(await openingSymbols(tx, botId))])
  elsewhere.delete(own)
  const refusal = roomRefusal(most, [...elsewhere])
  if (refusal !== null) throw new PlanRefused(refusal)
}

/**
 * The loss may reach its limit after the bot has checked it. The next attempt sees that.
 * @throws {Error} if the bot reached its limit today
 */
export function demandNoLimit({ limitReachedAt, settings }: Pick<Bot, 'limitReachedAt' | 'settings'>): void {
  if (settings.maxDailyLoss === null || limitReachedAt === null) return
  if (limitReachedAt.getTime() >= dayOf(Date.now()))
    throw new Error('The bot has now reached max_daily_loss.')
}

/**
 * A bot that has stopped opens nothing until its owner resets it, even if its limit was changed or taken away since.
 * @throws {PlanRefused}
 */
export function demandNoDrawdown(
  { highestEquity, drawdownEquity, settings }: Pick<Bot, 'highestEquity' | 'drawdownEquity' | 'settings'>,
  symbol: string,
): void {
  if (highestEquity === null || drawdownEquity === null) return
  const reached = { highest: highestEquity, equity: drawdownEquity, maxDrawdown: settings.maxDrawdown }
  throw new PlanRefused(stoppedReason(reached, quoteOf(symbol) ?? settings.amountCurrency))
}

/**
 * Two symbols may be opened at the same time, each with the money that is free without the other.
 * @throws {PlanOutdated} if another opening came in between
 */
export async function demandLatest(tx: Db, botId: number, latest: string): Promise<void> {
  if ((await latestOpening(tx, botId)) !== latest) throw new PlanOutdated()
}
