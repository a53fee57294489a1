import { type Static, Type } from 'typebox'
import { decimal, plain } from '../../base/decimals.ts'
import { readableMoney, readablePrice } from '../../base/readable.ts'
import { signalOrigins } from '../../db/schema.ts'
import { averageOf, type Move, mostMoves, type Trade } from '../../trading/statistics/trades.ts'
import { quoteOf } from '../../trading/symbols.ts'
import { DemoOrNull } from '../demo.ts'
import type { WholeTrade } from './trades.ts'

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
const nullableId = (description?: string) =>
  Type.Union([Type.Integer(), Type.Null()], description === undefined ? {} : { description })
const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const money = (description: string) => Type.String({ description })

const Origin = Type.Union([Type.Enum([...signalOrigins]), Type.Null()], {
  description:
    'What closed with it: the owner of the bot, its limits, or the protection of the position, with the reason; null for signals of strategies and webhooks, and for fills without an order.',
})

const MoveRecord = Type.Object({
  kind: Type.Enum(['order', 'external', 'liquidation', 'adl', 'adopted'], {
    description: 'As for fills. `order`: an order of the bot.',
  }),
  order_id: nullableId(),
  signal_id: nullableId('The signal that the bot placed the order for.'),
  origin: Origin,
  at: Timestamp,
})

/** A trade as the API shows it. */
export const TradeRecord = Type.Object({
  id: Type.Integer({ description: 'The id of its first fill.' }),
  bot_id: Type.Integer(),
  demo: DemoOrNull,
  symbol: Type.String(),
  currency: nullableText('The quote currency of the symbol, which all amounts of money are in.'),
  side: Type.Enum(['long', 'short']),
  status: Type.Enum(['open', 'closed']),
  quantity: Type.String({ description: 'Everything that entered, in base currency.' }),
  open_quantity: Type.String({
    description: 'What is still held. If the trade is closed, it is dust, which the next trade takes over.',
  }),
  entry_price: nullableText('The average price of everything that entered; `null` if nothing did.'),
  exit_price: nullableText('The average price of everything that left; `null` if nothing did.'),
  opened_at: Timestamp,
  closed_at: Type.Union([Timestamp, Type.Null()]),
  duration_seconds: Type.Union([Type.Number(), Type.Null()], {
    description: 'From `opened_at` to `closed_at`; `null` while it is open.',
  }),
  profit_before_costs: money('What the trade has realised so far, before fees and funding.'),
  fees: money('In quote currency.'),
  uncounted_fees: Type.Record(Type.String(), Type.String(), {
    description: 'Fees in assets without a known price, by asset. `fees` and `realised` do not include them.',
  }),
  funding: money('Its funding payments. Negative if the bot paid.'),
  realised: money('What the trade has realised so far, after fees and with funding.'),
  price: nullableText('Of an open trade: the current price; `null` if there is none.'),
  unrealised: nullableText('Of an open trade: what closing at `price` would realise, before fees.'),
  entries: Type.Array(MoveRecord, {
    description: `The orders, and fills without an order, that opened it and added to it: the first ${mostMoves}.`,
  }),
  entry_count: Type.Integer(),
  exits: Type.Array(MoveRecord, {
    description: `The orders, and fills without an order, that reduced and closed it: the last ${mostMoves}.`,
  }),
  exit_count: Type.Integer(),
  origin: Type.Union([Type.Enum([...signalOrigins]), Type.Null()], {
    description: '`origin` of the exit that closed the trade; null while it is open.',
  }),
  unprotected_seconds: Type.Union([Type.Number(), Type.Null()], {
    description:
      'For how long its position had no stop at the exchange, although the service keeps stops there; `null` where it only watches.',
  }),
})

/**
 * A trade, whether its bot has a demo account (`null`: the bot is deleted), and the current price of its symbol (`null`:
 * there is none, or the trade is closed).
 */
export type ShownTrade = WholeTrade & { isDemo: boolean | null; price: string | null }

export function presentTrade(shown: ShownTrade): Static<typeof TradeRecord> {
  const { botId, isDemo, trade, funding, realised, unprotectedMs, signals, price } = shown
  const { openedAt, closedAt, entered, exited } = trade
  const entry = averageOf(trade.entryValue, entered)
  const exit = averageOf(trade.exitValue, exited)
  const moves = (all: readonly Move[]) => all.map((move) => presentMove(move, signals))
  return {
    id: trade.id,
    bot_id: botId,
    demo: isDemo,
    symbol: trade.symbol,
    currency: quoteOf(trade.symbol),
    side: trade.side,
    status: closedAt === null ? 'open' : 'closed',
    quantity: plain(entered),
    open_quantity: plain(trade.rest),
    entry_price: entry && readablePrice(entry),
    exit_price: exit && readablePrice(exit),
    opened_at: new Date(openedAt).toISOString(),
    closed_at: closedAt === null ? null : new Date(closedAt).toISOString(),
    // The times of an exchange need not increase.
    duration_seconds: closedAt === null ? null : Math.max(0, closedAt - openedAt) / 1000,
    profit_before_costs: readableMoney(trade.gross),
    fees: readableMoney(trade.fees),
    uncounted_fees: Object.fromEntries([...trade.uncounted].map(([asset, fee]) => [asset, plain(fee)])),
    funding: readableMoney(funding),
    realised: readableMoney(realised),
    price,
    unrealised: price === null ? null : gainOf(trade, price),
    entries: moves(trade.entries),
    entry_count: trade.entryCount,
    exits: moves(trade.exits),
    exit_count: trade.exitCount,
    origin: closedAt === null ? null : (moves(trade.exits).at(-1)?.origin ?? null),
    unprotected_seconds: unprotectedMs === null ? null : unprotectedMs / 1_000,
  }
}

function presentMove({ kind, orderId, at }: Move, signals: WholeTrade['signals']): Static<typeof MoveRecord> {
  const { signalId = null, origin = null } = (orderId !== null && signals.get(orderId)) || {}
  return { kind, order_id: orderId, signal_id: signalId, origin, at: new Date(at).toISOString() }
}

function gainOf({ side, rest, restCost }: Trade, price: string): string {
  const gain = rest.times(decimal(price)).minus(restCost)
  return readableMoney(side === 'long' ? gain : gain.neg())
}
