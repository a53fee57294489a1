import { candlesPerCall, endingOf, openingOf, readInterval } from '@tickwright/sandbox'
import { type Static, Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, ListOf, Moment, PageQuery, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { NoSuchCandles } from './candles/candle-source.ts'
import type { CandleRange } from './candles/candles.ts'
import { type MarketCandles, NoSuchExchange } from './candles/market-candles.ts'
import { NoSuchMarket, VenueUnreachable } from './price-source.ts'

const defaultCount = 100

const exchangeFields = {
  exchange: Type.String({
    maxLength: 50,
    description:
      'An exchange: its id in the catalogue, its identifier such as `binance`, or its member of `$.Exchange`.',
  }),
  service: Type.Optional(
    Type.Union([Type.Literal('spot'), Type.Literal('futures')], {
      description: 'Default: `spot`, or `futures` if there is no such symbol on spot.',
    }),
  ),
}

const symbolFields = {
  ...exchangeFields,
  symbol: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'A symbol in any spelling, such as `btcusdt`.',
  }),
}

/** What answers say about the market. */
const marketFields = {
  exchange_id: Type.Integer({ description: 'Its id in the catalogue.' }),
  service: Type.String(),
  symbol: Type.String({ description: 'The symbol as the service writes it, such as `BTC/USDT`.' }),
}

const Candle = Type.Object({
  time: Type.Integer({ description: 'When it opened, in Unix milliseconds.' }),
  open: Type.Number(),
  high: Type.Number(),
  low: Type.Number(),
  last: Type.Number({ description: 'The last price in it, which is called `close` elsewhere.' }),
  volume: Type.Number({ description: 'In base currency, or in contracts on some futures.' }),
  done: Type.Boolean({
    description: '`false` for the unfinished candle. A candle that is done never changes.',
  }),
})

const CandleAnswer = Type.Object({
  ...marketFields,
  interval: Type.String(),
  candles: Type.Array(Candle, { description: 'Oldest first.' }),
})

const CandleQuery = Type.Object(
  {
    ...symbolFields,
    interval: Type.String({
      minLength: 1,
      maxLength: 10,
      description: 'Such as `1m`, `4h`, `1d`, `1w` or `1M`.',
    }),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: candlesPerCall,
        description:
          'How many: the latest, the first from `since` on, or the last before `until`. Default 100, or 1,000 with `since`.',
      }),
    ),
    since: Type.Optional(Moment('The first candle opened at this moment or later.')),
    until: Type.Optional(Moment('The last candle opened before this moment.')),
  },
  { examples: [{ exchange: 'binance', symbol: 'btcusdt', interval: '1h', count: 200 }] },
)

const ListedMarket = Type.Object({
  exchange_id: Type.Integer(),
  service: Type.String(),
  symbol: Type.String({ description: 'As the service writes it, such as `BTC/USDT`.' }),
  id: Type.String({ description: "The exchange's own name." }),
  base: Type.String(),
  quote: Type.String(),
  active: Type.Boolean({ description: 'Whether it is traded at the moment.' }),
})

const MarketsQuery = Type.Object({
  ...PageQuery.properties,
  ...exchangeFields,
  q: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only markets with this text in their symbol or name, in any case.',
    }),
  ),
})

const PriceQuery = Type.Object(symbolFields)

const PriceAnswer = Type.Object({
  ...marketFields,
  price: Type.Number({ description: 'In quote currency.' }),
  at: { ...Timestamp, description: 'When it was last confirmed, at most ten seconds ago.' },
})

const described = { tags: ['Market'], security: signedRequest } as const
const errors = errorResponses(400, 401, 429, 500, 503)

/** Candles, markets and prices of exchanges. */
export function marketRoutes(market: MarketCandles): Routes {
  return (scope) => {
    readCandles(scope, market)
    listMarkets(scope, market)
    readPrice(scope, market)
  }
}

function readCandles(scope: App, market: MarketCandles): void {
  scope.get(
    '/market/candles',
    {
      schema: {
        ...described,
        summary: 'Read candles',
        description:
          'At most 1,000 candles of a symbol, oldest first: the latest, or those of a time range. All users share what the service has loaded. It answers 503 if the exchange does not send the candles within 1,750 ms; they are then usually ready a moment later.',
        querystring: CandleQuery,
        response: { 200: CandleAnswer, ...errors },
      },
    },
    async ({ principal, query }) => {
      const { exchange, service, symbol, interval, count = defaultCount, since, until } = query
      const series = { symbol, interval }
      const asked =
        since === undefined && until === undefined
          ? market.latest(principal.userId, { exchange, service }, series, count)
          : market.range(principal.userId, { exchange, service }, series, (now) => rangeOf(query, now))
      const { venue, symbol: named, found } = await asked.catch(refuse)
      // The answer is only read.
      const candles = found as Static<typeof Candle>[]
      return { exchange_id: venue.id, service: venue.service, symbol: named, interval, candles }
    },
  )
}

function listMarkets(scope: App, market: MarketCandles): void {
  scope.get(
    '/market/symbols',
    {
      schema: {
        ...described,
        summary: 'List the markets of an exchange',
        description:
          'In order of their symbols; at most 1,000 without `page` and `limit`. The simulated market lists its usual pairs, but has prices of every pair.',
        querystring: MarketsQuery,
        response: { 200: ListOf(ListedMarket), ...errors },
      },
    },
    async ({ principal, query }) => {
      const { exchange, service, q = '' } = query
      const { venue, markets } = await market.markets(principal.userId, { exchange, service }).catch(refuse)
      const wanted = q.trim().toUpperCase()
      const found = markets.filter(({ symbol, id }) => `${symbol} ${id}`.toUpperCase().includes(wanted))
      return answerPage(query, {
        list: async ({ limit, offset }) =>
          found
            .slice(offset, offset + limit)
            .map((each) => ({ exchange_id: venue.id, service: venue.service, ...each })),
        count: async () => found.length,
      })
    },
  )
}

function readPrice(scope: App, market: MarketCandles): void {
  scope.get(
    '/market/price',
    {
      schema: {
        ...described,
        summary: 'Read the current price of a symbol',
        description:
          'The price that strategies see. The service then watches the symbol for 90 seconds. It answers 503 with the reason if there is no current price.',
        querystring: PriceQuery,
        response: { 200: PriceAnswer, ...errors },
      },
    },
    async ({ principal, query }) => {
      const { symbol: spelling, ...name } = query
      const { venue, symbol, found } = await market.price(principal.userId, name, spelling).catch(refuse)
      const at = new Date(found.at).toISOString()
      return { exchange_id: venue.id, service: venue.service, symbol, price: found.price, at }
    },
  )
}

/** The opening times that a query means: `since` counts, `until` does not. */
function rangeOf(
  { interval: name, count, since, until }: Static<typeof CandleQuery>,
  now: number,
): CandleRange {
  const interval = readInterval(name)
  if (interval === undefined) {
    const message = 'must be an interval such as 1m, 4h, 1d, 1w or 1M'
    throw invalidQuery('interval', message)
  }
  const firstFrom = (text: string, field: string) => {
    const at = Date.parse(text)
    if (Number.isNaN(at)) throw invalidQuery(field, 'must be a date and time that exists')
    const opening = openingOf(interval, at)
    return opening < at ? endingOf(interval, opening) : opening
  }
  const from = since === undefined ? undefined : firstFrom(since, 'since')
  const to = until === undefined ? undefined : firstFrom(until, 'until')
  if (from === undefined) return { since: endingOf(interval, to!, -(count ?? defaultCount)), until: to! }
  if (to === undefined) {
    const end = endingOf(interval, from, count ?? candlesPerCall)
    return { since: from, until: Math.max(from, Math.min(end, endingOf(interval, openingOf(interval, now)))) }
  }
  if (count !== undefined) throw invalidQuery('count', 'must be left out if there are both since and until')
  if (Date.parse(until!) <= Date.parse(since!)) throw invalidQuery('until', 'must be later than since')
  if (to > endingOf(interval, from, candlesPerCall)) {
    throw invalidQuery('until', `must be at most ${candlesPerCall} candles later than since`)
  }
  return { since: from, until: to }
}

/** Turns what the market cannot answer into errors of the request or of the exchange. */
function refuse(error: unknown): never {
  if (error instanceof NoSuchMarket) throw invalidQuery('symbol', error.message, error.message)
  if (error instanceof NoSuchCandles || error instanceof NoSuchExchange) {
    throw invalidQuery(error.field, error.message, error.message)
  }
  if (error instanceof VenueUnreachable) {
    throw new AppError('service_unavailable', error.message, { cause: error, retryAfterSeconds: 2 })
  }
  throw error
}

/** @param sentence the message of the error, if it is not the name of the field and `message` */
function invalidQuery(name: string, message: string, sentence?: string): AppError {
  const field = `querystring.${name}`
  return new AppError('request_invalid', sentence ?? `Invalid request: ${field} ${message}.`, {
    details: [{ field, message }],
  })
}
