/**
 * The statements that end a signal, or take it out of the queue. $1: the signal, $2: its bot, $3: this node. They change
 * nothing if another node holds the bot: a node that has stood still for a while may come to the end of a signal that the
 * other one follows by now.
 */
import { isoSql, notifySql } from '../notifications/store.ts'
import { isDemoText } from './demo.ts'
import { isOpen } from './waiting-sql.ts'

/**
 * The bot, if this node still holds it. It is locked as a claim locks it, but less: so a node that takes it over either
 * waits for this statement and reads what it has written, or this statement writes nothing.
 */
const heldSql = `held as materialized (
  select id from bots where id = $2::bigint and holder = $3::uuid for key share
)`
/** Whether a signal $1 of the bot is still in progress. */
const isHeld = `id = $1::bigint and ${isOpen} and bot_id = (select h.id from held h)`
/** The last row of each statement, unless another node holds the bot. */
const whetherHeld = 'union all select null, null from held'

const endSql = `
update bot_signals set status = $4, reason = $5, finished_at = clock_timestamp() where ${isHeld}`

/** A signal that is DONE may replace closes that wait. It returns them. */
export const finishSql = `
with ${heldSql}, ended as (${endSql} returning id, bot_id, status)
(select w.id, w.symbol from ended e
  join bot_signals w on w.bot_id = e.bot_id and w.status = 'WAITING' and w.id < e.id
  where e.status = 'DONE' limit 1000)
${whetherHeld}`

/** The signal as the API shows it. */
const failedDataSql = `json_build_object('id', e.id, 'bot_id', e.bot_id, 'bot_name', coalesce(b.name, ''),
  'mode', b.mode, 'demo', ${isDemoText}, 'signal_id', e.signal_id, 'action', s.action, 'symbol', e.symbol, 'status', e.status, 'reason', e.reason,
  'queued_at', ${isoSql('e.queued_at')}, 'finished_at', ${isoSql('e.finished_at')})`

/** Signals that fail in a row, without one that is done, after which the owner hears once that the bot fails. */
const noticedFailures = 3

export const finishAndTellSql = `
with ${heldSql}, ended as (${endSql} returning *
), failed as (
  select count(*) + 1 as number
  from (
    select bool_or(l.status = 'DONE') over (order by l.id desc) as is_over
    from (
      select o.id, o.status from bot_signals o join ended e on o.bot_id = e.bot_id
      where o.status in ('DONE', 'FAILED') and o.id <> e.id
      order by o.id desc limit ${noticedFailures}
    ) l
  ) n
  where not n.is_over
), news as (
  select e.user_id, 'signal.failed' as type, ${failedDataSql} as data, e.finished_at as at
  from ended e left join signals s on s.id = e.signal_id left join bots b on b.id = e.bot_id
  union all
  select e.user_id, 'bot.failed', json_build_object('bot_id', e.bot_id, 'bot_name', b.name, 'mode', b.mode,
    'demo', ${isDemoText}, 'failed', f.number, 'id', e.id, 'signal_id', e.signal_id, 'action', s.action,
    'symbol', e.symbol, 'reason', e.reason, 'at', ${isoSql('e.finished_at')}), e.finished_at
  from ended e join failed f on f.number = ${noticedFailures}
  join bots b on b.id = e.bot_id left join signals s on s.id = e.signal_id
), ${notifySql('news')}
select null, null from held`

/** Refused closes in a row, after which the owner is notified once. */
const noticedRefusals = 3

/**
 * Shows that a close is still wanted. A refusal that is new to the signal counts together with those of earlier signals
 * of the symbol, up to the last close of which anything was executed.
 */
export const closingSql = `
with ${heldSql}, was as materialized (
  select id, refusals from bot_signals where ${isHeld} for update
), closing as (
  update bot_signals s set status = 'CLOSING', reason = $4, refusals = $5::int from was
  where s.id = was.id
  returning s.*, was.refusals as known
), closes as (
  select o.status, o.reason, bool_or(o.filled_size > 0) over (order by o.id desc) as is_over
  from (
    select o.* from orders o join closing c on o.bot_id = c.bot_id
    where o.purpose = 'close'
      and o.symbol = (select l.symbol from orders l where l.bot_signal_id = c.id order by l.id desc limit 1)
    order by o.id desc limit 20
  ) o
), refused as (
  select count(*) as number from closes
  where not is_over and status = 'REJECTED' and not coalesce(starts_with(reason, $6), false)
), news as (
  select e.user_id, 'close.refused' as type, json_build_object('id', e.id, 'bot_id', e.bot_id,
    'bot_name', coalesce(b.name, ''), 'mode', b.mode, 'demo', ${isDemoText}, 'signal_id', e.signal_id, 'action', s.action, 'symbol', e.symbol,
    'status', e.status, 'reason', e.reason, 'refusals', r.number, 'queued_at', ${isoSql('e.queued_at')}) as data,
    clock_timestamp() as at
  from closing e cross join refused r
  left join signals s on s.id = e.signal_id left join bots b on b.id = e.bot_id
  where e.known < e.refusals and r.number = ${noticedRefusals}
), ${notifySql('news')}
select c.id, (select count(*) from noted) from closing c
${whetherHeld}`

/** A close that waits. If it closes the whole position, it also stands for those that wait already. */
export const waitSql = `
with ${heldSql}, waiting as (
  update bot_signals set status = 'WAITING', reason = $4 where ${isHeld} returning *
), replaced as (
  update bot_signals r set status = 'IGNORED', reason = $6, finished_at = clock_timestamp()
  from waiting w
  where $5::boolean and r.bot_id = w.bot_id and r.status = 'WAITING' and r.symbol = w.symbol and r.id < w.id
  returning r.id, r.symbol
)
select id, symbol from waiting union all select id, symbol from replaced
${whetherHeld}`
