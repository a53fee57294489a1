import { isoSql, notifySql } from '../notifications/store.ts'
import { exitAfterExitSql } from '../signals/exit-after-exit.ts'

/** A change as lists of approvals show it: without code. */
function changeSql(approval: string): string {
  return `(
    select json_build_object('strategy_id', g.id, 'strategy_name', g.name, 'strategy_type', g.type,
      'version', (${approval}.change -> 'version')::integer, 'status', ${approval}.change ->> 'status')
    from strategies g where g.id = ${approval}.target_id)`
}

const data = `json_build_object(
  'id', q.id, 'strategy_id', q.strategy_id, 'strategy_name', r.name, 'strategy_type', r.type, 'run_id', q.run_id,
  'kind', q.kind, 'action', q.action, 'symbols', q.symbols, 'options', q.options, 'change', ${changeSql('q')},
  'status', q.status, 'created_at', ${isoSql('q.created_at')}, 'expires_at', ${isoSql('q.expires_at')},
  'decided_at', null, 'signal_id', null, 'response', null)`

const facts = `jsonb_build_object(
  'strategy_id', q.strategy_id, 'strategy_name', r.name, 'run_id', q.run_id, 'at', ${isoSql('q.created_at')},
  'until', ${isoSql('q.expires_at')}, 'approval_id', q.id, 'action', q.action, 'symbols', q.symbols,
  'size', q.options -> 'size', 'protection', q.options -> 'protection', 'entry', q.options -> 'entry', 'change', ${changeSql('q')})`

/** What a statement requests. */
type Request = {
  /** The number of the request in its run. */
  number: string
  /** A condition on the state `h`. */
  allowed: string
  /** A condition on an approval `a`: the new request replaces it. */
  replaced: string
  columns: string
  values: string
}

/**
 * Stores a request for approval, and notifies the owner: one statement, and so one transaction. The new request replaces
 * one for the same that already waits.
 *
 * As in the journal, this node must still hold the strategy, and the run must not have ended. A node that claims the
 * strategy waits for this statement and then finds its result. The statement locks the strategy before its state, as
 * everything does that changes or deletes a strategy. It reads the last action from the state, because an approval may
 * just have changed it.
 *
 * The first parameters are strategy, node and run.
 */
const requestSqlOf = ({ number, allowed, replaced, columns, values }: Request) => `
with asker as materialized (
  select s.id, s.name, s.type, s.user_id, u.email, l.approval_minutes
  from strategies s join users u on u.id = s.user_id join llm_settings l on l.strategy_id = s.id
  where s.id = $1::bigint
  for key share of s
), held as materialized (
  select t.strategy_id, t.last_action
  from asker r join strategy_state t on t.strategy_id = r.id
  where t.holder = $2::uuid
    and not exists (select from runs where id = $3::bigint and status not in ('QUEUED', 'RUNNING'))
  for no key update of t
), known as materialized (
  -- Stored by an earlier statement, whose answer was lost with its connection.
  select id from approvals where run_id = $3::bigint and number = ${number}
), ready as materialized (
  select r.* from asker r join held h on h.strategy_id = r.id
  where ${allowed} and not exists (select from known)
), superseded as (
  update approvals a set
    status = case when a.expires_at > now() then 'SUPERSEDED' else 'EXPIRED' end,
    decided_at = case when a.expires_at > now() then now() end
  from ready r where a.strategy_id = r.id and a.status = 'PENDING' and ${replaced}
  returning a.id
), asked as (
  insert into approvals (user_id, strategy_id, run_id, number, ${columns}, created_at, expires_at)
  select r.user_id, r.id, $3::bigint, ${number}, ${values}, now(),
    now() + make_interval(mins => r.approval_minutes)
  from ready r
  -- After the update of the older request: only one request can wait.
  where (select count(*) from superseded) >= 0
  returning *
), news as materialized (
  select q.user_id, 'approval.requested' as type, ${data} as data, q.created_at as at
  from asked q join ready r on r.id = q.strategy_id
), ${notifySql('news')}, mailed as (
  insert into mails (user_id, recipient, kind, facts, once_key)
  select q.user_id, r.email, 'approval', ${facts}, 'approval:' || q.id
  from asked q join ready r on r.id = q.strategy_id
  on conflict (once_key) do nothing
)
select coalesce((select id from asked), (select id from known)), exists (select from held),
  (select json_agg(id) from superseded)`

/** An action. The other parameters: action, symbols, options. */
export const requestSql = requestSqlOf({
  number: '0',
  allowed: `not ${exitAfterExitSql('$4', 'h.last_action')}`,
  replaced: `a.kind = 'action'`,
  columns: 'action, symbols, options',
  values: '$4, $5::jsonb, $6::jsonb',
})

/** A change of another strategy. The other parameters: number, kind, target, change. */
export const requestChangeSql = requestSqlOf({
  number: '$4::integer',
  allowed: 'true',
  replaced: 'a.kind = $5 and a.target_id = $6::bigint',
  columns: 'kind, target_id, change',
  values: '$5, $6::bigint, $7::jsonb',
})

/** Only while this node holds the strategy. Returns the ids of the approvals. Parameters: run, text, node. */
export const respondSql = `
update approvals a set response = $2
where a.run_id = $1::bigint and exists (
  select from strategy_state t where t.strategy_id = a.strategy_id and t.holder = $3::uuid)
returning a.id`
