import { and, desc, eq } from 'drizzle-orm'
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

/** Writes a point of a bot's equity. @param prices prices that are newer than the current ones, by symbol */
export async function writeEquityPoint(
  tx: Db,
  { botId, startBalance, markPrice }: EquityOf,
  at: number,
  prices: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (startBalance === null) return
  const held = await tx.select().from(positions).where(eq(positions.botId, botId))
  let balance = decimal(startBalance)
  let open = decimal('0')
  for (const row of held) {
    const position = toPosition(row)
    balance = balance.plus(position.realised)
    if (row.side === null) continue
    const price = prices[row.symbol] ?? markPrice(row.symbol) ?? (await lastPrice(tx, botId, row.symbol))
    open = open.plus(unrealised(position, price))
  }
  await tx
    .insert(equity)
    .values({ botId, at: new Date(at), balance: plain(balance), unrealised: plain(open) })
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
