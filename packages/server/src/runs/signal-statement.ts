import { grantedSql, knownAnswerSql, knownSql, sentAnswerSql, sentSql } from '../signals/statement.ts'
import { type SignalEntry, signalRow } from './journal-statement.ts'

const signalColumns = {
  user_id: '$3::bigint',
  strategy_id: 's.id',
  run_id: '$4::bigint',
  webhook_id: 's.webhook_id',
  action: '$5::text',
  symbols: '$6::jsonb',
  price: '$7::double precision',
  options: '$8::jsonb',
  previous_trigger: '$9::jsonb',
  created_at: 'to_timestamp($10::double precision / 1000.0)',
}

/**
 * The fast variant of `writeSql`, for a batch that is one signal and nothing else. Under little load most batches with
 * signals are, and a run waits for each. It takes half the time, because a statement with fewer parts starts faster. It
 * writes the same rows, takes the same locks in the same order, and returns the same answer.
 *
 * Parameters: node, strategy, user, run, action, symbols, price, options, previous trigger, and the times of the request
 * and of this statement in Unix ms.
 */
export const writeSignalSql = `
with held as materialized (
  select t.strategy_id from strategy_state t
  where t.strategy_id = $2::bigint and t.holder = $1::uuid
    and not exists (select from runs where id = $4::bigint and status not in ('QUEUED', 'RUNNING'))
), ${knownSql('($4::bigint)')}, asked as materialized (
  select $3::bigint as user_id, $4::bigint as run_id, 1 as n,
    now() - make_interval(secs => greatest($11::double precision - $10::double precision, 0) / 1000.0) as asked_at
  from held where not exists (select from known)
), ${grantedSql('asked')}, state as (
  update strategy_state t set
    last_action = $5::text, last_price = $7::double precision,
    last_action_at = to_timestamp($10::double precision / 1000.0)
  from granted where t.strategy_id = $2::bigint and t.holder = $1::uuid
  returning t.strategy_id
), ${sentSql({
  values: signalColumns,
  from: 'strategies s',
  where: 's.id = (select strategy_id from state)',
  notifies: false,
})}
select json_build_object(
  'held', case
    when exists (select from granted) then (select json_agg(strategy_id) from state)
    else (select json_agg(strategy_id) from held) end,${sentAnswerSql},
  'refused', (select json_agg(run_id) from asked where not exists (select from granted)),${knownAnswerSql}
)`

/** All parameters except the last. */
export function signalParameters(entry: SignalEntry, nodeId: string): (string | number | null)[] {
  const { action, symbols, price, options, previous_trigger: previous, at } = signalRow(entry)
  return [
    ...[nodeId, entry.claim.strategyId, entry.userId, entry.runId, action, JSON.stringify(symbols)],
    ...[price, JSON.stringify(options), JSON.stringify(previous), at],
  ]
}
