/** The statements that read the signals of a bot, together with the bot. */
import { isDeadSql } from '../db/node.ts'

export const holderIsDead = isDeadSql('b.holder')

/** A bot as JSON. */
export const botColumns = `json_build_object('id', b.id, 'userId', b.user_id, 'version', b.version,
  'isActive', b.status = 'ACTIVE', 'mode', b.mode, 'exchangeId', b.exchange_id, 'connectionId', b.connection_id,
  'settings', b.settings)`

/** A statement that says so does not wait until its commit is on the disk. */
const lazily = `set_config('synchronous_commit', 'off', true) = 'off'`

export const isOpen = `status in ('QUEUED', 'WORKING', 'CLOSING')`
const isDelayed = `status = 'DELAYED'`

/** Reads at most this many signals per spelling of a symbol, including those in progress. */
const mostOfSymbol = 10
/** More symbols than a processor takes at once. */
const mostSymbols = 2_000
/** Reads at most this many signals at once. */
export const mostAtOnce = 200

/** The text of a recursive CTE: the spellings of symbols of signals that are so, found one after another in the index. */
const spellingsSql = (name: string, isSo: string) => `
  (select symbol from bot_signals where bot_id = $1::bigint and ${isSo} order by symbol limit 1)
  union all
  select (select w.symbol from bot_signals w
    where w.bot_id = $1::bigint and w.${isSo} and w.symbol > n.symbol order by w.symbol limit 1)
  from ${name} n where n.symbol is not null`

/**
 * The first few signals of each symbol, so that many signals of one symbol hide no other symbol. The query finds the
 * symbols one after another in the index, so its cost depends on the number of symbols, not of waiting signals. For a
 * symbol with more signals, it also returns the first one that is left out. A signal also waits for earlier ones of its
 * symbol that are still delayed, because the delay was longer then.
 */
const waitingParts = `spellings as (${spellingsSql('spellings', isOpen)}
), delayed_spellings as (${spellingsSql('delayed_spellings', isDelayed)}
), firsts as (
  select w.id, w.symbol, w.status, w.signal_id, w.due_at, w.place
  from (select symbol from spellings where symbol is not null limit ${mostSymbols}) n
  cross join lateral (
    select o.*, row_number() over (order by o.id) as place from (
      select * from bot_signals t where t.bot_id = $1::bigint and t.${isOpen} and t.symbol = n.symbol
      order by t.id limit ${mostOfSymbol + 1}
    ) o
  ) w
), chosen as (
  (select * from firsts f where f.place <= ${mostOfSymbol} and f.id <> all($2::bigint[]) order by f.id limit ${mostAtOnce})
  union all
  (select * from firsts f where f.place > ${mostOfSymbol})
), delayed as (
  select w.id, w.symbol
  from (select symbol from delayed_spellings where symbol is not null limit ${mostSymbols}) n
  cross join lateral (
    select * from bot_signals t where t.bot_id = $1::bigint and t.${isDelayed} and t.symbol = n.symbol
    order by t.id limit 1
  ) w
)`

/** `id`, `symbol`, which kind of row it is (nothing: a signal), and what belongs to it. */
const waitingRows = `
select c.id, c.symbol, case when c.place > ${mostOfSymbol} then 'left out' end, c.status,
  case when c.place <= ${mostOfSymbol} then (
    select json_build_object('action', s.action, 'price', s.price::text, 'options', s.options,
      'origin', s.origin, 'at', round(extract(epoch from coalesce(c.due_at, s.created_at)) * 1000))
    from signals s where s.id = c.signal_id)::text end
from chosen c
union all
select d.id, d.symbol, 'delayed', null, null from delayed d where d.id < (select max(c.id) from chosen c)
union all
select null, null, 'due', null, ceil(extract(epoch from min(t.due_at) - clock_timestamp()) * 1000)::text
from bot_signals t where t.bot_id = $1::bigint and t.${isDelayed}`

/** The signals of a bot, and the bot as it is then, unless another node holds it. $2: ids to leave out, $3: this node. */
export const waitingSql = `
with recursive ${waitingParts}
${waitingRows}
union all
select null, null, 'bot', null, (${botColumns})::text from bots b where b.id = $1::bigint and b.holder = $3::uuid
order by 1`

/**
 * Claims a bot, and reads its signals, with the parameters of the other statement. The row of the bot says whether they
 * count: `free`, if nobody held it, and it had not changed since the statement began. Otherwise, a former holder may have
 * begun some of them meanwhile, which this statement cannot see.
 *
 * Nothing waits until the claim is on the disk. If the server crashes before, no order is lost or doubled: each order is
 * stored while the row of the bot is locked, with this node as its holder, and once it is on the disk, the claim is, too.
 */
export const claimSql = `
with recursive seen as materialized (
  select ctid as version, holder from bots where id = $1::bigint
), locked as materialized (
  select b.id, b.ctid as version from bots b
  where b.id = $1::bigint and (b.holder is null or b.holder = $3::uuid or ${holderIsDead})
    and ${lazily}
  for update
), claimed as (
  update bots b set holder = $3::uuid from locked l where b.id = l.id
  returning (${botColumns})::text as bot, l.version
), ${waitingParts}
select * from (${waitingRows}) w where exists (select from claimed)
union all
select null, null, 'bot', case when s.holder is null and s.version = c.version then 'free' end, c.bot
from claimed c cross join seen s
order by 1`

export const readSql = `select ${botColumns} from bots b where b.id = $1::bigint and b.holder = $2::uuid`

export const releaseSql = `
update bots set holder = null where id = $1::bigint and holder = $2::uuid and ${lazily}`
