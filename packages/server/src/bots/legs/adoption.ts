import { and, eq } from 'drizzle-orm'
import type { Database, Db } from '../../db/database.ts'
import { botSignals, orders, positionProtections, protectionLegs, signals } from '../../db/schema.ts'
import { lockHeld } from '../held-bot.ts'
import { keyOf } from '../protection/rows.ts'

/** The signal that settles the order of a stop. `isNew`: no other signal of the symbol was in progress. */
export type Adopted = { signalId: number; botSignalId: number; isNew: boolean }

/** After a close at a stop, the next one comes no sooner than this. */
const retryMs = 5_000

/**
 * The exchange has made an order of a stop: the books take it over as an order that the bot has sent, in one transaction
 * with the end of the leg. From then on, it is settled like any other: looked up until it is final, and each of its fills
 * counted once.
 * @param orderId the order's id at the exchange
 * @param botSignalId the signal in progress that takes it over; `null`: a new one, whose origin is that of the stop
 * @returns `null` if the books have it already
 * @throws {BotLost} if another node holds the bot
 */
export function adopt(
  { database, nodeId }: { database: Database; nodeId: string },
  { botId, legId, orderId }: { botId: number; legId: number; orderId: string },
  botSignalId: number | null,
): Promise<Adopted | null> {
  return database.db.transaction(async (tx) => {
    await lockHeld(tx, botId, nodeId)
    const [leg] = await tx.select().from(protectionLegs).where(eq(protectionLegs.id, legId)).for('update')
    if (leg === undefined || leg.status === 'TRIGGERED') return null
    const of = botSignalId === null ? await newSignal(tx, leg) : await begun(tx, botSignalId)
    const now = new Date()
    const [order] = await tx
      .insert(orders)
      .values({
        ...{ botId, userId: leg.userId, botSignalId: of.botSignalId, legId, clientOrderId: leg.clientId },
        ...{ exchangeOrderId: orderId, symbol: leg.symbol, side: leg.side, size: leg.size },
        ...{ purpose: 'close', reduceOnly: true, status: 'OPEN' },
        ...{ createdAt: leg.createdAt, sentAt: leg.sentAt, acknowledgedAt: now, updatedAt: now },
      })
      .returning({ id: orders.id })
    await tx
      .update(protectionLegs)
      .set({ status: 'TRIGGERED', reason: null, orderId: order!.id, updatedAt: now })
      .where(eq(protectionLegs.id, legId))
    return of
  })
}

type Leg = typeof protectionLegs.$inferSelect

/** It is in progress from the beginning: the exchange has already decided to close. */
async function newSignal(tx: Db, leg: Leg): Promise<Adopted> {
  const { botId, userId, symbol, price, stopReason: origin, openedAt } = leg
  const now = new Date()
  const [signal] = await tx
    .insert(signals)
    .values({
      ...{ userId, origin, action: 'EXIT', symbols: [symbol], options: {} },
      ...{ createdAt: now, price: Number(price), delivered: true },
    })
    .returning({ id: signals.id })
  const [close] = await tx
    .insert(botSignals)
    .values({ botId, userId, signalId: signal!.id, symbol, status: 'WORKING', queuedAt: now })
    .returning({ id: botSignals.id })
  await tx
    .update(positionProtections)
    .set({
      ...{ state: 'CLOSING', closeId: close!.id, attempts: 1, updatedAt: now },
      retryAt: new Date(now.getTime() + retryMs),
    })
    .where(and(keyOf(botId, symbol), eq(positionProtections.openedAt, openedAt)))
  return { signalId: signal!.id, botSignalId: close!.id, isNew: true }
}

async function begun(tx: Db, botSignalId: number): Promise<Adopted> {
  const [of] = await tx
    .select({ signalId: botSignals.signalId })
    .from(botSignals)
    .where(eq(botSignals.id, botSignalId))
  await tx
    .update(botSignals)
    .set({ status: 'WORKING' })
    .where(and(eq(botSignals.id, botSignalId), eq(botSignals.status, 'QUEUED')))
  return { signalId: of!.signalId, botSignalId, isNew: false }
}
