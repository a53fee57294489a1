import { and, eq, isNull, sql } from 'drizzle-orm'
import { decimal } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import type { Db } from '../db/database.ts'
import { type BotSettings, bots } from '../db/schema.ts'
import { drawdownReached, equityOf } from '../trading/drawdown-limit.ts'
import type { DrawdownState, ReachedDrawdown } from '../trading/types.ts'
import { BotWatch } from './bot-watch.ts'
import {
  type HeldRow,
  heldNow,
  type LimitParts,
  type LimitWatchParts,
  queueLimitCloses,
  storeLimit,
} from './loss-limit.ts'
import { currentPrice } from './valuation.ts'

/**
 * The active bots with a limit that they have not reached, and whose equity can change. A bot that holds nothing is only
 * among them until its highest equity is known.
 */
const candidatesSql = `
select json_build_object('id', b.id, 'exchangeId', b.exchange_id, 'settings', b.settings, 'held', h.held,
  'realised', h.realised::text)
from bots b
cross join lateral (
  select coalesce(sum(p.realised), 0) as realised, json_agg(json_build_object('symbol', p.symbol, 'side', p.side,
    'size', p.size::text, 'entryPrice', p.entry_price::text)) filter (where p.side is not null) as held
  from positions p where p.bot_id = b.id
) h
where b.status = 'ACTIVE' and b.settings ->> 'maxDrawdown' is not null and b.settings ->> 'startBalance' is not null
  and b.drawdown_reached_at is null and (h.held is not null or b.highest_equity is null)`

type Candidate = {
  id: number
  exchangeId: number
  settings: BotSettings
  held: HeldRow[] | null
  realised: string
}

/**
 * Watches how far the equity of all bots has fallen below their highest, without waiting for a signal. Every node may do
 * this: only one of them stops a bot.
 */
export class DrawdownLimits extends BotWatch<Candidate> {
  constructor(parts: LimitWatchParts) {
    const { database, prices } = parts
    const candidates = database.prepare('bots_with_drawdown_limits', candidatesSql)
    super({ ...parts, candidates: () => candidates([]), judge })

    async function judge(
      { id, exchangeId, settings, held, realised }: Candidate,
      now: number,
    ): Promise<void> {
      const { maxDrawdown, startBalance } = settings
      const priced = heldNow(held, (symbol) => currentPrice(prices, exchangeId, symbol))
      const equity = equityOf({ startBalance, realised, held: priced })
      // Without a price, nobody knows the equity. Openings are refused meanwhile.
      if (maxDrawdown === null || 'unknown' in equity) return
      const state = await raiseHighest(database.db, { id, startBalance }, equity.amount)
      const reached = drawdownReached({ ...state, maxDrawdown, equity }, now)
      if (reached !== null) await reachDrawdown(parts, id, reached)
    }
  }
}

/**
 * Stores an equity if it is the highest so far. If the start balance was changed meanwhile, the equity is of before, and
 * changes nothing.
 * @param equity `null` if nobody knows it
 */
export async function raiseHighest(
  db: Db,
  { id, startBalance }: { id: number; startBalance: string | null },
  equity: string | null,
): Promise<DrawdownState> {
  const read = () =>
    db
      .select({ highest: bots.highestEquity, at: bots.drawdownReachedAt, equity: bots.drawdownEquity })
      .from(bots)
      .where(eq(bots.id, id))
  const [row] = await read()
  const isHigher = equity !== null && (row?.highest == null || decimal(equity).gt(decimal(row.highest)))
  if (row === undefined || row.at !== null || !isHigher) return stateOf(row)
  await db
    .update(bots)
    .set({ highestEquity: sql`greatest(${bots.highestEquity}, ${equity}::numeric)` })
    .where(
      and(
        eq(bots.id, id),
        isNull(bots.drawdownReachedAt),
        sql`${bots.settings} ->> 'startBalance' is not distinct from ${startBalance}::text`,
      ),
    )
  return stateOf((await read())[0])
}

function stateOf(
  row: { highest: string | null; at: Date | null; equity: string | null } | undefined,
): DrawdownState {
  const highest = row?.highest ?? null
  if (row?.at == null || row.equity === null) return { highest, stopped: null }
  return { highest, stopped: { at: row.at.getTime(), equity: row.equity } }
}

/**
 * Stores that the equity of a bot has fallen to its limit: the bot opens nothing more until its owner resets it. Queues
 * closes for all that it holds, and notifies its owner. All of this is one transaction.
 *
 * If the limit or the highest equity was changed meanwhile, it does nothing: the next look compares again.
 * @returns whether this call was the first
 */
export function reachDrawdown(
  parts: LimitParts,
  botId: number,
  { at, equity, highest, maxDrawdown }: ReachedDrawdown,
): Promise<boolean> {
  const now = new Date(at)
  return storeLimit(parts, async (tx) => {
    // No opening is planned while this lock is held, and none after it. So the closes below miss none.
    const [bot] = await tx
      .update(bots)
      .set({ drawdownReachedAt: now, drawdownEquity: equity })
      .where(
        and(
          eq(bots.id, botId),
          isNull(bots.drawdownReachedAt),
          eq(bots.highestEquity, highest),
          sql`${bots.settings} ->> 'maxDrawdown' = ${maxDrawdown}::text`,
        ),
      )
      .returning()
    if (bot === undefined) return undefined
    const closes = await queueLimitCloses(tx, bot, now)
    const money = (amount: string) => readableMoney(decimal(amount))
    const event = {
      limit: 'max_drawdown',
      equity: money(equity),
      highest_equity: money(highest),
      max_drawdown: `${maxDrawdown}%`,
      closing: closes.symbols,
    }
    return { bot, closes, event }
  })
}
