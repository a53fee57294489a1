import { isDataRefused } from '../base/failures.ts'
import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import type { Node } from '../db/node.ts'
import type { BotSettings, OrderStatus } from '../db/schema.ts'
import type { Announce } from '../live/changes.ts'
import { isoSql, notifySql } from '../notifications/store.ts'
import { storable } from '../runs/journal-statement.ts'
import type { PendingSignal, SignalEnd } from '../trading/follow-signal.ts'
import { haltedBeginning } from '../trading/order-manager.ts'
import { nextAttempt } from '../trading/wanted-close.ts'
import { isDemoText } from './demo.ts'
import { deletedReason } from './holdings.ts'
import { readWaiting, type WaitingSignal } from './inbox-rows.ts'
import type { OrderSubscribers } from './order-notifications.ts'
import { claimSql, holderIsDead, isOpen, mostAtOnce, readSql, releaseSql, waitingSql } from './waiting-sql.ts'

/** A bot as its holder uses it. */
export type HeldBot = {
  id: number
  userId: number
  version: number
  isActive: boolean
  mode: 'paper' | 'live'
  exchangeId: number
  connectionId: number | null
  settings: BotSettings
}

export type { WaitingSignal }
export type Closing = Extract<PendingSignal, { status: 'CLOSING' }>
/** A close that its owner must let proceed, or drop. */
export type WaitingClose = { id: number; symbol: string }

/**
 * Signals that wait for a bot. `leftOut`: for each symbol with more signals than these, the id of the first one that is
 * not among `signals`. `delayed`: the same for signals whose delay is not over, if `signals` has a later one.
 * `untilDueMs`: when the next delay is over; `null` if nothing is delayed. `mayBeMore`: whether the list was too short for
 * all signals. `bot`: as it was then; `undefined` if this node no longer holds it.
 */
export type Waiting = {
  bot: HeldBot | undefined
  signals: WaitingSignal[]
  leftOut: ReadonlyMap<string, number>
  delayed: ReadonlyMap<string, number>
  untilDueMs: number | null
  mayBeMore: boolean
}

const endSql = `
update bot_signals set status = $2, reason = $3, finished_at = clock_timestamp()
where id = $1::bigint and ${isOpen}`

/** A signal that is DONE may replace closes that wait. It returns them. */
const finishSql = `
with ended as (${endSql} returning id, bot_id, status)
select w.id, w.symbol from ended e
join bot_signals w on w.bot_id = e.bot_id and w.status = 'WAITING' and w.id < e.id
where e.status = 'DONE' limit 1000`

/** The signal as the API shows it. */
const failedDataSql = `json_build_object('id', e.id, 'bot_id', e.bot_id, 'bot_name', coalesce(b.name, ''),
  'mode', b.mode, 'demo', ${isDemoText}, 'signal_id', e.signal_id, 'action', s.action, 'symbol', e.symbol, 'status', e.status, 'reason', e.reason,
  'queued_at', ${isoSql('e.queued_at')}, 'finished_at', ${isoSql('e.finished_at')})`

/** Signals that fail in a row, without one that is done, after which the owner hears once that the bot fails. */
const noticedFailures = 3

const finishAndTellSql = `
with ended as (${endSql} returning *
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
select count(*) from ended`

/** Refused closes in a row, after which the owner is notified once. */
const noticedRefusals = 3

/**
 * Shows that a close is still wanted. A refusal that is new to the signal counts together with those of earlier signals
 * of the symbol, up to the last close of which anything was executed.
 */
const closingSql = `
with was as materialized (
  select id, refusals from bot_signals where id = $1::bigint and ${isOpen} for update
), closing as (
  update bot_signals s set status = 'CLOSING', reason = $2, refusals = $3::int from was
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
  where not is_over and status = 'REJECTED' and not coalesce(starts_with(reason, $4), false)
), news as (
  select e.user_id, 'close.refused' as type, json_build_object('id', e.id, 'bot_id', e.bot_id,
    'bot_name', coalesce(b.name, ''), 'mode', b.mode, 'demo', ${isDemoText}, 'signal_id', e.signal_id, 'action', s.action, 'symbol', e.symbol,
    'status', e.status, 'reason', e.reason, 'refusals', r.number, 'queued_at', ${isoSql('e.queued_at')}) as data,
    clock_timestamp() as at
  from closing e cross join refused r
  left join signals s on s.id = e.signal_id left join bots b on b.id = e.bot_id
  where e.known < e.refusals and r.number = ${noticedRefusals}
), ${notifySql('news')}
select c.id, (select count(*) from noted) from closing c`

/** A close that waits. If it closes the whole position, it also stands for those that wait already. */
const waitSql = `
with waiting as (
  update bot_signals set status = 'WAITING', reason = $2 where id = $1::bigint and ${isOpen} returning *
), replaced as (
  update bot_signals r set status = 'IGNORED', reason = $4, finished_at = clock_timestamp()
  from waiting w
  where $3::boolean and r.bot_id = w.bot_id and r.status = 'WAITING' and r.symbol = w.symbol and r.id < w.id
  returning r.id
)
select id from waiting union all select id from replaced`

const replaceSql = `
update bot_signals set status = 'IGNORED', reason = $2, finished_at = clock_timestamp()
where id = any($1::bigint[]) and status = 'WAITING'`

const holdsSql = `
select exists (select from positions p where p.bot_id = $1::bigint and p.side is not null)`

/**
 * The protection that a close comes from, while the position is the one that it was for. The stop counts only for a close
 * at the stop, and a missed price only on paper.
 */
const protectsSql = `
select case when s.origin = p.stop_reason then p.stop_price::text end,
  case when b.mode = 'paper' then trim_scale(p.missed_price)::text end
from position_protections p
join bots b on b.id = p.bot_id
join positions q on q.bot_id = p.bot_id and q.symbol = p.symbol and q.opened_at = p.opened_at
join bot_signals w on w.id = p.close_id
join signals s on s.id = w.signal_id
where p.close_id = $1::bigint and q.side is not null`

const unsettledSql = `
select client_order_id, status from orders
where bot_signal_id = $1::bigint and status in ('PLANNED', 'OPEN', 'UNKNOWN')`

const unattendedSql = `
select distinct w.bot_id from bot_signals w join bots b on b.id = w.bot_id
where w.status in ('QUEUED', 'WORKING', 'CLOSING') and (b.holder is null or b.holder = $1::uuid or ${holderIsDead})
limit 1000`

/** These signals were stored by a statement that did not yet see that the bot was being deleted. */
const endOrphansSql = `
update bot_signals w set status = 'IGNORED', reason = '${deletedReason}',
  finished_at = clock_timestamp()
where w.status in ('DELAYED', 'QUEUED') and not exists (select from bots b where b.id = w.bot_id)`

/** What an order of a close needs to know of the protection. */
export type ProtectedClose = { trigger: string | undefined; missedPrice: string | undefined }

/** The waiting signals of bots. Only one node at a time holds a bot and follows its signals. */
export class Inbox {
  #node: Node
  #subscribers: OrderSubscribers | undefined
  #onChange: Announce | undefined
  #claim: PreparedStatement
  #read: PreparedStatement
  #release: PreparedStatement
  #releaseAll: PreparedStatement
  #waiting: PreparedStatement
  #finish: PreparedStatement
  #closing: PreparedStatement
  #wait: PreparedStatement
  #replace: PreparedStatement
  #holds: PreparedStatement
  #protects: PreparedStatement
  #finishAndTell: PreparedStatement
  #telling: Promise<unknown> = Promise.resolve()
  #unsettled: PreparedStatement
  #unattended: PreparedStatement
  #endOrphans: PreparedStatement

  /**
   * @param subscribers get notifications about failed signals; default: no one
   * @param onChange tells live streams; default: nobody
   */
  constructor(database: Database, node: Node, subscribers?: OrderSubscribers, onChange?: Announce) {
    this.#node = node
    this.#onChange = onChange
    this.#subscribers = subscribers
    this.#claim = database.prepare('claim_bot', claimSql)
    this.#read = database.prepare('read_held_bot', readSql)
    this.#release = database.prepare('release_bot', releaseSql)
    this.#releaseAll = database.prepare(
      'release_bots',
      'update bots set holder = null where holder = $1::uuid',
    )
    this.#waiting = database.prepare('waiting_signals', waitingSql)
    this.#finish = database.prepare('finish_bot_signal', finishSql)
    this.#closing = database.prepare('close_again', closingSql)
    this.#wait = database.prepare('wait_to_close', waitSql)
    this.#replace = database.prepare('replace_waiting', replaceSql)
    this.#holds = database.prepare('bot_holds', holdsSql)
    this.#protects = database.prepare('close_of_protection', protectsSql)
    this.#finishAndTell = database.prepare('finish_bot_signal_telling', finishAndTellSql)
    this.#unsettled = database.prepare('unsettled_orders', unsettledSql)
    this.#unattended = database.prepare('unattended_bots', unattendedSql)
    this.#endOrphans = database.prepare('end_orphaned_signals', endOrphansSql)
  }

  /**
   * Claims a bot, and reads its signals. `undefined` if another node holds it or it does not exist.
   * `waiting`: `null` if its signals have to be read now
   */
  async claim(botId: number): Promise<{ bot: HeldBot; waiting: Waiting | null } | undefined> {
    const rows = await this.#claim([botId, '{}', this.#node.id])
    const claimed = rows.find(isOfBot)
    if (claimed === undefined) return undefined
    const waiting = waitingOf(rows)
    return { bot: waiting.bot!, waiting: claimed[3] === 'free' ? waiting : null }
  }

  /** The current settings of the bot; `undefined` if this node no longer holds it. */
  read(botId: number): Promise<HeldBot | undefined> {
    return one(this.#read([botId, this.#node.id]))
  }

  /** The protection that a close comes from; `undefined` if it no longer applies. @param id the close */
  async protects(id: number): Promise<ProtectedClose | undefined> {
    const [row] = await this.#protects([id])
    return row && { trigger: row[0] ?? undefined, missedPrice: row[1] ?? undefined }
  }

  async release(botId: number): Promise<void> {
    await this.#release([botId, this.#node.id])
  }

  async releaseAll(): Promise<void> {
    await this.#releaseAll([this.#node.id])
  }

  /** Waiting signals in the order of their arrival: the first few of each symbol, at most 200, without the given ids. */
  async waiting(botId: number, except: Iterable<number>): Promise<Waiting> {
    return waitingOf(await this.#waiting([botId, `{${[...except].join(',')}}`, this.#node.id]))
  }

  /**
   * Ends a signal. If it failed, the same statement stores a notification for its owner.
   * @returns the closes that wait, of any symbol of the bot, if the signal is newer and DONE
   */
  async finish(
    { id }: WaitingSignal,
    userId: number,
    { status, reason }: SignalEnd,
  ): Promise<WaitingClose[]> {
    const isNotified = status === 'FAILED' && this.#subscribers?.hears(userId) === true
    const write = (text: string | null) =>
      isNotified ? this.#tellInTurn([id, status, text]) : this.#finish([id, status, text])
    const rows = await storing(write, reason)
    this.#announce(id)
    if (!isNotified) return rows.map(([waiting, symbol]) => ({ id: Number(waiting), symbol: symbol! }))
    this.#subscribers?.onTold()
    return []
  }

  /** One after another: of two that fail at once, the second has to count the first. */
  #tellInTurn(values: (string | number | null)[]): Promise<TextRow[]> {
    const told = this.#telling.then(() => this.#finishAndTell(values))
    this.#telling = told.catch(() => undefined)
    return told
  }

  /**
   * Shows that a close is still wanted. After the third refusal in a row, its owner gets a notification.
   * @returns whether the signal is still open: its owner may have dropped it
   */
  async closing({ id }: WaitingSignal, closing: Closing): Promise<boolean> {
    const { reason, attempts, refusals, nextAt } = closing
    const shown = `${reason} ${nextAttempt(attempts, nextAt)}`
    const [row] = await storing((text) => this.#closing([id, text, refusals, haltedBeginning]), shown)
    if (Number(row?.[1] ?? 0) > 0) this.#subscribers?.onTold()
    this.#announce(id)
    return row !== undefined
  }

  /** Takes a close out of the queue until its owner decides. */
  async wait({ id, options }: WaitingSignal, reason: string): Promise<void> {
    const isWhole = options.size === undefined && options.closes === undefined
    const write = (text: string | null) => this.#wait([id, text, String(isWhole), replacedReason(id)])
    const rows = await storing(write, reason)
    this.#announce(...rows.map(([changed]) => Number(changed)))
  }

  /** Ends closes that wait, because a newer signal of their symbol is done. */
  async replace(ids: number[], { id }: WaitingSignal): Promise<void> {
    await this.#replace([`{${ids.join(',')}}`, replacedReason(id)])
    this.#announce(...ids)
  }

  #announce(...ids: number[]): void {
    for (const id of ids) this.#onChange?.({ kind: 'bot_signal', id })
  }

  /** Whether the books of the bot have any open position. */
  async holds(botId: number): Promise<boolean> {
    const [row] = await this.#holds([botId])
    return row?.[0] === 't'
  }

  /** The orders of a signal that are not settled. */
  async unsettled({ id }: WaitingSignal): Promise<{ clientOrderId: string; status: OrderStatus }[]> {
    const rows = await this.#unsettled([id])
    return rows.map(([clientOrderId, status]) => ({
      clientOrderId: clientOrderId!,
      status: status as OrderStatus,
    }))
  }

  /** Ends waiting signals of deleted bots. */
  async endOrphans(): Promise<void> {
    await this.#endOrphans([])
  }

  /** Bots with waiting signals that no other living node holds. */
  async unattended(): Promise<number[]> {
    return (await this.#unattended([this.#node.id])).map(([id]) => Number(id))
  }
}

const isOfBot = ([, , kind]: TextRow) => kind === 'bot'

function waitingOf(rows: TextRow[]): Waiting {
  const of = (kind: string | null) => rows.filter((row) => row[2] === kind)
  const firsts = (kind: string) => new Map(of(kind).map(([id, symbol]) => [symbol!, Number(id)]))
  const signals = of(null)
  const untilDueMs = of('due')[0]?.[4] ?? null
  const bot = rows.find(isOfBot)
  return {
    bot: bot && (JSON.parse(bot[4]!) as HeldBot),
    signals: signals.map(readWaiting),
    leftOut: firsts('left out'),
    delayed: firsts('delayed'),
    untilDueMs: untilDueMs === null ? null : Number(untilDueMs),
    mayBeMore: signals.length >= mostAtOnce,
  }
}

/** Why a close ends that a newer signal of its symbol replaces. */
export function replacedReason(newerId: number): string {
  return `A newer signal of the symbol replaced it: ${newerId} in the bot's list of signals.`
}

/**
 * Writes the reason of a signal. The message of an exchange may contain what the database cannot store, and the status
 * must be stored even then.
 */
async function storing(
  write: (reason: string | null) => Promise<TextRow[]>,
  reason: string | null,
): Promise<TextRow[]> {
  try {
    return await write(reason === null ? null : storable(reason))
  } catch (error) {
    if (!isDataRefused(error)) throw error
    return write('The reason could not be stored.')
  }
}

async function one(rows: Promise<(string | null)[][]>): Promise<HeldBot | undefined> {
  const [row] = await rows
  return row === undefined ? undefined : (JSON.parse(row[0]!) as HeldBot)
}
