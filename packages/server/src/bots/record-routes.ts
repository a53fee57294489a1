import { type Static, Type } from 'typebox'
import { decimal } from '../base/decimals.ts'
import { given } from '../base/given.ts'
import { readableMoney } from '../base/readable.ts'
import { signalOrigins } from '../db/schema.ts'
import { signedRequest } from '../http/authentication.ts'
import { eventsRoute, listRoute } from '../http/crud.ts'
import { readMoment } from '../http/moments.ts'
import { answerEvents } from '../http/paging.ts'
import { EventsOf, errorResponses, Id, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { BotSignalStatus } from '../signals/schemas.ts'
import { isCalculated } from '../trading/trade-ids.ts'
import { BotSignalRecord, presentBotSignal } from './bot-signal-record-routes.ts'
import type { Bots } from './bots.ts'
import { DemoOrNull } from './demo.ts'
import { type EquityPoint, mostPoints } from './equity-curve.ts'
import { presentOrder } from './order-record.ts'
import { PositionRecord, presentPosition } from './position-record.ts'
import { eventFilters, filters, OptionalMoment, ofBot, readFilter } from './record-query-routes.ts'
import type { Fill, Records } from './records.ts'
import { RestRecord } from './rest-record.ts'
import { asMoney, asPrice, exactly } from './shown-figures.ts'

const OrderStatus = Type.Enum(['PLANNED', 'OPEN', 'UNKNOWN', 'FILLED', 'CANCELED', 'REJECTED'])
const FillKind = Type.Enum(['order', 'external', 'liquidation', 'adl', 'adopted'], {
  description:
    '`order`: a fill of the order of the bot. `external`: the position changed at the exchange, by hand or by another program. `liquidation`, `adl`: the exchange closed it, or the service on paper. `adopted`: you took over the number of the account.',
})
const Side = Type.Enum(['buy', 'sell'])

const PositionQuery = Type.Object({
  ...filters,
  ...ofBot,
  all: Type.Optional(Type.Boolean({ description: '`true` includes closed positions.' })),
})
const OrderQuery = Type.Object({ ...eventFilters, ...ofBot, status: Type.Optional(OrderStatus) })
const FillQuery = Type.Object({ ...eventFilters, ...ofBot, order_id: Type.Optional(Id) })
const BotSignalQuery = Type.Object({ ...eventFilters, status: Type.Optional(BotSignalStatus) })
const SpanQuery = Type.Object({
  since: OptionalMoment('Only points from this time or later.'),
  until: OptionalMoment('Only points from this time or earlier.'),
})

const OrderRecord = Type.Object({
  id: Type.Integer(),
  bot_id: Type.Integer(),
  demo: DemoOrNull,
  signal_id: Nullable(Type.Integer({ description: 'The signal that the bot placed the order for.' })),
  origin: Nullable(
    Type.Enum([...signalOrigins], {
      description:
        'Who closed with it: the owner of the bot, its limits, or the protection of the position, with the reason; null for signals of strategies and webhooks.',
    }),
  ),
  client_order_id: Type.String({ description: 'The id that the bot gave the order before it sent it.' }),
  exchange_order_id: Nullable(Type.String({ description: 'The id that the exchange gave the order.' })),
  symbol: Type.String(),
  side: Side,
  purpose: Type.Enum(['open', 'close']),
  reduce_only: Type.Boolean(),
  type: Type.Enum(['market', 'limit', 'post_only']),
  limit_price: Nullable(Type.String({ description: 'In quote currency; null for a market order.' })),
  size: Type.String({ description: 'In base currency.' }),
  filled_size: Type.String({ description: 'The executed part of `size`, in base currency.' }),
  average_price: Nullable(Type.String({ description: 'The average price of its fills, in quote currency.' })),
  status: OrderStatus,
  reason: Nullable(
    Type.String({ description: 'Why the order was rejected or cancelled, or why its outcome is unknown.' }),
  ),
  rests: Nullable(RestRecord),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const FillRecord = Type.Object({
  id: Type.Integer(),
  order_id: Nullable(Type.Integer({ description: 'The order of the bot; `null` if there was none.' })),
  kind: FillKind,
  bot_id: Type.Integer(),
  demo: DemoOrNull,
  trade_id: Type.String({ description: 'The id that the exchange gave the execution.' }),
  symbol: Type.String(),
  side: Side,
  size: Type.String({ description: 'In base currency.' }),
  price: Type.String({ description: 'In quote currency.' }),
  fee: Type.String({ description: 'In `fee_asset`. A rebate is negative.' }),
  fee_asset: Type.String(),
  realised: Type.String({ description: 'Profit or loss of this fill after its fee, in quote currency.' }),
  filled_at: Timestamp,
})

const PointRecord = Type.Object({
  at: Timestamp,
  balance: Type.String({ description: 'The start balance plus all realised profit, in quote currency.' }),
  unrealised: Type.String({ description: 'The unrealised profit of all open positions, in quote currency.' }),
  equity: Type.String({ description: '`balance` plus `unrealised`.' }),
})

const tags = ['Orders and positions']
const botTags = ['Signal bots']

/** What all bots of a user hold and did. */
export function recordRoutes(records: Records): Routes {
  return (scope) => {
    listPositions(scope, records)
    listOrders(scope, records)
    listFills(scope, records)
  }
}

function listPositions(scope: App, records: Records): void {
  const filterOf = (query: Static<typeof PositionQuery>) => ({
    ...readFilter(query),
    ...(query.all ? { all: true } : {}),
  })
  listRoute(scope, '/position', {
    tags,
    summary: 'List the positions of your bots',
    description: 'Open positions at current prices, the last changed first. `all=true` includes closed ones.',
    item: PositionRecord,
    query: PositionQuery,
    list: async (userId, window, query) =>
      (await records.positions(userId, filterOf(query), window)).map(presentPosition),
    count: (userId, query) => records.countPositions(userId, filterOf(query)),
  })
}

function listOrders(scope: App, records: Records): void {
  const filterOf = (query: Static<typeof OrderQuery>) => {
    const { status } = query
    return { ...readFilter(query), ...given({ status }) }
  }
  eventsRoute(scope, '/order', {
    tags,
    summary: 'List the orders of your bots',
    description: 'The newest first. Orders of deleted bots stay in the list.',
    item: OrderRecord,
    query: OrderQuery,
    list: async (userId, window, query) =>
      (await records.orders(userId, filterOf(query), window)).map(presentOrder),
    count: (userId, query) => records.countOrders(userId, filterOf(query)),
  })
}

function listFills(scope: App, records: Records): void {
  const filterOf = (query: Static<typeof FillQuery>) => {
    const { order_id: orderId } = query
    return { ...readFilter(query), ...given({ orderId }) }
  }
  eventsRoute(scope, '/fill', {
    tags,
    summary: 'List the fills of your bots',
    description:
      'The newest first. An order has one fill for each execution that the exchange reported. Fills of other kinds changed the position without an order of the bot.',
    item: FillRecord,
    query: FillQuery,
    list: async (userId, window, query) =>
      (await records.fills(userId, filterOf(query), window)).map(presentFill),
    count: (userId, query) => records.countFills(userId, filterOf(query)),
  })
}

/** How one bot followed its signals, and its balance over time. */
export function botRecordRoutes(bots: Bots, records: Records): Routes {
  return (scope) => {
    listBotSignals(scope, bots, records)
    readEquityCurve(scope, bots, records)
  }
}

function listBotSignals(scope: App, bots: Bots, records: Records): void {
  scope.get(
    '/bot/signal/cex/:id/signals',
    {
      schema: {
        tags: botTags,
        security: signedRequest,
        summary: 'List the signals of a signal bot with their results',
        description: 'The newest first. `reason` says why a signal was ignored or refused, or why it failed.',
        params: IdParameter,
        querystring: BotSignalQuery,
        response: { 200: EventsOf(BotSignalRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal: { userId }, params, query }) => {
      await bots.checkExists(userId, params.id)
      const { status } = query
      const filter = { ...readFilter(query), ...given({ status }), botId: params.id }
      return answerEvents(query, {
        list: async (window) => (await records.botSignals(userId, filter, window)).map(presentBotSignal),
        count: () => records.countBotSignals(userId, filter),
      })
    },
  )
}

function readEquityCurve(scope: App, bots: Bots, records: Records): void {
  scope.get(
    '/bot/signal/cex/:id/equity',
    {
      schema: {
        tags: botTags,
        security: signedRequest,
        summary: 'Read the balance and equity of a signal bot over time',
        description: `One point after each fill, the oldest first. If there are more than ${mostPoints} points, the response has ${mostPoints} of them, evenly spaced over the period.`,
        params: IdParameter,
        querystring: SpanQuery,
        response: { 200: Type.Array(PointRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params, query }) => {
      // A span that ends before it begins has no points.
      const since = query.since === undefined ? undefined : readMoment('since', query.since)
      const until = query.until === undefined ? undefined : readMoment('until', query.until)
      await bots.checkExists(principal.userId, params.id)
      return (await records.equity(params.id, given({ since, until }))).map(presentPoint)
    },
  )
}

/** The price and the fee that an exchange gave stay exact, so that they match the exchange's own statement. */
export function presentFill(fill: Fill): Static<typeof FillRecord> {
  const isOurs = isCalculated(fill.tradeId)
  return {
    id: fill.id,
    order_id: fill.orderId,
    kind: fill.kind,
    bot_id: fill.botId,
    demo: fill.isDemo,
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

function presentPoint({ at, balance, unrealised }: EquityPoint): Static<typeof PointRecord> {
  return {
    at: at.toISOString(),
    balance: asMoney(balance),
    unrealised: asMoney(unrealised),
    equity: readableMoney(decimal(balance).plus(decimal(unrealised))),
  }
}
