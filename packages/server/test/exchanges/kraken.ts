import { candlesOf } from './candles.ts'
import { type KrakenTier, RequestCounter } from './kraken-account.ts'
import type { FuturesMarket } from './kraken-futures.ts'
import * as futures from './kraken-futures.ts'
import { FuturesStops } from './kraken-futures-stops.ts'
import { futuresRest } from './kraken-futures-trading.ts'
import { spotRest } from './kraken-trading.ts'
import {
  type Connection,
  type Exchange,
  jsonNumber,
  type Protocol,
  parseFrame,
  type RestCall,
  type StandIn,
  type StandInOptions,
  type StandInQuote,
  startStandIn,
} from './stand-in.ts'
import { AccountBook, type Trading } from './trading.ts'

type SpotMarket = {
  kind: 'spot'
  symbol: string
  id: string
  price: string
  active?: boolean
  base: string
  quote: string
  altname: string
  wsname: string
}
type Market = SpotMarket | FuturesMarket

/** `limitRequests` applies a tier's limit for requests to the spot account, or none. */
type Kraken = StandIn & { trading: Trading; limitRequests(tier: KrakenTier | undefined): void }

/** Kraken: spot (REST 0, WebSocket 2) and Kraken Futures (both 3 and 1), with one account for both. */
export async function startKraken(options?: StandInOptions): Promise<Kraken> {
  const book = new AccountBook({ price: (symbol) => standIn.price(symbol), feeFromBought: false })
  const counter = new RequestCounter()
  const stops = new FuturesStops(book)
  const standIn: StandIn = await startStandIn(kraken(book, counter, stops), options)
  stops.belongTo(standIn)
  const secret = Buffer.from('kraken-stand-in-secret').toString('base64')
  const trading = book.control({ apiKey: 'kraken-stand-in-key', secret })
  return Object.assign(standIn, { trading, limitRequests: (tier?: KrakenTier) => counter.limit(tier) })
}

function kraken(book: AccountBook, counter: RequestCounter, stops: FuturesStops): Protocol<Market> {
  return {
    markets: [...spotMarkets, ...futures.markets()],
    rateLimited: {
      // Spot reports errors with status 200.
      status: 200,
      body: (path) =>
        path.startsWith('/0/')
          ? '{"error":["EAPI:Rate limit exceeded"]}'
          : '{"result":"error","error":"apiLimitExceeded","serverTime":"2026-01-01T00:00:00.000Z"}',
    },
    rest: (call, exchange) => {
      if (call.path.startsWith('/0/public/')) return rest(call, exchange)
      const listed = exchange.markets.filter(isFutures)
      return (
        spotRest(call, exchange.markets.filter(isSpot), book, counter) ??
        futures.rest(call, exchange, listed) ??
        futuresRest(call, listed, exchange, book, stops)
      )
    },
    accepts: (path) => path === '/v2' || path === '/ws/v1',
    open: (connection) => {
      if (connection.path === '/v2') connection.send(systemStatus())
      else futures.open(connection)
    },
    message: (connection, text, exchange) => {
      if (connection.path === '/v2') message(connection, text, exchange)
      else futures.message(connection, text, exchange.markets.filter(isFutures))
    },
    ticker: (market, quote, _key) =>
      market.kind === 'spot' ? ticker(market, quote) : futures.ticker(market, quote),
  }
}

function isFutures(market: Market): market is FuturesMarket {
  return market.kind === 'futures'
}

function isSpot(market: Market): market is SpotMarket {
  return market.kind === 'spot'
}

function pair(
  symbol: string,
  id: string,
  wsname: string,
  assets: [base: string, quote: string],
  price: string,
  active = true,
): SpotMarket {
  const [base, quote] = assets
  return { kind: 'spot', symbol, id, wsname, altname: wsname.replace('/', ''), base, quote, price, active }
}

const spotMarkets: SpotMarket[] = [
  pair('BTC/USD', 'XXBTZUSD', 'XBT/USD', ['XXBT', 'ZUSD'], '60000.10000'),
  pair('BTC/EUR', 'XXBTZEUR', 'XBT/EUR', ['XXBT', 'ZEUR'], '55000.10000'),
  pair('BTC/USDT', 'XBTUSDT', 'XBT/USDT', ['XXBT', 'USDT'], '60001.20000'),
  pair('ETH/USD', 'XETHZUSD', 'ETH/USD', ['XETH', 'ZUSD'], '3000.20000'),
  pair('ETH/USDT', 'ETHUSDT', 'ETH/USDT', ['XETH', 'USDT'], '3000.30000'),
  pair('ETH/BTC', 'XETHXXBT', 'ETH/XBT', ['XETH', 'XXBT'], '0.050010'),
  pair('SOL/USD', 'SOLUSD', 'SOL/USD', ['SOL', 'ZUSD'], '150.10'),
  pair('SOL/USDT', 'SOLUSDT', 'SOL/USDT', ['SOL', 'USDT'], '150.20'),
  pair('DOGE/USD', 'XDGUSD', 'XDG/USD', ['XXDG', 'ZUSD'], '0.1234567'),
  // Other exchanges call Kraken's LUNA LUNC, and its LUNA2 LUNA.
  pair('LUNC/USD', 'LUNAUSD', 'LUNA/USD', ['LUNA', 'ZUSD'], '0.00006112'),
  pair('LUNA/USD', 'LUNA2USD', 'LUNA2/USD', ['LUNA2', 'ZUSD'], '0.4123'),
  pair('XMR/USD', 'XXMRZUSD', 'XMR/USD', ['XXMR', 'ZUSD'], '190.40000000', false),
]

function rest({ path, query }: RestCall, exchange: Exchange<Market>) {
  const markets = exchange.markets.filter(isSpot)
  const at = new Date(exchange.now())
  switch (path.slice('/0/public/'.length)) {
    case 'Time':
      return { json: result({ unixtime: Math.floor(at.getTime() / 1000), rfc1123: at.toUTCString() }) }
    case 'SystemStatus':
      return { json: result({ status: 'online', timestamp: at.toISOString() }) }
    case 'Assets':
      return { json: result(assets(markets)) }
    case 'AssetPairs':
      return { json: result(Object.fromEntries(markets.map((market) => [market.id, assetPair(market)]))) }
    case 'Ticker':
      return { json: tickers(markets, query.get('pair'), exchange) }
    case 'OHLC':
      return { json: ohlc(markets, query, exchange) }
    default:
      return { json: { error: ['EGeneral:Unknown method'] } }
  }
}

function result(value: unknown) {
  return { error: [], result: value }
}

/** "Up to 720 of the most recent entries", as in Kraken's documentation: docs.kraken.com/api, Get OHLC Data. */
function ohlc(markets: SpotMarket[], query: URLSearchParams, exchange: Exchange<Market>) {
  const market = markets.find(({ id }) => id === query.get('pair'))
  if (market === undefined) return { error: ['EQuery:Unknown asset pair'] }
  const durationMs = Number(query.get('interval') ?? 1) * 60_000
  const since = Number(query.get('since') ?? 0) * 1_000
  const rows = candlesOf<Market>(market, exchange, { durationMs, limit: 720 })
    .filter(({ at }) => at > since)
    .map(({ at, open, high, low, last, volume }) => [at / 1_000, open, high, low, last, open, volume, 8])
  return result({ [market.id]: rows, last: Math.floor(exchange.now() / 1_000) })
}

function assets(markets: SpotMarket[]) {
  const names = new Set(markets.flatMap(({ base, quote }) => [base, quote]))
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      {
        aclass: 'currency',
        altname: name.length === 4 && /^[XZ]/.test(name) ? name.slice(1) : name,
        decimals: 10,
        display_decimals: 5,
        status: 'enabled',
      },
    ]),
  )
}

function assetPair({ altname, wsname, base, quote, active }: SpotMarket) {
  return {
    altname,
    wsname,
    aclass_base: 'currency',
    base,
    aclass_quote: 'currency',
    quote,
    lot: 'unit',
    cost_decimals: 5,
    pair_decimals: 8,
    lot_decimals: 8,
    lot_multiplier: 1,
    leverage_buy: [2, 3],
    leverage_sell: [2, 3],
    fees: [[0, 0.4]],
    fees_maker: [[0, 0.25]],
    fee_volume_currency: 'ZUSD',
    margin_call: 80,
    margin_stop: 40,
    ordermin: '0.00005',
    costmin: '0.5',
    tick_size: '0.00000001',
    status: active === false ? 'cancel_only' : 'online',
  }
}

/** All pairs, or those requested by either of their names. One unknown pair makes the whole answer an error. */
function tickers(markets: SpotMarket[], pairs: string | null, exchange: Exchange<Market>) {
  const named = pairs
    ?.split(',')
    .map((name) => markets.find(({ id, altname }) => id === name || altname === name))
  const wanted = named ?? markets
  if (wanted.includes(undefined)) return { error: ['EQuery:Unknown asset pair'] }
  return result(
    Object.fromEntries((wanted as SpotMarket[]).map((market) => [market.id, dayTicker(market, exchange)])),
  )
}

function dayTicker(market: SpotMarket, exchange: Exchange<Market>) {
  const { price } = exchange.quote(market)
  return {
    a: [price, '1', '1.000'],
    b: [price, '2', '2.000'],
    c: [price, '0.04408910'],
    v: ['4147.94474901', '8896.96086304'],
    p: [price, price],
    t: [3907, 10056],
    l: [price, price],
    h: [price, price],
    o: price,
  }
}

function systemStatus() {
  const data = [
    { version: '2.0.10', system: 'online', api_version: 'v2', connection_id: 13_834_774_380_200_032_000 },
  ]
  return { channel: 'status', type: 'update', data }
}

/** Version 2 of the WebSocket API writes BTC and DOGE; all other parts of Kraken write XBT and XDG. */
function wsSymbol({ wsname }: SpotMarket): string {
  return wsname
    .split('/')
    .map((name) => (name === 'XBT' ? 'BTC' : name === 'XDG' ? 'DOGE' : name))
    .join('/')
}

function message(connection: Connection, text: string, exchange: Exchange<Market>): void {
  const now = () => new Date(exchange.now()).toISOString()
  const request = parseFrame(text)
  const method = request?.method
  const id = request?.req_id === undefined ? {} : { req_id: request.req_id }
  const refuse = (error: string, more: object = {}) =>
    connection.send({ error, method, ...id, success: false, ...more, time_in: now(), time_out: now() })
  if (request === undefined) {
    connection.send({ error: 'Malformed request', success: false, time_in: now(), time_out: now() })
  } else if (method === 'ping') {
    connection.send({ method: 'pong', ...id, time_in: now(), time_out: now() })
  } else if (method !== 'subscribe' && method !== 'unsubscribe') {
    refuse('Unsupported method')
  } else {
    const params = (request.params ?? {}) as { channel?: unknown; symbol?: unknown }
    if (params.channel !== 'ticker') {
      refuse('Subscription name invalid')
      return
    }
    const symbols = Array.isArray(params.symbol) ? params.symbol.map(String) : []
    for (const symbol of symbols) {
      const market = exchange.markets.filter(isSpot).find((one) => wsSymbol(one) === symbol)
      const key = `ticker:${symbol}`
      const subscribed = connection.subscriptions.has(key)
      if (market === undefined) {
        refuse(`Currency pair not supported ${symbol}`, { symbol })
      } else if (subscribed === (method === 'subscribe')) {
        refuse(subscribed ? 'Already subscribed' : 'Subscription Not Found', { symbol })
      } else {
        const echo = {
          channel: 'ticker',
          symbol,
          ...(subscribed ? {} : { event_trigger: 'trades', snapshot: true }),
        }
        connection.send({ method, ...id, result: echo, success: true, time_in: now(), time_out: now() })
        if (subscribed) connection.unsubscribe(key)
        else connection.subscribe(key, market.symbol)
        connection.sendSnapshot(key)
      }
    }
  }
}

function ticker(market: SpotMarket, { price }: StandInQuote): string {
  const value = jsonNumber(price)
  const data = {
    symbol: wsSymbol(market),
    bid: value,
    bid_qty: 0.01362603,
    ask: value,
    ask_qty: 17.17988863,
    last: value,
    volume: 2158.32346723,
    vwap: value,
    low: value,
    high: value,
    change: -2679.9,
    change_pct: -2.41,
  }
  return JSON.stringify({ channel: 'ticker', type: 'update', data: [data] })
}
