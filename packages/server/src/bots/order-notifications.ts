import { eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { botSignals, bots, type orders } from '../db/schema.ts'
import { tell } from '../notifications/telling.ts'
import { presentOrder } from './order-record.ts'

type OrderRow = typeof orders.$inferSelect

/** Whoever is told of orders, as far as this node knows. */
export type OrderSubscribers = {
  hears(userId: number): boolean
  /** Told when something was written for them, and is durable. */
  onTold(): void
}

/**
 * Tells of an order whose status has changed, when the transaction is committed: that it has ended, or that nobody
 * knows what became of it.
 * @returns whether there is something to tell, and somebody to hear of it
 */
export async function notifyOfOrder(
  tx: Db,
  order: OrderRow,
  audience: OrderSubscribers | undefined,
): Promise<boolean> {
  const type = typeOf(order.status)
  if (type === undefined || audience?.hears(order.userId) !== true) return false
  const [of] = await tx
    .select({ signalId: botSignals.signalId, botName: bots.name })
    .from(botSignals)
    .leftJoin(bots, eq(bots.id, botSignals.botId))
    .where(eq(botSignals.id, order.botSignalId))
  const record = presentOrder({ ...order, signalId: of?.signalId ?? null })
  await tell(tx, order.userId, type, { ...record, bot_name: of?.botName ?? '' })
  return true
}

function typeOf(status: OrderRow['status']): 'order.settled' | 'order.unknown' | undefined {
  if (status === 'UNKNOWN') return 'order.unknown'
  return status === 'PLANNED' || status === 'OPEN' ? undefined : 'order.settled'
}
