/** How an order gets into the books, before it is sent. */
import type { Database, Db } from '../db/database.ts'
import type { OrderRequest } from '../trading/types.ts'
import { BotLost } from './held-bot.ts'

/** The signal has ended, so no more orders may be planned for it. */
export class SignalOver extends Error {
  override name = 'SignalOver'
}

/**
 * Locks the bot, as every order does, so that another node that takes it over finds this order. A close that is tried again
 * stays `CLOSING`. The same order may be planned again until the venue has reported it.
 */
const planSql = `
with held as materialized (
  select id from bots where id = $1::bigint and holder = $2::uuid for update
), begun as (
  update bot_signals s set status = case when s.status = 'QUEUED' then 'WORKING' else s.status end
  from held where s.id = $3::bigint and s.status in ('QUEUED', 'WORKING', 'CLOSING')
  returning s.id
), planned as (
  insert into orders (bot_id, user_id, bot_signal_id, client_order_id, symbol, side, purpose, reduce_only, type,
    limit_price, size, status, protection, created_at, updated_at, sent_at)
  select $1::bigint, $4::bigint, b.id, o.client_order_id, o.symbol, o.side, o.purpose, o.reduce_only, o.type,
    o.limit_price, o.size, 'PLANNED', o.protection, o.created_at, o.created_at, o.sent_at
  from begun b cross join json_to_record($5::json) as o(client_order_id text, symbol text, side text, purpose text,
    reduce_only boolean, type text, limit_price numeric, size numeric, protection jsonb, created_at timestamptz,
    sent_at timestamptz)
  on conflict (client_order_id) do update
    set status = 'PLANNED', reason = null, updated_at = excluded.sent_at, sent_at = excluded.sent_at, acknowledged_at = null
    where orders.bot_signal_id = $3::bigint and orders.status in ('PLANNED', 'UNKNOWN')
  returning id
)
select (select count(*) from held), (select count(*) from begun), (select id from planned)`

export type Planning = {
  database: Pick<Database, 'prepare'>
  nodeId: string
  bot: { id: number; userId: number }
  botSignalId: number
}

/**
 * Stores an order of a signal, in one statement. The caller sends it next. If its process dies meanwhile, nobody can note a
 * better time of sending than this one.
 * @param tx that has locked the bot; default: the statement is its own
 * @returns the id of the order
 * @throws {BotLost} if another node holds the bot: the order is not planned and must not be sent
 * @throws {SignalOver} if the signal has ended meanwhile, because its owner dropped it
 */
export async function planOrder(
  { database, nodeId, bot, botSignalId }: Planning,
  { clientOrderId, symbol, side, purpose, reduceOnly, size, limit, protection, plannedAt }: OrderRequest,
  tx?: Db,
): Promise<number> {
  const now = Date.now()
  const row = {
    ...{ client_order_id: clientOrderId, symbol, side, purpose, reduce_only: reduceOnly, size, protection },
    type: limit === undefined ? 'market' : limit.postOnly ? 'post_only' : 'limit',
    limit_price: limit?.price,
    created_at: new Date(plannedAt ?? now).toISOString(),
    sent_at: new Date(now).toISOString(),
  }
  const plan = database.prepare('plan_order', planSql)
  const [found] = await plan([bot.id, nodeId, botSignalId, bot.userId, JSON.stringify(row)], tx)
  const [held, begun, id] = found!
  if (held === '0') throw new BotLost(bot.id)
  if (begun === '0') throw new SignalOver(`Signal ${botSignalId} of the bot has ended.`)
  if (id == null) throw new Error(`Order ${clientOrderId} already exists.`)
  return Number(id)
}
