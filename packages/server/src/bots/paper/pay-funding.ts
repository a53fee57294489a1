/** The funding of a paper position at one moment: one transaction, under the lock that every order and every fill takes. */
import { and, eq, gte, lt, or, sql } from 'drizzle-orm'
import { type Decimal, decimal, isZero, plain } from '../../base/decimals.ts'
import type { Database, Db } from '../../db/database.ts'
import { bots, fills, payments, positions } from '../../db/schema.ts'
import { storeNotification } from '../../notifications/store.ts'
import { fundingOf } from '../../trading/funding.ts'
import { quoteOf } from '../../trading/symbols.ts'
import { namedBot } from '../demo.ts'
import { writeEquityPoint } from '../equity-point.ts'
import type { OrderSubscribers } from '../order-notifications.ts'
import { readPosition } from '../position-rows.ts'

export type PayParts = {
  database: Database
  /** The current price of a symbol of the bot in quote currency; `null` if there is none. */
  markPrice(symbol: string): string | null
  subscribers?: OrderSubscribers | undefined
}

export type PaperKey = { botId: number; symbol: string }

/** `at` in Unix ms. `rate` is a fraction, `price` that of the position in quote currency. */
export type FundingDue = { at: number; rate: string; price: string }

/**
 * Books what a position paid or received at a moment, for what the bot held just before it. Any node may call it, as often
 * as it wants: a moment is booked once.
 * @returns whether it was booked now
 */
export function payFunding(
  { database, markPrice }: PayParts,
  key: PaperKey,
  due: FundingDue,
): Promise<boolean> {
  return database.db.transaction(async (tx) => {
    const bot = await lockPaying(tx, key.botId)
    if (bot === null) return false
    const held = await heldAt(tx, key, due.at)
    if (isZero(held)) return false
    const side = held.gt('0') ? ('long' as const) : ('short' as const)
    const position = { ...(await readPosition(tx, key.botId, key.symbol)), side, size: plain(held.abs()) }
    const value = plain(fundingOf(position, due.price, due.rate))
    const added = await tx
      .insert(payments)
      .values({
        ...{ ...key, userId: bot.userId, kind: 'funding', paymentId: `paper-funding-${due.at}` },
        ...{ asset: quoteOf(key.symbol) ?? '', amount: value, value, paidAt: new Date(due.at) },
      })
      .onConflictDoNothing()
      .returning({ id: payments.id })
    if (added.length === 0) return false
    await tx
      .update(positions)
      .set({
        realised: sql`${positions.realised} + ${value}::numeric`,
        funding: sql`${positions.funding} + ${value}::numeric`,
        updatedAt: new Date(),
      })
      .where(isOf(key))
    const { startBalance } = bot.settings
    await writeEquityPoint(tx, { botId: key.botId, startBalance, markPrice }, due.at, {
      [key.symbol]: due.price,
    })
    return true
  })
}

/**
 * Tells the owner, once for each moment, that the rate of a moment is still unknown at which the bot held a position.
 * @returns `isHeld`: whether it did. `isTold`: whether there is a notification
 */
export function tellUnknown(
  { database, subscribers }: PayParts,
  key: PaperKey,
  at: number,
): Promise<{ isHeld: boolean; isTold: boolean }> {
  return database.db.transaction(async (tx) => {
    const bot = await lockPaying(tx, key.botId)
    if (bot === null || isZero(await heldAt(tx, key, at))) return { isHeld: false, isTold: false }
    const { fundingUnknownAt } = positions
    const told = await tx
      .update(positions)
      .set({ fundingUnknownAt: new Date(at) })
      .where(and(isOf(key), or(sql`${fundingUnknownAt} is null`, lt(fundingUnknownAt, new Date(at)))))
      .returning({ botId: positions.botId })
    if (told.length === 0 || subscribers?.hears(bot.userId) !== true) return { isHeld: true, isTold: false }
    const data = { ...(await namedBot(tx, key.botId)), symbol: key.symbol, at: new Date(at).toISOString() }
    await storeNotification(tx, bot.userId, 'funding.unknown', data)
    return { isHeld: true, isTold: true }
  })
}

/** Notes that every moment until then is settled. It never goes back. */
export async function noteSettled({ db }: Pick<Database, 'db'>, key: PaperKey, until: number): Promise<void> {
  const at = new Date(until)
  const isEarlier = or(sql`${positions.fundingUntil} is null`, lt(positions.fundingUntil, at))
  await db
    .update(positions)
    .set({ fundingUntil: at })
    .where(and(isOf(key), isEarlier))
}

async function lockPaying(tx: Db, botId: number) {
  const [bot] = await tx
    .select({ userId: bots.userId, mode: bots.mode, settings: bots.settings })
    .from(bots)
    .where(eq(bots.id, botId))
    .for('update')
  return bot?.mode === 'paper' && bot.settings.funding === 'exchange' ? bot : null
}

/**
 * What the bot held just before a moment, negative for a short: a signal of the same moment is followed after the payment, as
 * in a backtest.
 */
async function heldAt(tx: Db, key: PaperKey, at: number): Promise<Decimal> {
  const { side, size } = await readPosition(tx, key.botId, key.symbol)
  const now = side === null ? decimal('0') : decimal(side === 'long' ? size : `-${size}`)
  const signed = sql<string>`coalesce(sum(case ${fills.side} when 'buy' then ${fills.size} else -${fills.size} end), 0)`
  const [later] = await tx
    .select({ change: signed })
    .from(fills)
    .where(and(eq(fills.botId, key.botId), eq(fills.symbol, key.symbol), gte(fills.filledAt, new Date(at))))
  return now.minus(decimal(later!.change))
}

function isOf({ botId, symbol }: PaperKey) {
  return and(eq(positions.botId, botId), eq(positions.symbol, symbol))
}
