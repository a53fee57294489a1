import { sql } from 'drizzle-orm'
import { decimal } from '../../base/decimals.ts'
import { readableMoney } from '../../base/readable.ts'
import type { Db } from '../../db/database.ts'

/** The money of bots with one mode and one currency. Nothing adds up different ones. */
export type DigestMoney = {
  mode: 'paper' | 'live'
  demo: boolean
  currency: string
  /** Realised by what was booked in the time of the digest, after fees and with funding. */
  realised: string
  /** Orders of which an execution was booked, and positions that are open now. */
  orders: number
  open_positions: number
}

export type DigestContent = {
  since: string
  until: string
  active_bots: number
  bots: number
  approvals: number
  money: DigestMoney[]
}

type Row = Omit<DigestMoney, 'realised'> & { realised: string }

/** The quote currency of a symbol, such as `USDT` of `BTC/USDT:USDT`. */
const currencyOf = (symbol: string) => `split_part(split_part(${symbol}, '/', 2), ':', 1)`

/** So much earlier than a digest begins may be what is booked in its time. The limit keeps the cost off the whole past. */
const longestLateMs = 30 * 86_400_000

/**
 * What was booked for a user between two moments, and what is open now. The time of booking counts, because funding and
 * fills that a comparison with the account finds are booked later than they happened. Bots that are deleted since then
 * are left out.
 * @param until in the past by more than a transaction takes, because the time of booking is set before the commit
 */
export async function digestContent(
  tx: Db,
  userId: number,
  since: Date,
  until: Date,
): Promise<DigestContent> {
  const earliest = new Date(since.getTime() - longestLateMs)
  // What was booked at the very moment of a digest belongs to the next one only. Old rows do not say when they were booked.
  const isInSpan = (at: string, bookedAt: string) => {
    const booked = sql.raw(`coalesce(${bookedAt}, ${at})`)
    return sql`${sql.raw(at)} >= ${earliest.toISOString()}::timestamptz
        and ${booked} >= ${since.toISOString()}::timestamptz and ${booked} < ${until.toISOString()}::timestamptz`
  }
  const { rows } = (await tx.execute(sql`
    with parts as (
      select bot_id, symbol, realised, order_id, 0 as open from fills
      where user_id = ${userId} and ${isInSpan('filled_at', 'booked_at')}
      union all
      select p.bot_id, p.symbol, p.value, null, 0 from payments p join bots b on b.id = p.bot_id
      where b.user_id = ${userId} and ${isInSpan('p.paid_at', 'p.booked_at')}
      union all
      select bot_id, symbol, 0, null, 1 from positions where user_id = ${userId} and side is not null
    )
    select b.mode, b.mode = 'live' and coalesce(x.is_demo, false) as demo, ${sql.raw(currencyOf('p.symbol'))} as currency,
      sum(p.realised)::text as realised, count(distinct p.order_id)::int as orders, sum(p.open)::int as open_positions
    from parts p join bots b on b.id = p.bot_id left join exchange_connections x on x.id = b.connection_id
    group by 1, 2, 3 order by 1, 2, 3`)) as unknown as { rows: Row[] }
  const { rows: counts } = (await tx.execute(sql`
    select (select count(*)::int from bots where user_id = ${userId}) as bots,
      (select count(*)::int from bots where user_id = ${userId} and status = 'ACTIVE') as active_bots,
      (select count(*)::int from approvals where user_id = ${userId} and status = 'PENDING' and expires_at > now())
        as approvals`)) as unknown as { rows: [Pick<DigestContent, 'bots' | 'active_bots' | 'approvals'>] }
  return {
    ...{ since: since.toISOString(), until: until.toISOString(), ...counts[0] },
    money: rows.map((row) => ({ ...row, realised: readableMoney(decimal(row.realised)) })),
  }
}
