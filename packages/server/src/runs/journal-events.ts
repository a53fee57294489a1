import { isoSql, notifySql } from '../notifications/store.ts'
import { signalEventsSql, strategyOf } from '../signals/events.ts'

/** The users who get notifications, as far as this node knows. */
export type Audience = {
  hears(userId: number): boolean
  /** Called when a notification or a mail was stored and is durable. */
  onTold(): void
}

/** The columns that {@link eventsSql} needs of ended runs: `r` is the row of `runs`, `f` the row of the batch. */
export const endedColumns = `r.id, r.strategy_id, r.trigger, r.status, r.queued_at, r.started_at, r.finished_at,
  r.duration_ms, r.delivery_id, r.error, r.violation, f.suspended_until`

const runData = `json_build_object(
  'id', r.id, 'strategy_id', r.strategy_id, 'strategy_name', s.name, 'trigger', r.trigger, 'status', r.status,
  'queued_at', ${isoSql('r.queued_at')}, 'started_at', ${isoSql('r.started_at')},
  'finished_at', ${isoSql('r.finished_at')}, 'duration_ms', r.duration_ms, 'delivery_id', r.delivery_id,
  'signal_id', (select g.id from signals g where g.run_id = r.id),
  'approval_id', case when s.type in ('llm-reaction', 'llm-session') then (select a.id from approvals a where a.run_id = r.id and a.kind = 'action') end,
  'error', r.error)`

const suspendedUntil = isoSql('to_timestamp(r.suspended_until / 1000.0)')

const suspensionData = (build: string) => `${build}(
  'strategy_id', r.strategy_id, 'strategy_name', s.name, 'run_id', r.id, 'at', ${isoSql('r.finished_at')},
  'until', ${suspendedUntil}, 'rule', r.violation ->> 'rule', 'limit', r.violation -> 'limit',
  'actual', r.violation -> 'actual')`

/**
 * CTEs after `ended` (and `sent`) that notify of failed runs, suspensions and signals, and mail suspensions. Each event
 * gets one notification, because a run ends once and has at most one signal.
 */
export const eventsSql = (withSignals: boolean) => `
news as materialized (
  select s.user_id, 'run.failed' as type, ${runData} as data, r.finished_at as at
  from ended r ${strategyOf('r')} where r.status = 'FAILED'
  union all
  select s.user_id, 'strategy.suspended', ${suspensionData('json_build_object')}, r.finished_at
  from ended r ${strategyOf('r')} where r.suspended_until is not null${
    withSignals
      ? `
  union all${signalEventsSql('sent')}`
      : ''
  }
), ${notifySql('news')}, mailed as (
  insert into mails (user_id, recipient, kind, facts, once_key)
  select u.id, u.email, 'suspension', ${suspensionData('jsonb_build_object')}, 'suspension:' || r.id
  from ended r ${strategyOf('r')} join users u on u.id = s.user_id
  where r.suspended_until is not null
  on conflict (once_key) do nothing
)`
