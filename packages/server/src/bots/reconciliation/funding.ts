import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { type Decimal, decimal, plain, zero } from '../../base/decimals.ts'
import type { Db } from '../../db/database.ts'
import { fills, payments, positions, reconciliations } from '../../db/schema.ts'
import type { MarketRules } from '../../market/rules.ts'
import type { FundingPayment } from '../../trading/account.ts'
import { isContract } from '../../trading/symbols.ts'
import { writeEquityPoint } from '../equity-point.ts'
import { lockHeld } from '../held-bot.ts'
import type { HeldBot } from '../inbox.ts'
import { readPosition } from '../position-rows.ts'
import type { Place } from './reconciler.ts'
import { keyOf, overlapMs, type Reconciliation } from './store.ts'
import { signedSize, type WritingParts } from './writing.ts'

/** Exchanges pay funding at most once an hour. */
const everyMs = 3_600_000
const valueDecimals = 18

type BookedPayment = FundingPayment & { value: string }

/** Books the funding payments of live perpetuals, each once. */
export class Funding {
  #parts: WritingParts & { fundingEveryMs?: number }
  /** When each symbol of each bot was read last, by `performance.now()`. */
  #readMs = new Map<string, number>()

  constructor(parts: WritingParts & { fundingEveryMs?: number }) {
    this.#parts = parts
  }

  /**
   * Reads the payments of a symbol, at most once an hour while the bot holds a position, and once after it has closed it.
   * @throws {VenueUnreachable} if the exchange does not say
   * @throws {BotLost} if another node holds the bot
   */
  async update({ bot, venue }: Place, symbol: string): Promise<void> {
    const { db } = this.#parts.database
    if (!isContract(symbol)) return
    const key = `${bot.id} ${symbol}`
    const [last] = await db.select().from(reconciliations).where(keyOf(bot.id, symbol))
    if (last === undefined) return
    const held = decimal(last.booksSize).eq('0') ? 'flat' : 'held'
    const isRecent = performance.now() - (this.#readMs.get(`${key} ${held}`) ?? Number.NEGATIVE_INFINITY)
    if (isRecent < (this.#parts.fundingEveryMs ?? everyMs)) return
    const rules = await venue.rules(symbol)
    const paid = await venue.account.fundingSince(symbol, last.fundingUntil.getTime())
    const worth = await Promise.all(paid.map((payment) => withValue(payment, rules, venue)))
    await this.#book(bot, symbol, last, worth)
    this.#readMs.set(`${key} ${held}`, performance.now())
    // The next change between flat and held is read at once.
    this.#readMs.delete(`${key} ${held === 'flat' ? 'held' : 'flat'}`)
  }

  async #book(bot: HeldBot, symbol: string, last: Reconciliation, paid: BookedPayment[]): Promise<void> {
    const { database, nodeId } = this.#parts
    const { id: botId, userId } = bot
    const until = new Date(Math.max(last.fundingUntil.getTime(), Date.now() - overlapMs))
    const isBooked = await database.db.transaction(async (tx) => {
      const current = await lockHeld(tx, botId, nodeId)
      let booked = zero
      let count = 0
      const shareAt = await sharesOf(tx, botId, symbol, last, paid)
      for (const payment of paid) {
        const share = shareAt(payment.at)
        if (share.eq('0')) continue
        const value = decimal(payment.value).times(share).round(valueDecimals)
        const amount = decimal(payment.amount).times(share).round(valueDecimals)
        const added = await tx
          .insert(payments)
          .values({
            ...{ botId, userId, symbol, kind: 'funding', paymentId: payment.id, asset: payment.asset },
            ...{ amount: plain(amount), value: plain(value), paidAt: new Date(payment.at) },
          })
          .onConflictDoNothing()
          .returning({ id: payments.id })
        if (added.length === 0) continue
        booked = booked.plus(value)
        count++
      }
      await tx.update(reconciliations).set({ fundingUntil: until }).where(keyOf(botId, symbol))
      if (count === 0) return false
      await tx
        .update(positions)
        .set({
          realised: sql`${positions.realised} + ${plain(booked)}::numeric`,
          funding: sql`${positions.funding} + ${plain(booked)}::numeric`,
          updatedAt: new Date(),
        })
        .where(and(eq(positions.botId, botId), eq(positions.symbol, symbol)))
      const markPrice = (of: string) => this.#parts.markPrice(bot, of)
      // Of now, because nobody has asked for the prices at the times of the payments.
      await writeEquityPoint(
        tx,
        { botId, startBalance: current.settings.startBalance, markPrice },
        Date.now(),
      )
      return true
    })
    if (isBooked) this.#parts.onChange?.({ kind: 'position', id: botId, userId, part: symbol })
  }
}

/**
 * How much of a payment at a time is the bot's: nothing if it held nothing then, and its share if a part of the
 * position is ignored.
 */
async function sharesOf(
  tx: Db,
  botId: number,
  symbol: string,
  { ignoredSize }: Reconciliation,
  paid: readonly FundingPayment[],
): Promise<(at: number) => Decimal> {
  const [first] = paid
  if (first === undefined) return () => zero
  const now = decimal(signedSize(await readPosition(tx, botId, symbol)))
  const later = await tx
    .select({ side: fills.side, size: fills.size, filledAt: fills.filledAt })
    .from(fills)
    .where(and(eq(fills.botId, botId), eq(fills.symbol, symbol), gt(fills.filledAt, new Date(first.at))))
    .orderBy(asc(fills.filledAt))
  const ignored = decimal(ignoredSize)
  return (at) => {
    const after = later.filter(({ filledAt }) => filledAt.getTime() > at)
    const held = after.reduce(
      (size, fill) => (fill.side === 'buy' ? size.minus(decimal(fill.size)) : size.plus(decimal(fill.size))),
      now,
    )
    if (held.eq('0') || ignored.eq('0') || held.s !== ignored.s) return held.eq('0') ? zero : decimal('1')
    return held.div(held.plus(ignored))
  }
}

/** @throws {VenueUnreachable} if the payment is in an asset whose price is unknown: then it is booked later */
async function withValue(
  payment: FundingPayment,
  { quote }: MarketRules,
  venue: Place['venue'],
): Promise<BookedPayment> {
  if (payment.asset === quote) return { ...payment, value: payment.amount }
  const price = decimal(await venue.price(`${payment.asset}/${quote}`))
  return { ...payment, value: plain(decimal(payment.amount).times(price)) }
}
