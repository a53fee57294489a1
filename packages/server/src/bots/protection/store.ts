import type { Database, PreparedStatement } from '../../db/database.ts'
import type { Protection, ProtectionState } from '../../db/schema.ts'
import type { PaperRules } from '../../trading/paper-rules.ts'
import type { Marks, Protected } from '../../trading/protection/plan.ts'
import type { ProtectionRow } from './rows.ts'

/** A protected position, as it was last read. */
export type WatchedPosition = {
  botId: number
  symbol: string
  userId: number
  exchangeId: number
  generation: number
  /** What replaces the rules of the market on paper; `null`: nothing. */
  rules: PaperRules | null
  state: ProtectionState
  settings: Protection
  position: Protected
  marks: Marks
  /** The numbers of the targets for which an order rests, or may rest, at the exchange. */
  kept: number[]
  /** See the column. In Unix milliseconds. */
  missedSince: number | null
}

/** Marks that a node has computed, to be stored. */
export type NewMarks = Pick<WatchedPosition, 'botId' | 'symbol' | 'generation' | 'marks' | 'position'>

const readSql = `
select p.bot_id || ' ' || p.symbol, json_build_object('botId', p.bot_id, 'symbol', p.symbol, 'userId', b.user_id, 'exchangeId', b.exchange_id,
  'generation', p.generation, 'state', p.state, 'settings', p.settings,
  'rules', case b.mode when 'paper' then json_build_object('sizeStep', b.settings->'sizeStep',
    'minSize', b.settings->'minSize', 'minNotional', b.settings->'minNotional') end,
  'position', json_build_object('side', q.side, 'size', trim_scale(q.size)::text,
    'entryPrice', trim_scale(q.entry_price)::text, 'openedSize', trim_scale(p.opened_size)::text,
    'openedAt', round(extract(epoch from p.opened_at) * 1000)),
  'bestPrice', trim_scale(p.best_price)::text, 'stopPrice', trim_scale(p.stop_price)::text,
  'stopReason', p.stop_reason, 'targetsPassed', p.targets_passed,
  'kept', (select coalesce(json_agg(coalesce(l.target, l.oco_target) order by coalesce(l.target, l.oco_target)), '[]') from protection_legs l
    where l.bot_id = p.bot_id and l.symbol = p.symbol and l.opened_at = p.opened_at
      and coalesce(l.target, l.oco_target) is not null
      and l.status in ('PLANNED', 'UNKNOWN', 'OPEN')),
  'missedSince', round(extract(epoch from p.missed_since) * 1000))
from position_protections p
join positions q on q.bot_id = p.bot_id and q.symbol = p.symbol and q.opened_at = p.opened_at
join bots b on b.id = p.bot_id
where q.side is not null and p.state <> 'CALLED_OFF'`

const isBetterSql = `(p.stop_price is null
  or (q.side = 'long' and t.stop > p.stop_price) or (q.side = 'short' and t.stop < p.stop_price))`

/** Marks only ever move one way, so it does not matter which node stores its own last. */
const saveSql = `
update position_protections p set updated_at = now(),
  best_price = case q.side when 'long' then greatest(p.best_price, t.best) else least(p.best_price, t.best) end,
  stop_reason = case when ${isBetterSql} then t.reason else p.stop_reason end,
  stop_price = case when ${isBetterSql} then t.stop else p.stop_price end,
  targets_passed = greatest(p.targets_passed, t.passed)
from json_to_recordset($1::json) as t(bot_id bigint, symbol text, generation integer, opened_at double precision,
  best numeric, stop numeric, reason text, passed integer), positions q
where p.bot_id = t.bot_id and p.symbol = t.symbol and p.generation = t.generation
  and p.opened_at = to_timestamp(t.opened_at / 1000.0)
  and q.bot_id = p.bot_id and q.symbol = p.symbol`

/** A pause of at most a minute needs no candles: they are of minutes. */
const markMissedSql = `
update position_protections p
set missed_since = greatest(w.watched_until, p.opened_at)
from protection_watch w, bots b
where w.id = 1 and greatest(w.watched_until, p.opened_at) < now() - interval '60 seconds'
  and b.id = p.bot_id and b.mode = 'paper' and p.state = 'WATCHED' and p.missed_since is null`

const watchedNowSql = `
insert into protection_watch (id, watched_until) values (1, now())
on conflict (id) do update set watched_until = excluded.watched_until`

type ReadRow = Omit<WatchedPosition, 'marks'> & {
  bestPrice: string | null
  stopPrice: string | null
  stopReason: ProtectionRow['stopReason']
  targetsPassed: number
}

/** The protections of all positions, in the database. */
export class ProtectionStore {
  #read: PreparedStatement
  #save: PreparedStatement
  #markMissed: PreparedStatement
  #watchedNow: PreparedStatement

  constructor(database: Database) {
    this.#read = database.prepare('watched_positions', readSql)
    this.#save = database.prepare('save_marks', saveSql)
    this.#markMissed = database.prepare('mark_missed', markMissedSql)
    this.#watchedNow = database.prepare('watched_now', watchedNowSql)
  }

  /** All open positions that are protected, of every bot, also if it is switched off, by bot and symbol. */
  async watched(): Promise<Map<string, WatchedText>> {
    const rows = await this.#read([])
    return new Map(rows.map(([key, text]) => [key!, text as WatchedText]))
  }

  /** Notes which paper positions nobody has watched for a while. Call it before {@link watchedNow}. */
  async markMissed(): Promise<void> {
    await this.#markMissed([])
  }

  /** Notes that prices are watched now, so that the next start knows since when they were not. */
  async watchedNow(): Promise<void> {
    await this.#watchedNow([])
  }

  async save(all: readonly NewMarks[]): Promise<void> {
    if (all.length === 0) return
    const rows = all.map(({ botId, symbol, generation, marks, position }) => ({
      ...{ bot_id: botId, symbol, generation, opened_at: position.openedAt },
      ...{ best: marks.bestPrice, stop: marks.stop?.price ?? null, reason: marks.stop?.reason ?? null },
      passed: marks.targetsPassed,
    }))
    await this.#save([JSON.stringify(rows)])
  }
}

/** A position, as the text in which the database writes it: it is the same as long as nothing has changed. */
export type WatchedText = string & { readonly watched: unique symbol }

export function readWatched(text: WatchedText): WatchedPosition {
  return toWatched(JSON.parse(text) as ReadRow)
}

function toWatched({ bestPrice, stopPrice, stopReason, targetsPassed, ...row }: ReadRow): WatchedPosition {
  const stop = stopPrice === null || stopReason === null ? null : { price: stopPrice, reason: stopReason }
  return { ...row, marks: { bestPrice, stop, targetsPassed } }
}
