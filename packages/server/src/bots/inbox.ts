import type { Database, PreparedStatement } from '../db/database.ts'
import type { BotSettings, SignalOptions } from '../db/schema.ts'
import { isDeadSql, type Node } from '../runs/node.ts'
import type { SignalOutcome } from '../trading/follow-signal.ts'
import type { Action } from '../trading/types.ts'

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

/** A signal that waits for a bot, or that the bot has begun with. `at` is in Unix ms. */
export type WaitingSignal = {
  id: number
  hasBegun: boolean
  symbol: string
  action: Action
  /** What the sender saw, in quote currency. */
  price: string | null
  options: SignalOptions
  at: number
}

const holderIsDead = isDeadSql('b.holder')

const botColumns = `json_build_object('id', b.id, 'userId', b.user_id, 'version', b.version,
  'isActive', b.status = 'ACTIVE', 'mode', b.mode, 'exchangeId', b.exchange_id, 'connectionId', b.connection_id,
  'settings', b.settings)`

const claimSql = `
update bots b set holder = $2::uuid
where b.id = $1::bigint and (b.holder is null or b.holder = $2::uuid or ${holderIsDead})
returning ${botColumns}`

const readSql = `select ${botColumns} from bots b where b.id = $1::bigint and b.holder = $2::uuid`

const waitingSql = `
select json_build_object('id', w.id, 'hasBegun', w.status = 'WORKING', 'symbol', w.symbol, 'action', s.action,
  'price', s.price::text, 'options', s.options, 'at', round(extract(epoch from s.created_at) * 1000))
from bot_signals w join signals s on s.id = w.signal_id
where w.bot_id = $1::bigint and w.status in ('QUEUED', 'WORKING') and w.id <> all($2::bigint[])
order by w.id
limit 200`

const finishSql = `
update bot_signals set status = $2, reason = $3, finished_at = clock_timestamp()
where id = $1::bigint and status in ('QUEUED', 'WORKING')`

const unattendedSql = `
select distinct w.bot_id from bot_signals w join bots b on b.id = w.bot_id
where w.status in ('QUEUED', 'WORKING') and (b.holder is null or b.holder = $1::uuid or ${holderIsDead})
limit 1000`

/** Stored by a statement that did not see yet that the bot was being deleted. */
const endOrphansSql = `
update bot_signals w set status = 'IGNORED', reason = 'The bot was deleted before its turn came.',
  finished_at = clock_timestamp()
where w.status = 'QUEUED' and not exists (select from bots b where b.id = w.bot_id)`

/** What waits for bots, and which node is at it: a bot is held by one node at a time. */
export class Inbox {
  #node: Node
  #claim: PreparedStatement
  #read: PreparedStatement
  #release: PreparedStatement
  #releaseAll: PreparedStatement
  #waiting: PreparedStatement
  #finish: PreparedStatement
  #unattended: PreparedStatement
  #endOrphans: PreparedStatement

  constructor(database: Database, node: Node) {
    this.#node = node
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

  /** In the order in which they came, up to 200, but for some. */
  async waiting(botId: number, except: Iterable<number>): Promise<WaitingSignal[]> {
    const rows = await this.#waiting([botId, `{${[...except].join(',')}}`])
    return rows.map(([text]) => JSON.parse(text!) as WaitingSignal)
  }

  async finish(botSignalId: number, { status, reason }: SignalOutcome): Promise<void> {
    await this.#finish([botSignalId, status, reason])
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
