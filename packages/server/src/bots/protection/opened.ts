/** What becomes of the protection of a position when the books count a fill. */
import { and, eq, isNull, ne, or } from 'drizzle-orm'
import { decimal, plain } from '../../base/decimals.ts'
import type { Db } from '../../db/database.ts'
import { type Protection, positionProtections } from '../../db/schema.ts'
import { openedSizeAfter } from '../../trading/protection/plan.ts'
import type { Position } from '../../trading/types.ts'
import { keyOf, writeProtection } from './rows.ts'

/** `before` and `after`: the position around the fills. */
export type PositionChange = { botId: number; symbol: string; before: Position; after: Position }

/** `protection`: see the column of `orders`. */
type OpeningOrder = {
  id: number
  purpose: 'open' | 'close'
  protection: Protection | Record<string, never> | null
}

/**
 * Protects a position that an order has opened, or counts what it has added to one. It runs in the transaction of the
 * fills, so no crash leaves a position without its protection. An opening without protection costs nothing.
 * @returns whether it has written a protection
 */
export async function protectOpened(tx: Db, order: OpeningOrder, change: PositionChange): Promise<boolean> {
  const { botId, symbol, before, after } = change
  if (order.purpose !== 'open' || after.side === null || after.openedAt === null) return false
  const { protection } = order
  if (protection === null) {
    return before.side === after.side && countAdded(tx, change)
  }
  const isOf = keyOf(botId, symbol)
  if (!isProtection(protection)) {
    const isOlder = or(isNull(positionProtections.orderId), ne(positionProtections.orderId, order.id))
    await tx.delete(positionProtections).where(and(isOf, isOlder))
    return false
  }
  const [known] = await tx
    .select({ orderId: positionProtections.orderId, openedAt: positionProtections.openedAt })
    .from(positionProtections)
    .where(isOf)
    .for('update')
  if (known?.orderId === order.id && known.openedAt.getTime() === after.openedAt) {
    return countAdded(tx, change)
  }
  const openedAt = new Date(after.openedAt)
  const given = { openedAt, orderId: order.id, settings: protection, openedSize: after.size }
  await writeProtection(tx, botId, symbol, given)
  return true
}

/** Counts what was added to a protected position, by the bot or at the exchange, so that targets close parts of all of it. @returns whether it is protected */
export async function countAdded(tx: Db, { botId, symbol, before, after }: PositionChange): Promise<boolean> {
  if (before.side === null || before.side !== after.side || after.openedAt === null) return false
  const added = decimal(after.size).minus(decimal(before.size))
  if (added.lte('0')) return false
  const isOf = and(keyOf(botId, symbol), eq(positionProtections.openedAt, new Date(after.openedAt)))
  const [known] = await tx.select().from(positionProtections).where(isOf).for('update')
  if (known === undefined) return false
  const { openedSize, targetsPassed, settings } = known
  const size = openedSizeAfter({ openedSize, added: plain(added), targetsPassed }, settings)
  await tx.update(positionProtections).set({ openedSize: size, updatedAt: new Date() }).where(isOf)
  return true
}

function isProtection(protection: Protection | Record<string, never>): protection is Protection {
  return Object.keys(protection).length > 0
}
