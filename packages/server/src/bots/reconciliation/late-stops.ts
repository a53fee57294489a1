/** Tells owners of stops that come too late, because the exchange would liquidate the position before. */
import { and, eq, gte, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { notifications, type PositionMargin, positionProtections } from '../../db/schema.ts'
import { storeNotification } from '../../notifications/store.ts'
import { liquidationProblem } from '../../trading/liquidation.ts'
import { wantedState } from '../../trading/protection/plan.ts'
import { namedBot } from '../demo.ts'
import { readPosition } from '../position-rows.ts'
import { keyOf, marksOf, protectedOf } from '../protection/rows.ts'
import { asPrice } from '../shown-figures.ts'

type Of = { botId: number; userId: number; symbol: string }

/**
 * Stores the event `stop.too_late` if the exchange has just begun to say so: once for each position. With cross margin, the
 * price of the liquidation moves with everything else in the account, so nobody knows it before the first fill.
 * @param margin what the exchange said before, and what it says now
 * @returns whether it stored one
 */
export async function tellOfLateStop(
  tx: Db,
  of: Of,
  margin: { before: PositionMargin | null; now: PositionMargin },
): Promise<boolean> {
  const { botId, userId, symbol } = of
  const end = margin.now.liquidationPrice
  if (end === null) return false
  const [row] = await tx.select().from(positionProtections).where(keyOf(botId, symbol))
  const held = row === undefined ? undefined : protectedOf(await readPosition(tx, botId, symbol), row)
  if (row === undefined || held === undefined) return false
  const { stop } = wantedState(held, row.settings, marksOf(row))
  const reasonOf = (price: string | null | undefined) =>
    stop === null || price == null ? null : liquidationProblem(held.side, stop.price, price)
  const reason = reasonOf(end)
  if (reason === null || reasonOf(margin.before?.liquidationPrice) !== null) return false
  if (await wasTold(tx, of, row.openedAt)) return false
  await storeNotification(tx, userId, 'stop.too_late', {
    ...{ ...(await namedBot(tx, botId)), symbol },
    ...{ stop_price: asPrice(stop!.price), liquidation_price: asPrice(end) },
    ...{ reason: `${reason} Use a closer stop, or add margin.`, at: new Date().toISOString() },
  })
  return true
}

async function wasTold(tx: Db, { botId, userId, symbol }: Of, openedAt: Date): Promise<boolean> {
  const { userId: ofUser, type, createdAt, data } = notifications
  const told = await tx.$count(
    notifications,
    and(
      ...[eq(ofUser, userId), eq(type, 'stop.too_late'), gte(createdAt, openedAt)],
      sql`${data} ->> 'bot_id' = ${String(botId)} and ${data} ->> 'symbol' = ${symbol}`,
    ),
  )
  return told > 0
}
