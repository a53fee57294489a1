import { type SQL, sql } from 'drizzle-orm'
import { decimal, plain } from '../base/decimals.ts'
import { notFound } from '../base/errors.ts'
import { readablePrice } from '../base/readable.ts'
import type { Db } from '../db/database.ts'
import type { BotSignalStatus, OrderStatus, SignalFlag, SignalOptions } from '../db/schema.ts'
import { isoSql } from '../notifications/store.ts'

/** As many as the record of the signal has. */
const mostBots = 20
/** The last ones: a close that an exchange refuses is tried again for as long as it takes. */
const mostOrders = 10

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
  webhook_id: number | null
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

/** What became of a signal in the bots of one user, as callbacks and the API tell it. */
export type Outcome = Omit<Found, 'bots' | 'total'> & {
  bots: (Omit<FoundBot, 'orders'> & { orders: FoundOrder[] })[]
  bots_total: number
}

/** What became of signals, for the callbacks that tell it: by the id of the signal. */
export async function outcomesOf(tx: Db, signalIds: readonly number[]): Promise<Map<number, Outcome>> {
  const ids = `{${signalIds.join(',')}}`
  const told = sql`signal_callbacks c join signals s on s.id = c.id and c.id = any(${ids}::bigint[])`
  return new Map((await outcomesIn(tx, told)).map((outcome) => [outcome.id, outcome]))
}

/**
 * What became of a signal in a user's own bots, for the user who sent it, and for the one who owns it or its bot webhook.
 * @throws {AppError} 404 for anyone else
 */
export async function outcomeFor(db: Db, userId: number, signalId: number): Promise<Outcome> {
  const seen = sql`(select ${userId}::bigint as user_id) c join signals s on s.id = ${signalId} and (
    s.user_id = c.user_id or s.sender_id = c.user_id
    or exists (select from bot_webhooks w where w.id = s.webhook_id and w.user_id = c.user_id))`
  const [outcome] = await outcomesIn(db, seen)
  if (outcome === undefined) throw notFound('signal', signalId)
  return outcome
}

/** @param from has the signals as `s`, and as `c` the `user_id` of the user who is told: bots of others stay hidden */
async function outcomesIn(db: Db, from: SQL): Promise<Outcome[]> {
  const result = await db.execute(sql`${sql.raw(foundSql)} from ${from} ${sql.raw(botsSql)}`)
  return (result as unknown as { rows: { found: Found }[] }).rows.map(({ found }) => outcomeOf(found))
}

const foundSql = `
select json_build_object('id', s.id, 'webhook_id', s.webhook_id, 'action', s.action, 'symbols', s.symbols,
  'options', s.options, 'flags', s.flags, 'delivered', s.delivered, 'reason', s.reason,
  'received_at', ${isoSql('s.created_at')}, 'complete', r.complete,
  'bots', r.bots, 'total', r.total) as found`

const botsSql = `
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
    from bots b join bot_signals w on w.bot_id = b.id and w.signal_id = s.id
    left join exchange_connections x on x.id = b.connection_id
    where b.user_id = c.user_id
  ) b
) r`

function outcomeOf({ bots, total, ...signal }: Found): Outcome {
  return { ...signal, bots: (bots ?? []).map(presentBot), bots_total: total }
}

function presentBot({ orders, ...bot }: FoundBot) {
  return { ...bot, orders: (orders ?? []).map(presentOrder) }
}

function presentOrder({ size, filled_size, average_price, ...order }: FoundOrder): FoundOrder {
  return {
    ...order,
    size: plain(decimal(size)),
    filled_size: plain(decimal(filled_size)),
    average_price: average_price === null ? null : readablePrice(decimal(average_price)),
  }
}
