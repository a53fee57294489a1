import { type SQL, sql } from 'drizzle-orm'
import { notifySql } from '../notifications/store.ts'
import { signalEventsSql } from '../signals/events.ts'
import { exitAfterExitSql } from '../signals/exit-after-exit.ts'
import { grantedSql, sentSql } from '../signals/statement.ts'

const signalColumns = {
  user_id: 'a.user_id',
  strategy_id: 'a.strategy_id',
  run_id: 'a.run_id',
  webhook_id: 's.webhook_id',
  action: 'a.action',
  symbols: 'a.symbols',
  options: 'a.options',
  previous_trigger: 'a.previous_trigger',
  created_at: 'a.at',
}
const approvedSignal = 'approved a join strategies s on s.id = a.strategy_id'

/**
 * Sends an approved action by the rules of the journal: within the account's rate, and no EXIT after EXIT. It writes the
 * signal, its deliveries to bots and the strategy's last trigger together. It takes the same locks as the journal in the
 * same order, the rate before the state, and holds them only until the commit. An AI reaction has no price symbol, so
 * its signals have no price.
 *
 * Returns the bots that have signals to follow. Without a row, nothing was sent and the transaction must not commit.
 */
export function sendStatement(approval: {
  id: number
  userId: number
  strategyId: number
  runId: number
}): SQL {
  const { id, userId, strategyId, runId } = approval
  return sql`
with asked as materialized (
  select ${userId}::bigint as user_id, ${runId}::bigint as run_id, 1 as n,
    date_trunc('milliseconds', clock_timestamp()) as asked_at
), ${sql.raw(grantedSql('asked'))}, held as materialized (
  select t.strategy_id, t.last_action, t.last_price, t.last_action_at, g.asked_at as at
  from granted g join strategy_state t on t.strategy_id = ${strategyId}::bigint
  where t.suspended_until is null or t.suspended_until <= g.asked_at
  for no key update of t
), approved as (
  update approvals a set status = 'APPROVED', decided_at = h.at
  from held h
  where a.id = ${id}::bigint and a.strategy_id = h.strategy_id
    and a.status = 'PENDING' and a.expires_at > clock_timestamp()
    and not ${sql.raw(exitAfterExitSql('a.action', 'h.last_action'))}
  returning a.user_id, a.strategy_id, a.run_id, a.action, a.symbols, a.options, h.at,
    json_build_object('action', h.last_action, 'price', h.last_price,
      'at', floor(extract(epoch from h.last_action_at) * 1000)) as previous_trigger
), state as (
  update strategy_state t set last_action = a.action, last_price = null, last_action_at = a.at
  from approved a where t.strategy_id = a.strategy_id
), ${sql.raw(sentSql({ values: signalColumns, from: approvedSignal, notifies: true }))}, news as materialized (${sql.raw(signalEventsSql('sent'))}
), ${sql.raw(notifySql('news'))}
select id, coalesce((select json_agg(distinct bot_id) from routed), '[]') as bots from sent`
}
