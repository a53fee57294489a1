import { eq, sql } from 'drizzle-orm'
import { decimal, isZero } from '../base/decimals.ts'
import type { Db } from '../db/database.ts'
import { botSignals, bots, exchangeConnections, fills, type orders, signals } from '../db/schema.ts'
import { storeNotification } from '../notifications/store.ts'
import { isUnsettled } from '../trading/order-status.ts'
import { isDemo } from './demo.ts'
import { presentOrder } from './order-record.ts'
import { asMoney } from './shown-figures.ts'
import { tellOfTrades } from './trade-news/tell.ts'

type OrderRow = typeof orders.$inferSelect

/** The users with notification endpoints, as far as this node knows. */
export type OrderSubscribers = {
  hears(userId: number): boolean
  /** Called when a notification is committed. */
  onTold(): void
}

/**
 * Stores a notification in the transaction if the order has ended or its outcome became unknown.
 * @returns whether it stored one: not if the status is another, or the user has no endpoint
 */
export async function notifyOfOrder(
  tx: Db,
  order: OrderRow,
  subscribers: OrderSubscribers | undefined,
): Promise<boolean> {
  const type = typeOf(order.status)
  if (type === undefined || subscribers?.hears(order.userId) !== true) return false
  const [of] = await tx
    .select({
      ...{ signalId: botSignals.signalId, origin: signals.origin },
      ...{ botName: bots.name, mode: bots.mode, isDemo },
    })
    .from(botSignals)
    .leftJoin(signals, eq(signals.id, botSignals.signalId))
    .leftJoin(bots, eq(bots.id, botSignals.botId))
    .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
    .where(eq(botSignals.id, order.botSignalId))
  const { signalId = null, origin = null, isDemo: demo = null } = of ?? {}
  const record = presentOrder({ ...order, signalId, origin, isDemo: demo, rest: null })
  const realised = await realisedBy(tx, order)
  const data = { ...record, bot_name: of?.botName ?? '', mode: of?.mode ?? null, realised }
  await storeNotification(tx, order.userId, type, data)
  return true
}

/**
 * Stores what a report about an order is news of, in the transaction that books it: the position that its fills have
 * opened or closed, and the order itself if its status is new.
 * @param booked the ids of the fills that the report has brought
 * @returns whether it stored anything
 */
export async function notifyOfReport(
  tx: Db,
  order: OrderRow,
  { booked, isNew }: { booked: readonly number[]; isNew: boolean },
  subscribers: OrderSubscribers | undefined,
): Promise<boolean> {
  const { botId, userId, symbol, purpose, status } = order
  if ((booked.length === 0 && !isNew) || subscribers?.hears(userId) !== true) return false
  const isTold = isNew && (await notifyOfOrder(tx, order, subscribers))
  const isWorking = purpose === 'close' && isUnsettled(status)
  const change = { botId, userId, symbol, firstNew: booked[0] ?? null, isWorking }
  return (await tellOfTrades(tx, change)) > 0 || isTold
}

/** What the fills of an order have realised, after their fees; `null` if it has none. */
async function realisedBy(tx: Db, { id, filledSize }: OrderRow): Promise<string | null> {
  if (isZero(decimal(filledSize))) return null
  const [row] = await tx
    .select({ sum: sql<string | null>`sum(${fills.realised})` })
    .from(fills)
    .where(eq(fills.orderId, id))
  return asMoney(row?.sum ?? null)
}

function typeOf(status: OrderRow['status']): 'order.settled' | 'order.unknown' | undefined {
  if (status === 'UNKNOWN') return 'order.unknown'
  return status === 'PLANNED' || status === 'OPEN' ? undefined : 'order.settled'
}
