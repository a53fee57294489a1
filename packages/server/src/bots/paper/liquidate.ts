/** The liquidation of a paper position: one transaction, under the lock that every order and every fill takes. */
import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { plain } from '../../base/decimals.ts'
import type { Database, Db } from '../../db/database.ts'
import { bots, orders, positionProtections, positions } from '../../db/schema.ts'
import { storeNotification } from '../../notifications/store.ts'
import { isLiquidatedAt, type MarginEnd, marginEnd, marginTermsOf } from '../../trading/isolated-margin.ts'
import type { PriceRange } from '../../trading/paper-venue.ts'
import { baseOf, quoteOf } from '../../trading/symbols.ts'
import { paperLiquidationId } from '../../trading/trade-ids.ts'
import type { Position } from '../../trading/types.ts'
import { namedBot } from '../demo.ts'
import { writeEquityPoint } from '../equity-point.ts'
import type { OrderSubscribers } from '../order-notifications.ts'
import { type BookedOutside, bookOutside, outsideClose } from '../outside-fills.ts'
import { readPosition } from '../position-rows.ts'
import { tellOfTrades } from '../trade-news/tell.ts'

export type LiquidateParts = {
  database: Database
  /** The current price of a symbol of the bot in quote currency; `null` if there is none. */
  markPrice(symbol: string): string | null
  subscribers?: OrderSubscribers | undefined
}

/**
 * Prices in quote currency. `missed`: of the time in which nobody watched, which is settled with it; `null`: there is none.
 * Absent: it was watched, or it is settled later.
 */
export type SeenPrices = { current: string | null; missed?: PriceRange | null }

/**
 * `later`: an order of the symbol, or a stop that was crossed while nobody watched, comes first. `booked`: it is
 * liquidated. `isTold`: the owner has a notification.
 */
export type LiquidationOutcome =
  | { status: 'kept' | 'later' }
  | { status: 'booked'; fillIds: number[]; isTold: boolean }

type Key = { botId: number; symbol: string }

/** A position as it was when its prices were read. `watchedUntil` in Unix ms. */
export type Judged = Key &
  Pick<Position, 'entryPrice'> & { side: 'long' | 'short'; watchedUntil: number | null }

/**
 * Liquidates a position if one of the prices ends its margin, with what the database has now: its whole margin is lost, and
 * never more. Any node may call it. Only one books it, because the position is closed for all others. Prices say nothing
 * about a position that has changed since they were read.
 */
export function liquidateIfDue(
  parts: LiquidateParts,
  judged: Judged,
  seen: SeenPrices,
  now: number,
): Promise<LiquidationOutcome> {
  const key = { botId: judged.botId, symbol: judged.symbol }
  return parts.database.db.transaction(async (tx) => {
    const [bot] = await tx
      .select({ userId: bots.userId, mode: bots.mode, settings: bots.settings })
      .from(bots)
      .where(eq(bots.id, key.botId))
      .for('update')
    const terms = bot === undefined || bot.mode === 'live' ? null : marginTermsOf(bot.settings)
    const position = await readPosition(tx, key.botId, key.symbol)
    const end = terms && marginEnd(position, terms)
    const isSame = position.side === judged.side && position.entryPrice === judged.entryPrice
    if (bot === undefined || end === null || !isSame) return { status: 'kept' }
    const prices = (await isWatchedSince(tx, judged)) ? { current: seen.current } : seen
    const stop = await missedStop(tx, key, position)
    if (stop === 'unknown') return { status: 'later' }
    if (!isDue(end, prices, stop)) {
      if (prices.missed !== undefined) await noteWatched(tx, key)
      return { status: 'kept' }
    }
    if (await isTrading(tx, key)) return { status: 'later' }
    const of = { ...key, userId: bot.userId, startBalance: bot.settings.startBalance }
    return { status: 'booked', ...(await bookLiquidation(tx, parts, of, { position, end, now })) }
  })
}

/** A stop that was crossed while nobody watched has closed the position at its price, unless that is beyond the margin. */
function isDue(end: MarginEnd, { current, missed }: SeenPrices, stop: string | null): boolean {
  if (stop !== null) return isLiquidatedAt(end, stop)
  const worst = end.side === 'long' ? missed?.low : missed?.high
  return [worst, current].some((price) => price != null && isLiquidatedAt(end, price))
}

/** The price of the stop that closes the position because it was crossed unseen; `unknown`: nobody has looked yet. */
async function missedStop(
  tx: Db,
  { botId, symbol }: Key,
  { openedAt }: Position,
): Promise<string | null | 'unknown'> {
  const { botId: ofBot, symbol: ofSymbol, openedAt: ofPosition, state } = positionProtections
  const [row] = await tx
    .select()
    .from(positionProtections)
    .where(
      and(
        ...[eq(ofBot, botId), eq(ofSymbol, symbol), ne(state, 'CALLED_OFF')],
        eq(ofPosition, new Date(openedAt ?? 0)),
      ),
    )
  if (row === undefined) return null
  if (row.missedSince !== null) return 'unknown'
  return row.state === 'CLOSING' ? row.missedPrice : null
}

/** Whether its prices have been compared since, or it has another margin since: what was missed is settled already. */
async function isWatchedSince(tx: Db, { botId, symbol, watchedUntil }: Judged): Promise<boolean> {
  // In whole milliseconds, as it was read before.
  const watchedAt = sql<number | null>`round(extract(epoch from ${positions.marginWatchedAt}) * 1000)`
  const [row] = await tx
    .select({ watchedAt: watchedAt.mapWith(Number) })
    .from(positions)
    .where(isOf({ botId, symbol }))
  return row?.watchedAt !== watchedUntil
}

/** Whether an order may be executed that the books do not have yet. */
async function isTrading(tx: Db, { botId, symbol }: Key): Promise<boolean> {
  const isIt = and(eq(orders.botId, botId), eq(orders.symbol, symbol))
  return (await tx.$count(orders, and(isIt, inArray(orders.status, ['PLANNED', 'UNKNOWN'])))) > 0
}

async function bookLiquidation(
  tx: Db,
  { markPrice, subscribers }: LiquidateParts,
  { botId, userId, symbol, startBalance }: Key & { userId: number; startBalance: string | null },
  { position, end, now }: { position: Position; end: MarginEnd; now: number },
): Promise<{ fillIds: number[]; isTold: boolean }> {
  const quote = quoteOf(symbol) ?? ''
  const price = plain(end.bankruptcy)
  const execution: BookedOutside = {
    ...{ tradeId: paperLiquidationId(position.openedAt ?? now), kind: 'liquidation' },
    ...{ side: end.side === 'long' ? 'sell' : 'buy', size: position.size, price },
    ...{ fee: '0', feeAsset: quote, filledAt: now },
  }
  const terms = { base: baseOf(symbol) ?? '', quote, service: 'futures' as const, feeRates: {} }
  const fills = { symbol, executions: [execution], terms }
  const { after, booked, ids } = await bookOutside(tx, { botId, userId }, position, fills)
  await writeEquityPoint(tx, { botId, startBalance, markPrice }, now, { [symbol]: price })
  if (subscribers?.hears(userId) !== true) return { fillIds: ids, isTold: false }
  const closed = outsideClose(position, after, booked)
  if (closed !== undefined) {
    const data = { ...(await namedBot(tx, botId)), symbol, ...closed.data }
    await storeNotification(tx, userId, closed.type, data)
  }
  await tellOfTrades(tx, { botId, userId, symbol, isWorking: false, firstNew: ids[0] ?? null })
  return { fillIds: ids, isTold: true }
}

/** Notes that every price until now was compared with the end of the margin. */
async function noteWatched(tx: Db, key: Key): Promise<void> {
  await tx.update(positions).set({ marginWatchedAt: new Date() }).where(isOf(key))
}

function isOf({ botId, symbol }: Key) {
  return and(eq(positions.botId, botId), eq(positions.symbol, symbol))
}
