import { isDataRefused } from '../base/failures.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { isDeadSql, type Node } from '../db/node.ts'
import type { BotSettings, OrderStatus } from '../db/schema.ts'
import { isoSql, toldSql } from '../notifications/telling.ts'
import { storable } from '../runs/journal-statement.ts'
import type { SignalOutcome } from '../trading/follow-signal.ts'
import { deletedReason } from './holdings.ts'
import { readWaiting, type WaitingSignal } from './inbox-rows.ts'
import type { OrderSubscribers } from './order-notifications.ts'

/** A bot as its holder works with it. */
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

/** What waits for a bot. `leftOut`: of symbols with more than that, the id of the first that is not among `signals`. */
export type Waiting = { signals: WaitingSignal[]; leftOut: ReadonlyMap<string, number> }

const holderIsDead = isDeadSql('b.holder')

const botColumns = `json_build_object('id', b.id, 'userId', b.user_id, 'version', b.version,
  'isActive', b.status = 'ACTIVE', 'mode', b.mode, 'exchangeId', b.exchange_id, 'connectionId', b.connection_id,
  'settings', b.settings)`

const claimSql = `
update bots b set holder = $2::uuid
where b.id = $1::bigint and (b.holder is null or b.holder = $2::uuid or ${holderIsDead})
returning ${botColumns}`

const readSql = `select ${botColumns} from bots b where b.id = $1::bigint and b.holder = $2::uuid`

const isOpen = `status in ('QUEUED', 'WORKING')`

/** Of one spelling of a symbol, counting those that are in hand. */
const waitingOfSymbol = 10
/** More than a processor takes at once. */
const symbolsInSight = 2_000

/**
 * The first few of each symbol: however many wait for one of them, those of the others are found. The symbols are
 * found one after another in the index, so that this costs what there is to find, and not what waits. Of a symbol with
 * more than that, the first that is left out is told too.
 */
const waitingSql = `
with recursive spellings as (
  (select symbol from bot_signals where bot_id = $1::bigint and ${isOpen} order by symbol limit 1)
  union all
  select (select w.symbol from bot_signals w
    where w.bot_id = $1::bigint and w.${isOpen} and w.symbol > n.symbol order by w.symbol limit 1)
  from spellings n where n.symbol is not null
), firsts as (
  select w.id, w.symbol, w.status, w.signal_id, w.place
  from (select symbol from spellings where symbol is not null limit ${symbolsInSight}) n
  cross join lateral (
    select o.*, row_number() over (order by o.id) as place from (
      select * from bot_signals t where t.bot_id = $1::bigint and t.${isOpen} and t.symbol = n.symbol
      order by t.id limit ${waitingOfSymbol + 1}
    ) o
  ) w
), chosen as (
  (select * from firsts f where f.place <= ${waitingOfSymbol} and f.id <> all($2::bigint[]) order by f.id limit 200)
  union all
  (select * from firsts f where f.place > ${waitingOfSymbol})
)
select c.id, c.symbol, c.place > ${waitingOfSymbol}, c.status = 'WORKING', case when c.place <= ${waitingOfSymbol} then (
  select json_build_object('action', s.action, 'price', s.price::text, 'options', s.options,
    'at', round(extract(epoch from s.created_at) * 1000))
  from signals s where s.id = c.signal_id) end
from chosen c order by c.id`

const finishSql = `
update bot_signals set status = $2, reason = $3, finished_at = clock_timestamp()
where id = $1::bigint and ${isOpen}`

/** As the API shows it. */
const failedDataSql = `json_build_object('id', e.id, 'bot_id', e.bot_id, 'bot_name', coalesce(b.name, ''),
  'signal_id', e.signal_id, 'action', s.action, 'symbol', e.symbol, 'status', e.status, 'reason', e.reason,
  'queued_at', ${isoSql('e.queued_at')}, 'finished_at', ${isoSql('e.finished_at')})`

const finishAndTellSql = `
with ended as (${finishSql} returning *
), news as (
  select e.user_id, 'signal.failed' as type, ${failedDataSql} as data, e.finished_at as at
  from ended e left join signals s on s.id = e.signal_id left join bots b on b.id = e.bot_id
), ${toldSql('news')}
select count(*) from ended`

const unsettledSql = `
select client_order_id, status from orders
where bot_signal_id = $1::bigint and status in ('PLANNED', 'OPEN', 'UNKNOWN')`

const unattendedSql = `
select distinct w.bot_id from bot_signals w join bots b on b.id = w.bot_id
where w.status in ('QUEUED', 'WORKING') and (b.holder is null or b.holder = $1::uuid or ${holderIsDead})
limit 1000`

/** Stored by a statement that did not see yet that the bot was being deleted. */
const endOrphansSql = `
update bot_signals w set status = 'IGNORED', reason = '${deletedReason}',
  finished_at = clock_timestamp()
where w.status = 'QUEUED' and not exists (select from bots b where b.id = w.bot_id)`

/** What waits for bots, and which node is at it: a bot is held by one node at a time. */
export class Inbox {
  #node: Node
  #audience: OrderSubscribers | undefined
  #claim: PreparedStatement
  #read: PreparedStatement
  #release: PreparedStatement
  #releaseAll: PreparedStatement
  #waiting: PreparedStatement
  #finish: PreparedStatement
  #finishAndTell: PreparedStatement
  #unsettled: PreparedStatement
  #unattended: PreparedStatement
  #endOrphans: PreparedStatement

  /** @param audience who is told of signals that failed; by default nobody */
  constructor(database: Database, node: Node, audience?: OrderSubscribers) {
    this.#node = node
    this.#audience = audience
    this.#claim = database.prepare('claim_bot', claimSql)
    this.#read = database.prepare('read_held_bot', readSql)
    this.#release = database.prepare(
      'release_bot',
      'update bots set holder = null where id = $1::bigint and holder = $2::uuid',
    )
    this.#releaseAll = database.prepare(
      'release_bots',
      'update bots set holder = null where holder = $1::uuid',
    )
    this.#waiting = database.prepare('waiting_signals', waitingSql)
    this.#finish = database.prepare('finish_bot_signal', finishSql)
    this.#finishAndTell = database.prepare('finish_bot_signal_telling', finishAndTellSql)
    this.#unsettled = database.prepare('unsettled_orders', unsettledSql)
    this.#unattended = database.prepare('unattended_bots', unattendedSql)
    this.#endOrphans = database.prepare('end_orphaned_signals', endOrphansSql)
  }

  /** Takes a bot; `undefined` when another node has it, or there is none. */
  claim(botId: number): Promise<HeldBot | undefined> {
    return one(this.#claim([botId, this.#node.id]))
  }

  /** The bot as it is now; `undefined` when this node does not hold it any more. */
  read(botId: number): Promise<HeldBot | undefined> {
    return one(this.#read([botId, this.#node.id]))
  }

  async release(botId: number): Promise<void> {
    await this.#release([botId, this.#node.id])
  }

  async releaseAll(): Promise<void> {
    await this.#releaseAll([this.#node.id])
  }

  /** In the order in which they came, up to 200 and the first few of each symbol, but for some. */
  async waiting(botId: number, except: Iterable<number>): Promise<Waiting> {
    const rows = await this.#waiting([botId, `{${[...except].join(',')}}`])
    const leftOut = rows.filter(([, , isLeftOut]) => isLeftOut === 't')
    return {
      signals: rows.filter(([, , isLeftOut]) => isLeftOut !== 't').map(readWaiting),
      leftOut: new Map(leftOut.map(([id, symbol]) => [symbol!, Number(id)])),
    }
  }

  /** Ends a signal; one that failed is told to its owner by the same statement. */
  async finish({ id }: WaitingSignal, userId: number, { status, reason }: SignalOutcome): Promise<void> {
    const isTold = status === 'FAILED' && this.#audience?.hears(userId) === true
    // An exchange may have said what no text of the database can hold.
    const values = [id, status, reason === null ? null : storable(reason)]
    try {
      await (isTold ? this.#finishAndTell : this.#finish)(values)
    } catch (error) {
      if (!isDataRefused(error)) throw error
      // What is said of its end must not keep it from ending.
      await this.#finish([id, status, 'The reason could not be stored.'])
    }
    if (isTold) this.#audience?.onTold()
  }

  /** Orders of a signal of which it is not known what becomes of them. */
  async unsettled({ id }: WaitingSignal): Promise<{ clientOrderId: string; status: OrderStatus }[]> {
    const rows = await this.#unsettled([id])
    return rows.map(([clientOrderId, status]) => ({
      clientOrderId: clientOrderId!,
      status: status as OrderStatus,
    }))
  }

  /** Ends signals of bots that are gone. */
  async endOrphans(): Promise<void> {
    await this.#endOrphans([])
  }

  /** Bots with signals that wait although no other living node could be at them. */
  async unattended(): Promise<number[]> {
    return (await this.#unattended([this.#node.id])).map(([id]) => Number(id))
  }
}

async function one(rows: Promise<(string | null)[][]>): Promise<HeldBot | undefined> {
  const [row] = await rows
  return row === undefined ? undefined : (JSON.parse(row[0]!) as HeldBot)
}
