/** The statements of a transaction that queues closes of the positions of a bot. */
import type { Protection, ProtectionState, SignalOrigin } from '../../db/schema.ts'
import type { Position } from '../../trading/types.ts'
import type { ProtectionRow } from './rows.ts'

/** $1: the bot. The lock that every order and every fill takes. */
export const lockSql = 'select user_id from bots where id = $1::bigint for update'

/** A leg of a position that rests, or may rest, at the exchange. Prices and sizes without trailing zeros. */
export type LiveLeg = {
  target: number | null
  ocoTarget: number | null
  status: 'PLANNED' | 'UNKNOWN' | 'OPEN'
  price: string
  size: string
}

/** What the database has of a protected position. Times in Unix milliseconds, decimals without trailing zeros. */
export type LockedExit = Pick<ProtectionRow, 'stopReason' | 'targetsPassed' | 'attempts'> & {
  symbol: string
  openedAt: number
  openedSize: string
  settings: Protection
  state: ProtectionState
  bestPrice: string | null
  stopPrice: string | null
  retryAt: number | null
  /** `null`: the bot never had a position in the symbol. */
  held: Position | null
  /** The last close that the protection queued. */
  last: { status: string; origin: SignalOrigin | null } | null
  legs: LiveLeg[]
}

const ms = (column: string) => `round(extract(epoch from ${column}) * 1000)`
const exact = (column: string) => `trim_scale(${column})::text`

/**
 * Locks protections of a bot, and reads what they protect. $1: the bot, $2: a list of symbols and generations. What the
 * caller has locked before decides which rows it finds, so it is a statement of its own.
 */
const readSql = (orSkip: string) => `
select json_build_object('symbol', p.symbol, 'openedAt', ${ms('p.opened_at')}, 'openedSize', ${exact('p.opened_size')},
  'settings', p.settings, 'state', p.state, 'bestPrice', ${exact('p.best_price')}, 'stopPrice', ${exact('p.stop_price')},
  'stopReason', p.stop_reason, 'targetsPassed', p.targets_passed, 'attempts', p.attempts, 'retryAt', ${ms('p.retry_at')},
  'held', (
    select json_build_object('side', q.side, 'size', ${exact('q.size')}, 'entryPrice', ${exact('q.entry_price')},
      'realised', ${exact('q.realised')}, 'fees', ${exact('q.fees')}, 'openedAt', ${ms('q.opened_at')},
      'lastLossAt', ${ms('q.last_loss_at')})
    from positions q where q.bot_id = p.bot_id and q.symbol = p.symbol),
  'last', (
    select json_build_object('status', w.status, 'origin', s.origin)
    from bot_signals w join signals s on s.id = w.signal_id where w.id = p.close_id),
  'legs', (
    select coalesce(json_agg(json_build_object('target', l.target, 'ocoTarget', l.oco_target, 'status', l.status,
      'price', ${exact('l.price')}, 'size', ${exact('l.size')})), '[]')
    from protection_legs l
    where l.bot_id = p.bot_id and l.symbol = p.symbol and l.opened_at = p.opened_at
      and l.status in ('PLANNED', 'UNKNOWN', 'OPEN')))
from json_to_recordset($2::json) as t(symbol text, generation integer)
join position_protections p on p.bot_id = $1::bigint and p.symbol = t.symbol and p.generation = t.generation
for update of p${orSkip}`

export const readOneSql = readSql('')
/** Two transactions that lock several must not wait for each other, so this one leaves out those that are locked. */
export const readSeveralSql = readSql(' skip locked')

/** A close to be stored, and what becomes of the protection that wants it. */
export type ExitRow = {
  symbol: string
  origin: string
  options: object
  price: number | null
  state: ProtectionState
  best: string | null
  stop: string | null
  reason: string | null
  passed: number
  attempts: number
  retry_at: string
}

/**
 * Stores closes of different positions, each as a signal of the bot. $1: the bot, $2: its owner, $3: the time, $4: a list
 * of `ExitRow`s. @returns symbol, id of the signal, id in the list of the bot
 */
export const writeSql = `
with wanted as materialized (
  select * from json_to_recordset($4::json) as t(symbol text, origin text, options jsonb, price double precision,
    state text, best numeric, stop numeric, reason text, passed integer, attempts integer, retry_at timestamptz)
), stored as (
  insert into signals (user_id, origin, action, symbols, options, created_at, price, delivered)
  select $2::bigint, origin, 'EXIT', jsonb_build_array(symbol), options, $3::timestamptz, price, true from wanted
  returning id, symbols ->> 0 as symbol
), closes as (
  insert into bot_signals (bot_id, user_id, signal_id, symbol, status, queued_at)
  select $1::bigint, $2::bigint, id, symbol, 'QUEUED', $3::timestamptz from stored
  returning id, signal_id, symbol
), marked as (
  update position_protections p set best_price = w.best, stop_price = w.stop, stop_reason = w.reason,
    targets_passed = w.passed, close_id = c.id, missed_price = null, attempts = w.attempts, updated_at = now(),
    state = w.state, retry_at = w.retry_at
  from closes c join wanted w on w.symbol = c.symbol
  where p.bot_id = $1::bigint and p.symbol = c.symbol
)
select symbol, signal_id, id from closes`
