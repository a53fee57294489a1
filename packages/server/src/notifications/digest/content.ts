import { sql } from 'drizzle-orm'
import { decimal } from '../../base/decimals.ts'
import { readableMoney } from '../../base/readable.ts'
import type { Db } from '../../db/database.ts'

/** The money of bots with one mode and one currency. Nothing adds up different ones. */
export type DigestMoney = {
  mode: 'paper' | 'live'
  demo: boolean
  currency: string
  /** Realised in the time of the digest, after fees and with funding. */
  realised: string
  /** Orders of which something was executed, and positions that are open now. */
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

/** What happened to a user between two moments. Bots that are deleted since then are left out. */
export async function digestContent(
  tx: Db,
  userId: number,
  since: Date,
  until: Date,
): Promise<DigestContent> {
  // What happened at the very moment of a digest belongs to the next one only.
  const isInSpan = (at: string) =>
    sql`${sql.raw(at)} >= ${since.toISOString()}::timestamptz and ${sql.raw(at)} < ${until.toISOString()}::timestamptz`
  const { rows } = (await tx.execute(sql`
    with parts as (
      select bot_id, symbol, realised, order_id, 0 as open from fills
      where user_id = ${userId} and ${isInSpan('filled_at')}
      union all
      select p.bot_id, p.symbol, p.value, null, 0 from payments p join bots b on b.id = p.bot_id
      where b.user_id = ${userId} and ${isInSpan('p.paid_at')}
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
