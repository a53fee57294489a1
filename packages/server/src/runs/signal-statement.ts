import { countedSql } from '../signals/action-rate.ts'
import { deliveredSql, routedSql } from '../signals/routing.ts'
import { type SignalEntry, signalRow } from './journal-statement.ts'

const isDelivered = deliveredSql({ webhookId: 's.webhook_id', symbols: '$6::jsonb', flag: 'null' })

/**
 * What `writeSql` does with a batch that is one signal and nothing else, in half the time: where there is little to do most
 * are, a run waits for each, and a statement of many parts takes its time to begin. It locks the same in the same order,
 * and answers alike.
 *
 * Parameters: node, strategy, user, run, action, symbols, price, options, previous trigger, when it was asked for and when
 * this is sent, both in Unix ms.
 */
export const writeSignalSql = `
with held as materialized (
  select t.strategy_id from strategy_state t
  where t.strategy_id = $2::bigint and t.holder = $1::uuid
    and not exists (select from runs where id = $4::bigint and status not in ('QUEUED', 'RUNNING'))
), known as materialized (
  -- Written before, by a statement whose answer was lost with its connection.
  select id, delivered from signals where run_id = $4::bigint
), asked as materialized (
  select $3::bigint as user_id, $4::bigint as run_id, 1 as n,
    now() - make_interval(secs => greatest($11::double precision - $10::double precision, 0) / 1000.0) as asked_at
  from held where not exists (select from known)
), counted as (${countedSql('asked')}
), granted as materialized (
  select from counted where $4::bigint = any(granted_runs)
), state as (
  update strategy_state t set
    last_action = $5::text, last_price = $7::double precision,
    last_action_at = to_timestamp($10::double precision / 1000.0)
  from granted where t.strategy_id = $2::bigint and t.holder = $1::uuid
  returning t.strategy_id
), sent as (
  insert into signals (user_id, strategy_id, run_id, webhook_id, action, symbols, price, options,
    previous_trigger, delivered, created_at)
  select $3::bigint, s.id, $4::bigint, s.webhook_id, $5::text, $6::jsonb, $7::double precision, $8::jsonb,
    $9::jsonb, ${isDelivered}, to_timestamp($10::double precision / 1000.0)
  from strategies s where s.id = (select strategy_id from state)
  on conflict (run_id) do nothing
  returning id, run_id, webhook_id, symbols, delivered, created_at
), routed as (${routedSql('sent')}
)
select json_build_object(
  'held', case
    when exists (select from granted) then (select json_agg(strategy_id) from state)
    else (select json_agg(strategy_id) from held) end,
  'signals', (select json_agg(json_build_array(run_id, id, delivered)) from sent),
  'bots', (select json_agg(distinct bot_id) from routed),
  'refused', (select json_agg(run_id) from asked where not exists (select from granted)),
  'known', (select json_agg(json_build_array($4::bigint, id, delivered)) from known)
)`

/** Its parameters but for the last. */
export function signalParameters(entry: SignalEntry, nodeId: string): (string | number | null)[] {
  const { action, symbols, price, options, previous_trigger: previous, at } = signalRow(entry)
  return [
    ...[nodeId, entry.claim.strategyId, entry.userId, entry.runId, action, JSON.stringify(symbols)],
    ...[price, JSON.stringify(options), JSON.stringify(previous), at],
  ]
}
