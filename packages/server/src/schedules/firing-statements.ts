/** The clock of the node, $3 in Unix ms, which suspensions and the records of runs go by. */
const nodeTime = `to_timestamp($3::double precision / 1000.0)`

/** What a run needs besides a moment that has come: its strategy is switched on, and not suspended. */
const mayRun = `st.status = 'ACTIVE' and (t.suspended_until is null or t.suspended_until <= ${nodeTime})`

/**
 * A run that a clock or a price has caused waits already: another would only pile up behind it. One that is under
 * way is no reason, but is seen as waiting until it has been shown as running.
 */
const waits = `exists (
  select 1 from runs r
  where r.strategy_id = st.id and r.status = 'QUEUED' and r.trigger in ('schedule', 'tick')
)`

/** Microseconds since the epoch, exactly: what was read is recognised by it. */
const microseconds = (moment: string) => `(extract(epoch from ${moment}) * 1000000)::bigint`

/** Schedules whose moment has come, the longest due first: strategy, moment, and what tells the next one. */
export const dueSql = `
select json_agg(json_build_array(strategy_id, due_us, version, cron_interval, timezone))
from (
  select s.strategy_id, ${microseconds('s.next_run_at')} as due_us, st.version, st.cron_interval, st.timezone
  from schedules s join strategies st on st.id = s.strategy_id
  where not s.ticks and s.next_run_at <= to_timestamp($1::double precision / 1000.0)
  order by s.next_run_at
  limit $2::integer
) d`

const queued = `
  insert into runs (strategy_id, trigger, queued_at)
  -- When it is stored: a batch takes its time.
  select strategy_id, $2, ${nodeTime} + (clock_timestamp() - statement_timestamp()) from target order by strategy_id
  returning id, strategy_id`

/**
 * One value and not a row for each, which PGlite reads three times as fast: the runs in the order of their ids, with
 * the version of their strategies and the last run of each before, since a statement does not see its own rows.
 */
const storedRuns = `
  select json_agg(json_build_array(q.id, q.strategy_id, (select st.version from strategies st where st.id = q.strategy_id),
    (select max(r.id) from runs r where r.strategy_id = q.strategy_id)) order by q.id)
  from queued q`

/**
 * Moves schedules on from the moment that was read of them, and queues a run of each strategy that may have one:
 * one statement, and so one transaction. A schedule that another node is moving, or has moved, or whose strategy has
 * changed since, is left alone: nobody waits, and nothing is done twice. `next` is Unix ms.
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
  select st.id as strategy_id
  from claimed c
  join strategies st on st.id = c.strategy_id
  join strategy_state t on t.strategy_id = c.strategy_id
  where c.runs and ${mayRun} and not ${waits}
), queued as (${queued}
)
select json_build_object('claimed', (select count(*) from claimed), 'runs', (${storedRuns}))`

/**
 * The same for strategies that a price sets off. Whether one is due is for the database's clock to say, which all
 * nodes share: at most once a second. A clock that was set back does not hold anything up.
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
), queued as (${queued}
)
select json_build_object('runs', (${storedRuns}))`

/** When the first schedule is due, in Unix ms. */
export const earliestSql = `
select extract(epoch from next_run_at) * 1000 from schedules where not ticks order by next_run_at limit 1`

/** Schedules that are not due, a page of them in the order of their strategies. */
export const upcomingSql = `
select json_agg(json_build_array(strategy_id, next_us, cron_interval, timezone) order by strategy_id)
from (
  select s.strategy_id, ${microseconds('s.next_run_at')} as next_us, st.cron_interval, st.timezone
  from schedules s join strategies st on st.id = s.strategy_id
  where not s.ticks and s.next_run_at > to_timestamp($2::double precision / 1000.0)
    -- Said of both tables: a merge join would read one of them from its beginning for every page.
    and s.strategy_id > $1::bigint and st.id > $1::bigint
  order by s.strategy_id
  limit $3::integer
) u`

/** Puts schedules that are still as they were read to another moment. */
export const resetSql = `
update schedules s set next_run_at = to_timestamp(i.next / 1000.0)
from json_to_recordset($1::json) as i(strategy_id bigint, next_us bigint, next double precision)
where s.strategy_id = i.strategy_id and ${microseconds('s.next_run_at')} = i.next_us and not s.ticks`
