import { type Static, Type } from 'typebox'
import { decimal } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  Id,
  IdParameter,
  ListOf,
  Moment,
  Nullable,
  PageQuery,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { isCalculated } from '../trading/trade-ids.ts'
import type { Bots } from './bots.ts'
import { type EquityPoint, mostPoints, type Span } from './equity-curve.ts'
import { readMoment } from './moments.ts'
import { presentOrder } from './order-record.ts'
import { PositionRecord, presentPosition } from './position-record.ts'
import type { BotSignal, Fill, RecordFilter, Records } from './records.ts'
import { asMoney, asPrice, exactly } from './shown-figures.ts'

const OrderStatus = Type.Enum(['PLANNED', 'OPEN', 'UNKNOWN', 'FILLED', 'CANCELED', 'REJECTED'])
const BotSignalStatus = Type.Enum(['QUEUED', 'WORKING', 'DONE', 'IGNORED', 'REFUSED', 'FAILED'])
const Side = Type.Enum(['buy', 'sell'])
const OptionalMoment = (description: string) => Type.Optional(Moment(description))

const filters = {
  ...PageQuery.properties,
  symbol: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      // No text in the database has a NUL.
      pattern: '^[^\\u0000]*$',
      description: 'In any case, with or without separators: `btcusdt` finds `BTC/USDT:USDT`.',
    }),
  ),
  since: OptionalMoment('Records from this moment on.'),
}
const ofBot = { ...filters, bot_id: Type.Optional(Id) }

const PositionQuery = Type.Object({
  ...ofBot,
  all: Type.Optional(Type.Boolean({ description: 'Closed ones too.' })),
})
const OrderQuery = Type.Object({ ...ofBot, status: Type.Optional(OrderStatus) })
const FillQuery = Type.Object({ ...ofBot, order_id: Type.Optional(Id) })
const BotSignalQuery = Type.Object({ ...filters, status: Type.Optional(BotSignalStatus) })
const SpanQuery = Type.Object({
  since: OptionalMoment('From this moment on.'),
  until: OptionalMoment('Up to this moment.'),
})

const OrderRecord = Type.Object({
  id: Type.Integer(),
  bot_id: Type.Integer(),
  signal_id: Nullable(Type.Integer({ description: 'The signal that it came of.' })),
  client_order_id: Type.String({ description: 'What the exchange was told to call it.' }),
  exchange_order_id: Nullable(Type.String()),
  symbol: Type.String(),
  side: Side,
  purpose: Type.Enum(['open', 'close']),
  reduce_only: Type.Boolean(),
  size: Type.String({ description: 'In base currency.' }),
  filled_size: Type.String(),
  average_price: Nullable(Type.String({ description: 'Of its fills, in quote currency.' })),
  status: OrderStatus,
  reason: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const FillRecord = Type.Object({
  id: Type.Integer(),
  order_id: Type.Integer(),
  bot_id: Type.Integer(),
  trade_id: Type.String({ description: "The exchange's own id of it." }),
  symbol: Type.String(),
  side: Side,
  size: Type.String({ description: 'In base currency.' }),
  price: Type.String({ description: 'In quote currency.' }),
  fee: Type.String({ description: 'Below 0 where the exchange paid it.' }),
  fee_asset: Type.String(),
  realised: Type.String({ description: 'By this fill, after its fee, in quote currency.' }),
  filled_at: Timestamp,
})

const BotSignalRecord = Type.Object({
  id: Type.Integer(),
  bot_id: Type.Integer(),
  signal_id: Type.Integer(),
  action: Nullable(Type.Enum(['LONG', 'SHORT', 'EXIT'])),
  symbol: Type.String(),
  status: BotSignalStatus,
  reason: Nullable(Type.String({ description: 'Why it was refused, ignored or failed.' })),
  queued_at: Timestamp,
  finished_at: Nullable(Timestamp),
})

const PointRecord = Type.Object({
  at: Timestamp,
  balance: Type.String(),
  unrealised: Type.String(),
  equity: Type.String({ description: 'Balance and unrealised profit.' }),
})

const trading = { tags: ['Orders and positions'], security: signedRequest }
const ofOneBot = { tags: ['Signal bots'], security: signedRequest }

/** What all bots of a user hold and did. */
export function recordRoutes(records: Records): Routes {
  return (scope) => {
    scope.get(
      '/position',
      {
        schema: {
          ...trading,
          summary: 'List your open positions, the one that changed last first',
          querystring: PositionQuery,
          response: { 200: ListOf(PositionRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const filter = { ...readFilter(query), all: query.all ?? false }
        return answerPage(query, {
          list: async (window) => (await records.positions(userId, filter, window)).map(presentPosition),
          count: () => records.countPositions(userId, filter),
        })
      },
    )

    scope.get(
      '/order',
      {
        schema: {
          ...trading,
          summary: 'List the orders of your bots, the newest first',
          querystring: OrderQuery,
          response: { 200: ListOf(OrderRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const { status } = query
        const filter = { ...readFilter(query), ...(status === undefined ? {} : { status }) }
        return answerPage(query, {
          list: async (window) => (await records.orders(userId, filter, window)).map(presentOrder),
          count: () => records.countOrders(userId, filter),
        })
      },
    )

    scope.get(
      '/fill',
      {
        schema: {
          ...trading,
          summary: 'List the fills of your bots, the newest first',
          querystring: FillQuery,
          response: { 200: ListOf(FillRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const { order_id: orderId } = query
        const filter = { ...readFilter(query), ...(orderId === undefined ? {} : { orderId }) }
        return answerPage(query, {
          list: async (window) => (await records.fills(userId, filter, window)).map(presentFill),
          count: () => records.countFills(userId, filter),
        })
      },
    )
  }
}

/** What became of the signals of one bot, and of its money. */
export function botRecordRoutes(bots: Bots, records: Records): Routes {
  return (scope) => {
    scope.get(
      '/bot/signal/cex/:id/signals',
      {
        schema: {
          ...ofOneBot,
          summary: 'List what became of the signals of a signal bot, the newest first',
          params: IdParameter,
          querystring: BotSignalQuery,
          response: { 200: ListOf(BotSignalRecord), ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal: { userId }, params, query }) => {
        await bots.need(userId, params.id)
        const { status } = query
        const narrowed = { ...readFilter(query), ...(status === undefined ? {} : { status }) }
        const filter = { ...narrowed, botId: params.id }
        return answerPage(query, {
          list: async (window) => (await records.botSignals(userId, filter, window)).map(presentBotSignal),
          count: () => records.countBotSignals(userId, filter),
        })
      },
    )

    scope.get(
      '/bot/signal/cex/:id/equity',
      {
        schema: {
          ...ofOneBot,
          summary: 'The balance and equity of a signal bot over time, the oldest first',
          description: `After each fill; where there are more than ${mostPoints}, at moments evenly spread.`,
          params: IdParameter,
          querystring: SpanQuery,
          response: { 200: Type.Array(PointRecord), ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params, query }) => {
        const span: Span = {}
        if (query.since !== undefined) span.since = readMoment('since', query.since)
        if (query.until !== undefined) span.until = readMoment('until', query.until)
        await bots.need(principal.userId, params.id)
        return (await records.equity(params.id, span)).map(presentPoint)
      },
    )
  }
}

type FilterQuery = { bot_id?: number; symbol?: string; since?: string }

function readFilter({ bot_id, symbol, since }: FilterQuery): RecordFilter {
  const filter: RecordFilter = {}
  if (bot_id !== undefined) filter.botId = bot_id
  if (symbol !== undefined) filter.symbol = symbol
  if (since !== undefined) filter.since = readMoment('since', since)
  return filter
}

/** The price and the fee that an exchange gave stay exact, so that they match the exchange's own statement. */
function presentFill(fill: Fill): Static<typeof FillRecord> {
  const isOurs = isCalculated(fill.tradeId)
  return {
    id: fill.id,
    order_id: fill.orderId,
    bot_id: fill.botId,
    trade_id: fill.tradeId,
    symbol: fill.symbol,
    side: fill.side,
    size: exactly(fill.size),
    price: isOurs ? asPrice(fill.price) : exactly(fill.price),
    fee: isOurs ? asMoney(fill.fee) : exactly(fill.fee),
    fee_asset: fill.feeAsset,
    realised: asMoney(fill.realised),
    filled_at: fill.filledAt.toISOString(),
  }
}

function presentBotSignal(signal: BotSignal): Static<typeof BotSignalRecord> {
  return {
    id: signal.id,
    bot_id: signal.botId,
    signal_id: signal.signalId,
    action: signal.action,
    symbol: signal.symbol,
    status: signal.status,
    reason: signal.reason,
    queued_at: signal.queuedAt.toISOString(),
    finished_at: signal.finishedAt?.toISOString() ?? null,
  }
}

function presentPoint({ at, balance, unrealised }: EquityPoint): Static<typeof PointRecord> {
  return {
    at: at.toISOString(),
    balance: asMoney(balance),
    unrealised: asMoney(unrealised),
    equity: readableMoney(decimal(balance).plus(decimal(unrealised))),
  }
}
