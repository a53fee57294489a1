import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { decimal, plain } from '../base/decimals.ts'
import type { Db } from '../db/database.ts'
import { equity, fills, positions } from '../db/schema.ts'
import { unrealised } from '../trading/ledger.ts'
import { toPosition } from './position-rows.ts'

/** The bot whose equity is written, with its start balance now. */
export type EquityOf = {
  botId: number
  /** `null`: unknown, so no point can be written. */
  startBalance: string | null
  /** The current price of a symbol in quote currency; `null` if there is none. */
  markPrice(symbol: string): string | null
}

/**
 * Writes a point of a bot's equity after something was booked, in the transaction that holds the bot's lock. The points of
 * a bot in the order of their times are also in the order of their books: if there is a point that is later than `at`, the
 * new one is of now, at current prices, because the books are not those of `at` any more.
 * @param at when it happened, in Unix ms
 * @param prices prices at that time, by symbol. They count more than the current ones.
 */
export async function writeEquityPoint(
  tx: Db,
  { botId, startBalance, markPrice }: EquityOf,
  at: number,
  prices: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (startBalance === null) return
  const held = await tx
    .select({ ...getTableColumns(positions), latest: latestMs(botId) })
    .from(positions)
    .where(eq(positions.botId, botId))
  const latest = held[0]?.latest ?? 0
  const isLate = at < latest
  let balance = decimal(startBalance)
  let open = decimal('0')
  for (const row of held) {
    const position = toPosition(row)
    balance = balance.plus(position.realised)
    if (row.side === null) continue
    const price =
      (isLate ? null : prices[row.symbol]) ??
      markPrice(row.symbol) ??
      (await lastPrice(tx, botId, row.symbol))
    open = open.plus(unrealised(position, price))
  }
  // An exchange whose clock is ahead must not keep later points in the future.
  const now = Date.now()
  const time = new Date(Math.max(latest, isLate ? now : Math.min(at, now)))
  await tx.insert(equity).values({ botId, at: time, balance: plain(balance), unrealised: plain(open) })
}

/** The time of a bot's latest point, in Unix ms. */
function latestMs(botId: number) {
  const latest = sql<number | null>`(select ceil(extract(epoch from max(${equity.at})) * 1000)
    from ${equity} where ${equity.botId} = ${botId})`
  return latest.mapWith(Number)
}

/** The price of the last fill of an open position, which stands in for a missing current price. */
async function lastPrice(db: Db, botId: number, symbol: string): Promise<string> {
  const [fill] = await db
    .select({ price: fills.price })
    .from(fills)
    .where(and(eq(fills.botId, botId), eq(fills.symbol, symbol)))
    .orderBy(desc(fills.id))
    .limit(1)
  return fill!.price
}
