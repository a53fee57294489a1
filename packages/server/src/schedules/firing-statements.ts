/** The node's clock: $3 in Unix ms. Suspensions and the records of runs use it too. */
const nodeTime = `to_timestamp($3::double precision / 1000.0)`

/** Whether a strategy may have a run: it is active and not suspended. */
const mayRun = `st.status = 'ACTIVE' and (t.suspended_until is null or t.suspended_until <= ${nodeTime})`

/**
 * Whether an earlier run from a schedule, a price or its owner still waits: another one would only pile up behind it. A run in
 * progress does not count, except until its record says `RUNNING`.
 */
const waits = `exists (
  select 1 from runs r
  where r.strategy_id = st.id and r.status = 'QUEUED' and r.trigger in ('schedule', 'tick', 'manual')
)`

/** Exact microseconds since the epoch. A later statement uses them to check that the row still has this time. */
const microseconds = (moment: string) => `(extract(epoch from ${moment}) * 1000000)::bigint`

/** Due schedules, the one that is longest due first: the strategy, the due time, and the fields that give the next time. */
export const dueSql = `
select json_agg(json_build_array(strategy_id, due_us, version, cron_interval, timezone))
from (
  select s.strategy_id, ${microseconds('s.next_run_at')} as due_us, st.version, st.cron_interval, st.timezone
  from schedules s join strategies st on st.id = s.strategy_id
  where not s.ticks and s.next_run_at <= to_timestamp($1::double precision / 1000.0)
  order by s.next_run_at
  limit $2::integer
) d`

/** @param dueAt the due time of a row of `target`, as an SQL expression */
const queuedSql = (dueAt: string) => `
  insert into runs (strategy_id, trigger, due_at, queued_at)
  -- The time of storage: a batch takes a while.
  select strategy_id, $2, ${dueAt}, ${nodeTime} + (clock_timestamp() - statement_timestamp())
  from target order by strategy_id
  returning id, strategy_id`

/**
 * The stored runs in order of id, each with the version of its strategy and the strategy's previous run (a statement
 * does not see its own rows), as one JSON value.
 */
const storedRuns = `
  select json_agg(json_build_array(q.id, q.strategy_id, (select st.version from strategies st where st.id = q.strategy_id),
    (select max(r.id) from runs r where r.strategy_id = q.strategy_id)) order by q.id)
  from queued q`

/**
 * Moves schedules from the due time that was read to their next time, and queues a run for each strategy that may have
 * one. One statement does both, so it is one transaction. It skips a schedule that another node has moved or has
 * locked, or whose strategy has changed since the read: no node waits, and no schedule fires twice. `next` is Unix ms.
 */
export const fireSql = `
with input as materialized (
  select * from json_to_recordset($1::json)
    as i(strategy_id bigint, due_us bigint, version integer, next double precision, runs boolean)
), claimed as materialized (
  select s.strategy_id, s.next_run_at, i.next, i.runs
  from input i
  join schedules s on s.strategy_id = i.strategy_id and ${microseconds('s.next_run_at')} = i.due_us and not s.ticks
  join strategies st on st.id = i.strategy_id and st.version = i.version
  for update of s skip locked
), moved as (
  update schedules s set next_run_at = to_timestamp(c.next / 1000.0), fired_at = c.next_run_at
  from claimed c where s.strategy_id = c.strategy_id
), target as (
  select st.id as strategy_id, c.next_run_at as due_at
  from claimed c
  join strategies st on st.id = c.strategy_id
  join strategy_state t on t.strategy_id = c.strategy_id
  where c.runs and ${mayRun} and not ${waits}
), queued as (${queuedSql('due_at')}
)
select json_build_object('claimed', (select count(*) from claimed), 'runs', (${storedRuns}))`

/**
 * The same for strategies that a price triggers. The database's clock, which all nodes share, decides whether one is
 * due: at most once a second. A strategy stays due if that clock is set back.
 */
export const fireTicksSql = `
with target as materialized (
  select s.strategy_id
  from schedules s
  join strategies st on st.id = s.strategy_id
  join strategy_state t on t.strategy_id = s.strategy_id
  where s.strategy_id = any($1::bigint[]) and s.ticks and ${mayRun} and not ${waits}
    and (s.next_run_at <= clock_timestamp() or s.next_run_at > clock_timestamp() + interval '2 seconds')
  for update of s skip locked
), moved as (
  update schedules s set next_run_at = clock_timestamp() + interval '1 second', fired_at = clock_timestamp()
  from target c where s.strategy_id = c.strategy_id
), queued as (${queuedSql('null::timestamptz')}
)
select json_build_object('runs', (${storedRuns}))`

/** The earliest due time, in Unix ms. */
export const earliestSql = `
select extract(epoch from next_run_at) * 1000 from schedules where not ticks order by next_run_at limit 1`

/** A page of the schedules that are not due, in order of strategy. */
export const upcomingSql = `
select json_agg(json_build_array(strategy_id, next_us, cron_interval, timezone) order by strategy_id)
from (
  select s.strategy_id, ${microseconds('s.next_run_at')} as next_us, st.cron_interval, st.timezone
  from schedules s join strategies st on st.id = s.strategy_id
  where not s.ticks and s.next_run_at > to_timestamp($2::double precision / 1000.0)
    -- The condition names both tables: otherwise a merge join reads one of them from its beginning for every page.
    and s.strategy_id > $1::bigint and st.id > $1::bigint
  order by s.strategy_id
  limit $3::integer
) u`

/** Moves schedules to another time, unless they have changed since they were read. */
export const resetSql = `
update schedules s set next_run_at = to_timestamp(i.next / 1000.0)
from json_to_recordset($1::json) as i(strategy_id bigint, next_us bigint, next double precision)
where s.strategy_id = i.strategy_id and ${microseconds('s.next_run_at')} = i.next_us and not s.ticks`
