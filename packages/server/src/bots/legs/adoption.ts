import { and, eq, sql } from 'drizzle-orm'
import { decimal } from '../../base/decimals.ts'
import type { Database, Db } from '../../db/database.ts'
import { botSignals, orders, positionProtections, protectionLegs } from '../../db/schema.ts'
import { lockHeld } from '../held-bot.ts'
import { nextCloseAt, type StoredClose, storeClose } from '../protection/close-rows.ts'
import { keyOf } from '../protection/rows.ts'

type MadeOrder = { orderId: string; size?: string; isTarget?: true }

/** The signal that settles the order of a leg. `isNew`: no other signal of the symbol was in progress. */
export type Adopted = StoredClose & { isNew: boolean }

/**
 * The exchange has made an order of a stop: the books take it over as an order that the bot has sent, in one transaction
 * with the end of the leg. From then on, it is settled like any other: looked up until it is final, and each of its fills
 * counted once.
 * @param order its id at the exchange; of a target, how much it has executed, and executes no more; and whether it is that of
 * the target that was in one order with the stop
 * @param botSignalId the signal in progress that takes it over; `null`: a new one, whose origin is that of the stop
 * @returns `null` if the books have it already
 * @throws {BotLost} if another node holds the bot
 */
export function adopt(
  { database, nodeId }: { database: Database; nodeId: string },
  { botId, legId, order: made }: { botId: number; legId: number; order: MadeOrder },
  botSignalId: number | null,
): Promise<Adopted | null> {
  return database.db.transaction(async (tx) => {
    await lockHeld(tx, botId, nodeId)
    const [row] = await tx.select().from(protectionLegs).where(eq(protectionLegs.id, legId)).for('update')
    if (row === undefined || row.status === 'TRIGGERED') return null
    const leg = made.isTarget === true ? ofTarget(row) : row
    const of = botSignalId === null ? await newSignal(tx, leg, made.size) : await begun(tx, botSignalId)
    const now = new Date()
    const [order] = await tx
      .insert(orders)
      .values({
        ...{ botId, userId: leg.userId, botSignalId: of.botSignalId, legId, clientOrderId: leg.clientId },
        ...{ exchangeOrderId: made.orderId, symbol: leg.symbol, side: leg.side, size: made.size ?? leg.size },
        ...{ purpose: 'close', reduceOnly: true, status: 'OPEN' },
        ...{ createdAt: leg.createdAt, sentAt: leg.sentAt, acknowledgedAt: now, updatedAt: now },
      })
      .returning({ id: orders.id })
    if (made.isTarget === true && leg.ocoTarget !== null) await reachTarget(tx, leg, leg.ocoTarget)
    if (leg.target !== null && made.size !== undefined && decimal(made.size).gte(decimal(leg.size))) {
      await reachTarget(tx, leg, leg.target)
    }
    await tx
      .update(protectionLegs)
      .set({ status: 'TRIGGERED', reason: null, orderId: order!.id, updatedAt: now })
      .where(eq(protectionLegs.id, legId))
    return of
  })
}

type Leg = typeof protectionLegs.$inferSelect

/** Why and at which price a stop has closed, if it was at the target in one order with it. */
function ofTarget(leg: Leg): Leg {
  return { ...leg, stopReason: 'take_profit', price: leg.ocoPrice ?? leg.price }
}

/** A target that was executed closes nothing of what is added to the position later. */
async function reachTarget(tx: Db, { botId, symbol, openedAt }: Leg, target: number): Promise<void> {
  const { targetsPassed, openedAt: of } = positionProtections
  await tx
    .update(positionProtections)
    .set({ targetsPassed: sql`greatest(${targetsPassed}, ${target})` })
    .where(and(keyOf(botId, symbol), eq(of, openedAt)))
}

/**
 * It is in progress from the beginning: the exchange has already decided to close.
 * @param size of a target: it closes no more than that
 */
async function newSignal(tx: Db, leg: Leg, size: string | undefined): Promise<Adopted> {
  const { botId, userId, symbol, price, stopReason: origin, openedAt } = leg
  const now = new Date()
  const close = await storeClose(tx, {
    ...{ botId, userId, symbol, origin, price: Number(price), at: now, status: 'WORKING' },
    ...(size !== undefined && { options: { size: Number(size), forceSize: true } }),
  })
  if (leg.target !== null) return { ...close, isNew: true }
  await tx
    .update(positionProtections)
    .set({
      ...{ state: 'CLOSING', closeId: close.botSignalId, attempts: 1, updatedAt: now },
      retryAt: nextCloseAt(now.getTime(), 1),
    })
    .where(and(keyOf(botId, symbol), eq(positionProtections.openedAt, openedAt)))
  return { ...close, isNew: true }
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
