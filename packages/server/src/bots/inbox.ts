import { isDataRefused } from '../base/failures.ts'
import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import type { Node } from '../db/node.ts'
import type { BotSettings, OrderStatus } from '../db/schema.ts'
import type { Announce } from '../live/changes.ts'
import { storable } from '../runs/journal-statement.ts'
import type { PendingSignal, SignalEnd } from '../trading/follow-signal.ts'
import { haltedBeginning } from '../trading/order-manager.ts'
import { nextAttempt } from '../trading/wanted-close.ts'
import { closingSql, finishAndTellSql, finishSql, waitSql } from './ending-sql.ts'
import { BotLost } from './held-bot.ts'
import { deletedReason } from './holdings.ts'
import { readWaiting, type WaitingSignal } from './inbox-rows.ts'
import type { OrderSubscribers } from './order-notifications.ts'
import { claimSql, holderIsDead, mostAtOnce, readSql, releaseSql, waitingSql } from './waiting-sql.ts'

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
where w.status in ('DELAYED', 'QUEUED') and not exists (select from bots b where b.id = w.bot_id)
returning w.id`

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
   * @throws {BotLost} if another node holds the bot: then the signal is as it was
   */
  async finish(
    { id }: WaitingSignal,
    bot: Pick<HeldBot, 'id' | 'userId'>,
    { status, reason }: SignalEnd,
  ): Promise<WaitingClose[]> {
    const isNotified = status === 'FAILED' && this.#subscribers?.hears(bot.userId) === true
    const write = (text: string | null) => {
      const values = [id, bot.id, this.#node.id, status, text]
      return isNotified ? this.#tellInTurn(values) : this.#finish(values)
    }
    const rows = ofHeld(bot, await storing(write, reason))
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
   * @throws {BotLost} as for `finish`
   */
  async closing({ id }: WaitingSignal, bot: Pick<HeldBot, 'id'>, closing: Closing): Promise<boolean> {
    const { reason, attempts, refusals, nextAt } = closing
    const shown = `${reason} ${nextAttempt(attempts, nextAt)}`
    const write = (text: string | null) =>
      this.#closing([id, bot.id, this.#node.id, text, refusals, haltedBeginning])
    const [row] = ofHeld(bot, await storing(write, shown))
    if (Number(row?.[1] ?? 0) > 0) this.#subscribers?.onTold()
    this.#announce(id)
    return row !== undefined
  }

  /**
   * Takes a close out of the queue until its owner decides.
   * @throws {BotLost} as for `finish`
   */
  async wait({ id, options }: WaitingSignal, bot: Pick<HeldBot, 'id'>, reason: string): Promise<void> {
    const isWhole = options.size === undefined && options.closes === undefined
    const write = (text: string | null) =>
      this.#wait([id, bot.id, this.#node.id, text, String(isWhole), replacedReason(id)])
    const rows = ofHeld(bot, await storing(write, reason))
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
    const ended = await this.#endOrphans([])
    this.#announce(...ended.map(([id]) => Number(id)))
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

/** The rows of a statement of `ending-sql.ts`. @throws {BotLost} if another node holds the bot */
function ofHeld({ id }: Pick<HeldBot, 'id'>, rows: TextRow[]): TextRow[] {
  if (!rows.some(isEmpty)) throw new BotLost(id)
  return rows.filter((row) => !isEmpty(row))
}

const isEmpty = ([id]: TextRow) => id === null

async function one(rows: Promise<(string | null)[][]>): Promise<HeldBot | undefined> {
  const [row] = await rows
  return row === undefined ? undefined : (JSON.parse(row[0]!) as HeldBot)
}
