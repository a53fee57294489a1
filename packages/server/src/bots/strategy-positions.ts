import type { BotPosition } from '@tickwright/sandbox'
import { decimal, plain } from '../base/decimals.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { flatPosition, unrealised } from '../trading/ledger.ts'
import type { PriceLookUp } from './valuation.ts'

/** An answer has at most as many positions, and reads at most as many bots. */
const mostPositions = 200
const mostBots = 200
/** Signals of each bot in which the latest one of a symbol is looked for. */
const latestSignals = 200

/** The symbol in the spelling that signals and books have in common. */
const bare = (symbol: string) =>
  `upper(regexp_replace(split_part(${symbol}, ':', 1), '[^[:alnum:]]', '', 'g'))`

const signalsOf = (where: string, order: string) => `
  (select w.id, w.symbol, w.signal_id, w.status, w.reason, w.queued_at from bot_signals w
   where w.bot_id = o.id and ${where} order by ${order} limit ${latestSignals})`

/**
 * Positions, and after them flat symbols with a signal in progress. Signals and books may spell a symbol differently. A bot may have
 * a hundred thousand signals, so only its latest ones and those in progress are read.
 */
const positionsSql = `
with own as (
  select b.id, b.name, b.mode, b.exchange_id
  from strategies s join bots b on b.user_id = s.user_id and b.webhook_id = s.webhook_id
  where s.id = $1::bigint
  order by b.id limit ${mostBots}
), latest as (
  select distinct on (o.id, n.name) o.id as bot_id, n.name, r.*
  from own o
  cross join lateral (
    ${signalsOf('true', 'w.id desc')}
    union ${signalsOf(`w.status in ('QUEUED', 'WORKING', 'CLOSING')`, 'w.symbol, w.id')}
    union ${signalsOf(`w.status = 'WAITING'`, 'w.id desc')}
    union ${signalsOf(`w.status = 'DELAYED'`, 'w.symbol, w.id')}
  ) r
  cross join lateral (select ${bare('r.symbol')} as name) n
  order by o.id, n.name, r.id desc
), held as (
  select p.bot_id, p.symbol, p.side, p.size, p.entry_price, ${bare('p.symbol')} as name
  from own o join positions p on p.bot_id = o.id
  where p.side is not null
)
select json_build_object('id', o.id, 'name', o.name, 'mode', o.mode, 'exchangeId', o.exchange_id,
  'symbol', coalesce(h.symbol, l.symbol), 'side', h.side, 'size', h.size::text, 'entryPrice', h.entry_price::text,
  'signal', case when s.id is not null then json_build_object('action', s.action, 'status', l.status,
    'reason', l.reason, 'at', round(extract(epoch from l.queued_at) * 1000)) end)
from held h
full join latest l on l.bot_id = h.bot_id and l.name = h.name
join own o on o.id = coalesce(h.bot_id, l.bot_id)
left join signals s on s.id = l.signal_id
where h.symbol is not null or l.status in ('DELAYED', 'QUEUED', 'WORKING', 'CLOSING', 'WAITING')
order by h.symbol is null, o.id, coalesce(h.symbol, l.symbol) limit ${mostPositions}`

type Row = {
  id: number
  name: string
  mode: 'paper' | 'live'
  exchangeId: number
  symbol: string
  side: 'long' | 'short' | null
  size: string | null
  entryPrice: string | null
  signal: BotPosition['signal']
}

/** What `$.Strategy.positions()` answers. */
export class StrategyPositions {
  #prices: PriceLookUp
  #positions: PreparedStatement

  constructor(database: Database, prices: PriceLookUp) {
    this.#prices = prices
    this.#positions = database.prepare('positions_of_strategy', positionsSql)
  }

  /** For the bots of the strategy's owner that follow its bot webhook; empty for a strategy that has none. */
  async of(strategyId: number): Promise<BotPosition[]> {
    const rows = await this.#positions([strategyId])
    return rows.map(([json]) => this.#present(JSON.parse(json!) as Row))
  }

  #present({ id, name, mode, exchangeId, symbol, side, size, entryPrice, signal }: Row): BotPosition {
    const bot = { id, name, mode }
    if (side === null || size === null) {
      return { bot, symbol, side: null, size: 0, entryPrice: null, unrealised: 0, signal }
    }
    const price = this.#prices.latest({ exchangeId, priceSymbol: symbol })
    const at = (now: number) =>
      Number(unrealised({ ...flatPosition(), side, size, entryPrice }, plain(decimal(String(now)))))
    return {
      ...{ bot, symbol, side, size: Number(size) },
      entryPrice: entryPrice === null ? null : Number(entryPrice),
      unrealised: price === null ? null : at(price),
      signal,
    }
  }
}
