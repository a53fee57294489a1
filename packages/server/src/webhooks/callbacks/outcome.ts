import { sql } from 'drizzle-orm'
import { decimal, plain } from '../../base/decimals.ts'
import { readablePrice } from '../../base/readable.ts'
import type { Db } from '../../db/database.ts'
import type { BotSignalStatus, OrderStatus, SignalFlag, SignalOptions } from '../../db/schema.ts'
import { isoSql } from '../../notifications/store.ts'

/** A callback waits for bots at most this long, for example for a close that waits for its owner. */
const longestWait = '1 day'
/** What a callback tells of at most, as the record of the signal does. */
const mostBots = 20
/** The last ones: a close that an exchange refuses is tried again for as long as it takes. */
const mostOrders = 10

const isOpen = "status in ('DELAYED', 'QUEUED', 'WORKING', 'CLOSING', 'WAITING')"

/**
 * Whether a callback has nothing more to wait for: every bot of its user has ended the signal, or has had a day for it
 * after its delay.
 * @param callback the name of a row of `signal_callbacks`
 */
export const isOverSql = (callback: string) => `not exists (
  select from bots b join bot_signals w on w.bot_id = b.id and w.signal_id = ${callback}.id
  where b.user_id = ${callback}.user_id and w.${isOpen}
    and coalesce(w.due_at, w.queued_at) > now() - interval '${longestWait}')`

type FoundOrder = {
  purpose: 'open' | 'close'
  side: 'buy' | 'sell'
  size: string
  filled_size: string
  average_price: string | null
  status: OrderStatus
  reason: string | null
}

type FoundBot = {
  bot_id: number
  bot_name: string
  mode: 'paper' | 'live'
  demo: boolean
  symbol: string
  status: BotSignalStatus
  reason: string | null
  finished_at: string | null
  orders: FoundOrder[] | null
}

type Found = {
  id: number
  webhook_id: number
  action: 'LONG' | 'SHORT' | 'EXIT'
  symbols: string[]
  options: SignalOptions
  flags: SignalFlag[]
  delivered: boolean
  reason: string | null
  received_at: string
  complete: boolean
  bots: FoundBot[] | null
  total: number
}

/** What became of signals, for the callbacks that tell it: by the id of the signal. */
export async function outcomesOf(
  tx: Db,
  signalIds: readonly number[],
): Promise<Map<number, Record<string, unknown>>> {
  const ids = `{${signalIds.join(',')}}`
  const result = await tx.execute(
    sql`select found from (${sql.raw(foundSql)}) f where f.id = any(${ids}::bigint[])`,
  )
  const rows = (result as unknown as { rows: { found: Found }[] }).rows
  return new Map(rows.map(({ found }) => [found.id, outcomeOf(found)]))
}

/** The bots are those of the user whom the callback tells: a signal also goes to bots of other users. */
const foundSql = `
select c.id, json_build_object('id', c.id, 'webhook_id', s.webhook_id, 'action', s.action, 'symbols', s.symbols,
  'options', s.options, 'flags', s.flags, 'delivered', s.delivered, 'reason', s.reason,
  'received_at', ${isoSql('s.created_at')}, 'complete', r.complete,
  'bots', r.bots, 'total', r.total) as found
from signal_callbacks c join signals s on s.id = c.id
cross join lateral (
  select json_agg(json_build_object('bot_id', b.bot_id, 'bot_name', b.name, 'mode', b.mode, 'demo', b.demo,
    'symbol', b.symbol, 'status', b.status, 'reason', b.reason, 'finished_at', ${isoSql('b.finished_at')},
    'orders', (
      select json_agg(json_build_object('purpose', o.purpose, 'side', o.side, 'size', o.size::text,
        'filled_size', o.filled_size::text, 'average_price', o.average_price::text, 'status', o.status,
        'reason', o.reason) order by o.id)
      from (select * from orders o where o.bot_signal_id = b.id order by o.id desc limit ${mostOrders}) o
    )) order by b.id) filter (where b.place <= ${mostBots}) as bots, count(*)::integer as total,
    coalesce(bool_and(b.finished_at is not null), true) as complete
  from (
    select w.*, b.name, b.mode, b.mode = 'live' and coalesce(x.is_demo, false) as demo,
      row_number() over (order by w.id) as place
    from bots b join bot_signals w on w.bot_id = b.id and w.signal_id = c.id
    left join exchange_connections x on x.id = b.connection_id
    where b.user_id = c.user_id
  ) b
) r`

function outcomeOf({ bots, total, ...signal }: Found) {
  return { ...signal, bots: (bots ?? []).map(presentBot), bots_total: total }
}

function presentBot({ orders, ...bot }: FoundBot) {
  return { ...bot, orders: (orders ?? []).map(presentOrder) }
}

function presentOrder({ size, filled_size, average_price, ...order }: FoundOrder) {
  return {
    ...order,
    size: plain(decimal(size)),
    filled_size: plain(decimal(filled_size)),
    average_price: average_price === null ? null : readablePrice(decimal(average_price)),
  }
}
