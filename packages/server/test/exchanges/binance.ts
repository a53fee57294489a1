import type { BinanceMarket } from './binance-account.ts'
import { privateRest } from './binance-trading.ts'
import { candlesOf } from './candles.ts'
import {
  type Connection,
  type Exchange,
  type Protocol,
  parseFrame,
  quarterEnd,
  type RestCall,
  type StandIn,
  type StandInMarket,
  type StandInOptions,
  type StandInQuote,
  startStandIn,
  yymmdd,
} from './stand-in.ts'
import { StopBook } from './stops.ts'
import { AccountBook, type Trading } from './trading.ts'

type Kind = BinanceMarket['kind']
type Market = BinanceMarket & StandInMarket & { margin?: string; endsAt?: Date }

/** Binance: spot, USD-M and COIN-M futures, with an account on spot and USD-M. */
export async function startBinance(options?: StandInOptions): Promise<StandIn & { trading: Trading }> {
  const book = new AccountBook({ price: (symbol) => standIn.price(symbol), feeFromBought: true })
  const stops = new StopBook(book)
  const standIn: StandIn = await startStandIn(binance(book, stops), options)
  stops.belongTo(standIn)
  const credentials = { apiKey: 'binance-stand-in-key', secret: 'binance-stand-in-secret' }
  return Object.assign(standIn, { trading: book.control(credentials) })
}

function binance(book: AccountBook, stops: StopBook): Protocol<Market> {
  return {
    markets: markets(),
    rateLimited: {
      status: 429,
      headers: { 'retry-after': '2' },
      body: JSON.stringify({
        code: -1003,
        msg: 'Too much request weight used; current limit is 6000 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.',
      }),
    },
    rest: (call, exchange) => rest(call, exchange) ?? privateRest(call, exchange, book, stops),
    accepts: (path) => /^\/((market|public)\/)?(ws|stream)(\/|\?|$)/.test(path),
    open: subscribeByPath,
    message,
    ticker: (market, quote, key, exchange) => {
      const event = tickerEvent(market, quote, key.replace('@arr', ''), exchange)
      return JSON.stringify(key.startsWith('!') ? [event] : event)
    },
  }
}

function markets(): Market[] {
  const end = quarterEnd()
  const day = yymmdd(end)
  const spot = (base: string, quote: string, price: string, changes: Partial<Market> = {}): Market => {
    const pair = { kind: 'spot' as const, base, quote, price }
    return { ...pair, symbol: `${base}/${quote}`, id: `${base}${quote}`, ...changes }
  }
  const linear = (base: string, quote: string, price: string, changes: Partial<Market> = {}): Market => {
    const pair = { kind: 'linear' as const, base, quote, margin: quote, price }
    return { ...pair, symbol: `${base}/${quote}:${quote}`, id: `${base}${quote}`, ...changes }
  }
  const inverse = (base: string, price: string, changes: Partial<Market> = {}): Market => {
    const pair = { kind: 'inverse' as const, base, quote: 'USD', margin: base, price }
    return { ...pair, symbol: `${base}/USD:${base}`, id: `${base}USD_PERP`, ...changes }
  }
  return [
    spot('BTC', 'USDT', '60000.01000000'),
    spot('ETH', 'USDT', '3000.50000000'),
    spot('SOL', 'USDT', '150.25000000'),
    spot('ETH', 'BTC', '0.05001000'),
    spot('BTC', 'USDC', '60001.00000000'),
    spot('BTC', 'EUR', '55000.00000000'),
    spot('PEPE', 'USDT', '0.00000812'),
    spot('1000SATS', 'USDT', '0.00025400'),
    // Delisted markets stay in the list with the status BREAK. Other exchanges call Binance's YOYO YOYOW.
    spot('BCC', 'USDT', '448.70000000', { active: false }),
    spot('YOYO', 'BTC', '0.00000104', { symbol: 'YOYOW/BTC', active: false }),
    linear('BTC', 'USDT', '60010.10'),
    linear('ETH', 'USDT', '3001.25'),
    linear('SOL', 'USDT', '150.3100'),
    linear('BTC', 'USDC', '60012.0'),
    linear('1000PEPE', 'USDT', '0.0081300'),
    linear('SRM', 'USDT', '0.3100', { active: false }),
    linear('BTC', 'USDT', '60500.0', {
      symbol: `BTC/USDT:USDT-${day}`,
      id: `BTCUSDT_${day}`,
      endsAt: end,
    }),
    inverse('BTC', '60005.0'),
    inverse('ETH', '3000.10'),
    inverse('BTC', '60600.0', { symbol: `BTC/USD:BTC-${day}`, id: `BTCUSD_${day}`, endsAt: end }),
  ]
}

const prefixes: Record<string, Kind> = { '/api/v3': 'spot', '/fapi/v1': 'linear', '/dapi/v1': 'inverse' }

function rest({ path, query }: RestCall, exchange: Exchange<Market>) {
  const prefix = Object.keys(prefixes).find((start) => path.startsWith(`${start}/`))
  if (prefix === undefined) return undefined
  const kind = prefixes[prefix] as Kind
  const listed = exchange.markets.filter((market) => market.kind === kind)
  switch (path.slice(prefix.length)) {
    case '/ping':
      return { json: {} }
    case '/time':
      return { json: { serverTime: exchange.now() } }
    case '/exchangeInfo':
      return { json: exchangeInfo(listed, exchange) }
    case '/ticker/24hr':
      return tickers(listed, query, kind, (market) => dayTicker(market, exchange))
    case '/ticker/price':
      return tickers(listed, query, kind, (market) => lastPrice(market, exchange))
    case '/ticker/bookTicker':
      return tickers(listed, query, kind, (market) => bookTicker(market, exchange))
    case '/klines':
      return klines(listed, query, exchange)
    case '/fundingRate':
      return fundingRates(listed, query, exchange)
    default:
      return undefined
  }
}

const minuteMs = 60_000
const intervals: Record<string, number> = {
  '1m': minuteMs,
  '5m': 5 * minuteMs,
  '1h': 60 * minuteMs,
  '1d': 1_440 * minuteMs,
}

/** As in Binance's documentation: developers.binance.com, Spot, Market data endpoints, Kline/Candlestick data. */
function klines(listed: Market[], query: URLSearchParams, exchange: Exchange<Market>) {
  const market = listed.find(({ id }) => id === query.get('symbol'))
  if (market === undefined) return { status: 400, json: { code: -1121, msg: 'Invalid symbol.' } }
  const durationMs = intervals[query.get('interval') ?? '']
  if (durationMs === undefined) return { status: 400, json: { code: -1120, msg: 'Invalid interval.' } }
  const moment = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
  const limit = Math.min(1_000, Number(query.get('limit') ?? 500))
  const window = { durationMs, since: moment('startTime'), until: moment('endTime'), limit }
  const rows = candlesOf(market, exchange, window).map(({ at, open, high, low, last, volume }) => [
    ...[at, open, high, low, last, volume, at + durationMs - 1, '434.19600000', 100, '5.0', '217.1', '0'],
  ])
  return { json: rows }
}

/** As in developers.binance.com, USD-M futures, Get Funding Rate History. Each rate follows from its moment. */
function fundingRates(listed: Market[], query: URLSearchParams, exchange: Exchange<Market>) {
  const market = listed.find(({ id }) => id === query.get('symbol'))
  if (market === undefined) return { status: 400, json: { code: -1121, msg: 'Invalid symbol.' } }
  const everyMs = 8 * 60 * minuteMs
  const [from, to] = [
    Number(query.get('startTime')),
    Number(query.get('endTime') ?? Number.POSITIVE_INFINITY),
  ]
  if (from > to) return { status: 400, json: { code: -1023, msg: 'Start time is greater than end time.' } }
  const until = Math.min(exchange.now(), to)
  const first = Math.ceil(from / everyMs)
  const count = Math.max(
    0,
    Math.min(Number(query.get('limit') ?? 100), Math.floor(until / everyMs) - first + 1),
  )
  const rates = Array.from({ length: count }, (_, index) => ({
    symbol: market.id,
    fundingRate: (((first + index) % 7) / 10_000 - 0.0002).toFixed(8),
    fundingTime: (first + index) * everyMs,
    markPrice: market.price,
  }))
  return { json: rates }
}

function exchangeInfo(listed: Market[], exchange: Exchange<Market>) {
  const rateLimits = [
    { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 6000 },
    { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 100 },
  ]
  const symbols = listed.map((market) => (market.kind === 'spot' ? spotSymbol(market) : contract(market)))
  return { timezone: 'UTC', serverTime: exchange.now(), rateLimits, exchangeFilters: [], symbols }
}

const filters = [
  {
    filterType: 'PRICE_FILTER',
    minPrice: '0.00000001',
    maxPrice: '1000000.00000000',
    tickSize: '0.00000001',
  },
  { filterType: 'LOT_SIZE', minQty: '0.00001000', maxQty: '9000.00000000', stepSize: '0.00001000' },
]
const spotFilters = [
  ...filters,
  { filterType: 'NOTIONAL', minNotional: '5.00000000', applyMinToMarket: true, avgPriceMins: 5 },
]
const contractFilters = [...filters, { filterType: 'MIN_NOTIONAL', notional: '5' }]

function spotSymbol({ id, base, quote, active }: Market) {
  return {
    symbol: id,
    status: active === false ? 'BREAK' : 'TRADING',
    baseAsset: base,
    baseAssetPrecision: 8,
    quoteAsset: quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    // As in the documentation's example of `exchangeInfo`.
    orderTypes: [
      ...[
        'LIMIT',
        'LIMIT_MAKER',
        'MARKET',
        'STOP_LOSS',
        'STOP_LOSS_LIMIT',
        'TAKE_PROFIT',
        'TAKE_PROFIT_LIMIT',
      ],
    ],
    icebergAllowed: true,
    ocoAllowed: true,
    quoteOrderQtyMarketAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: true,
    filters: spotFilters,
    permissions: [],
    permissionSets: [['SPOT', 'MARGIN', 'TRD_GRP_004']],
  }
}

function contract({ id, base, quote, margin, kind, active, endsAt }: Market) {
  const status = active === false ? 'SETTLING' : 'TRADING'
  return {
    symbol: id,
    pair: `${base}${quote}`,
    contractType: endsAt === undefined ? 'PERPETUAL' : 'CURRENT_QUARTER',
    // Contracts without an end have the date 25 December 2100.
    deliveryDate: endsAt?.getTime() ?? 4_133_404_800_000,
    onboardDate: 1_569_398_400_000,
    ...(kind === 'linear' ? { status } : { contractStatus: status, contractSize: 100, equalQtyPrecision: 4 }),
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    baseAsset: base,
    quoteAsset: quote,
    marginAsset: margin,
    pricePrecision: 2,
    quantityPrecision: 3,
    baseAssetPrecision: 8,
    quotePrecision: 8,
    underlyingType: 'COIN',
    filters: contractFilters,
    orderTypes: ['LIMIT', 'MARKET', 'STOP', 'STOP_MARKET', 'TAKE_PROFIT', 'TAKE_PROFIT_MARKET'],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX'],
  }
}

/** All tickers, one (`symbol`) or, on spot, some (`symbols`). COIN-M always answers with a list. */
function tickers(listed: Market[], query: URLSearchParams, kind: Kind, row: (market: Market) => unknown) {
  const symbol = query.get('symbol')
  const symbols = query.get('symbols')
  const ids = symbol !== null ? [symbol] : symbols !== null ? (JSON.parse(symbols) as string[]) : undefined
  const wanted = ids?.map((id) => listed.find((market) => market.id === id)) ?? listed
  if (wanted.includes(undefined)) return { status: 400, json: { code: -1121, msg: 'Invalid symbol.' } }
  const rows = (wanted as Market[]).map(row)
  return { json: symbol !== null && kind !== 'inverse' ? rows[0] : rows }
}

function dayTicker(market: Market, exchange: Exchange<Market>) {
  const { price } = exchange.quote(market)
  const closeTime = exchange.now()
  return {
    symbol: market.id,
    ...(market.kind === 'inverse' ? { pair: `${market.base}USD`, baseVolume: '2145.49' } : {}),
    priceChange: '-188.18000000',
    priceChangePercent: '-0.159',
    weightedAvgPrice: price,
    lastPrice: price,
    lastQty: '0.00731000',
    ...(market.kind === 'spot' ? { prevClosePrice: price, ...bookFields(price) } : {}),
    openPrice: price,
    highPrice: price,
    lowPrice: price,
    volume: '14741.41491000',
    ...(market.kind === 'inverse' ? {} : { quoteVolume: '1744744445.80640740' }),
    openTime: closeTime - 86_400_000,
    closeTime,
    firstId: 5_116_031_635,
    lastId: 5_117_964_946,
    count: 1_933_312,
  }
}

function bookFields(price: string) {
  return { bidPrice: price, bidQty: '7.15931000', askPrice: price, askQty: '0.09592000' }
}

function lastPrice(market: Market, exchange: Exchange<Market>) {
  const { price, at } = exchange.quote(market)
  return { symbol: market.id, price, ...(market.kind === 'spot' ? {} : { time: at }) }
}

function bookTicker(market: Market, exchange: Exchange<Market>) {
  const { price, at } = exchange.quote(market)
  return { symbol: market.id, ...bookFields(price), ...(market.kind === 'spot' ? {} : { time: at }) }
}

/** The address can also name a stream: `/ws/btcusdt@ticker`. */
function subscribeByPath(connection: Connection, exchange: Exchange<Market>): void {
  subscribe(connection, connection.path.split('/').slice(2), exchange)
}

function message(connection: Connection, text: string, exchange: Exchange<Market>): void {
  const request = parseFrame(text)
  if (request === undefined) {
    connection.send({ error: { code: 3, msg: 'Invalid JSON: expected value at line 1 column 1' } })
    return
  }
  const { method, id } = request
  const streams = Array.isArray(request.params) ? request.params.map(String) : []
  if (method === 'LIST_SUBSCRIPTIONS') {
    connection.send({ result: [...connection.subscriptions.keys()], id })
  } else if (method === 'SUBSCRIBE') {
    connection.send({ result: null, id })
    subscribe(connection, streams, exchange)
  } else if (method === 'UNSUBSCRIBE') {
    for (const stream of streams) connection.unsubscribe(stream)
    connection.send({ result: null, id })
  } else {
    const msg = `Invalid request: unknown variant \`${method}\`, expected one of \`SUBSCRIBE\`, \`UNSUBSCRIBE\`, \`LIST_SUBSCRIPTIONS\`, \`SET_PROPERTY\`, \`GET_PROPERTY\``
    connection.send({ error: { code: 2, msg }, id })
  }
}

/** Binance also accepts a stream of an unknown market, which stays silent. */
function subscribe(connection: Connection, streams: string[], exchange: Exchange<Market>): void {
  for (const stream of streams) {
    if (stream === '!ticker@arr' || stream === '!miniTicker@arr') {
      connection.subscribe(stream, '*')
      continue
    }
    const [name = '', channel] = stream.split('@')
    const linear = connection.path.startsWith('/market/') || connection.path.startsWith('/public/')
    const kind = linear ? 'linear' : name.includes('_') ? 'inverse' : 'spot'
    const market = exchange.markets.find((one) => one.kind === kind && one.id.toLowerCase() === name)
    if (market === undefined || !['ticker', 'miniTicker', 'bookTicker'].includes(channel ?? '')) continue
    connection.subscribe(stream, market.symbol)
    if (market.active !== false) connection.sendSnapshot(stream)
  }
}

function tickerEvent(
  market: Market,
  { price, at }: StandInQuote,
  stream: string,
  exchange: Exchange<Market>,
) {
  if (stream.endsWith('@bookTicker')) {
    const book = { s: market.id, b: price, B: '1.43278800', a: price, A: '2.52500800' }
    return { u: 7_488_717_758, ...book, ...(market.kind === 'spot' ? {} : { E: at, T: at, e: 'bookTicker' }) }
  }
  const day = { o: price, h: price, l: price, v: '14741.41491000', q: '1744744445.80640740' }
  const head = { E: at, s: market.id }
  const pair = market.kind === 'inverse' ? { ps: `${market.base}USD` } : {}
  if (/[@!]miniTicker$/.test(stream)) return { e: '24hrMiniTicker', ...head, ...pair, c: price, ...day }
  const book = { b: price, B: '4.10400000', a: price, A: '0.00100000' }
  return {
    e: '24hrTicker',
    ...head,
    ...pair,
    p: '-188.18000000',
    P: '-0.159',
    w: price,
    ...(market.kind === 'spot' ? { x: price, ...book } : {}),
    c: price,
    Q: '0.10400000',
    ...day,
    O: at - 86_400_000,
    C: at,
    F: 158_251_292,
    L: 158_414_513,
    // The number of trades, so each event differs.
    n: exchange.now() % 1_000_000,
  }
}
