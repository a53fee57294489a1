import { candlesOf, durationOf } from './candles.ts'
import { GateStops } from './gate-stops.ts'
import { privateRest } from './gate-trading.ts'
import {
  type Connection,
  type Exchange,
  type Protocol,
  parseFrame,
  quarterEnd,
  type Reply,
  type RestCall,
  type StandIn,
  type StandInMarket,
  type StandInOptions,
  type StandInQuote,
  startStandIn,
  yymmdd,
} from './stand-in.ts'
import { AccountBook, type Trading } from './trading.ts'

/** `section` is the part of the API that has the market: `spot`, `futures/usdt`, `futures/btc`, `delivery/usdt`. */
type Market = StandInMarket & { section: string; endsAt?: Date }

type GateExchange = StandIn & { trading: Trading; expireStops(): void }

/** Gate: spot, perpetual futures settled in USDT and BTC, and dated futures, with an account on spot and USDT futures. */
export async function startGate(options?: StandInOptions): Promise<GateExchange> {
  const book = new AccountBook({
    price: (symbol) => standIn.price(symbol),
    feeFromBought: true,
    sizeStep: '0.0001',
  })
  const stops = new GateStops(book)
  const standIn: StandIn = await startStandIn(gate(book, stops), options)
  stops.belongTo(standIn)
  const credentials = { apiKey: 'gate-stand-in-key', secret: 'gate-stand-in-secret' }
  return Object.assign(standIn, { trading: book.control(credentials), expireStops: () => stops.expire() })
}

const sockets: Record<string, string> = {
  '/ws/v4/': 'spot',
  '/v4/ws/usdt': 'futures/usdt',
  '/v4/ws/btc': 'futures/btc',
  '/v4/ws/delivery/usdt': 'delivery/usdt',
}

function gate(book: AccountBook, stops: GateStops): Protocol<Market> {
  return {
    markets: markets(),
    rateLimited: {
      status: 429,
      headers: { 'x-gate-ratelimit-limit': '200', 'x-gate-ratelimit-requests-remain': '0' },
      body: '{"label":"TOO_MANY_REQUESTS","message":"Request Rate limit Exceeded (311)"}',
    },
    rest: (call, exchange) =>
      privateRest(call, exchange.markets, exchange, book, stops) ?? rest(call, exchange),
    accepts: (path) => path in sockets,
    message,
    ticker,
  }
}

function markets(): Market[] {
  const end = quarterEnd()
  const market = (section: string, id: string, symbol: string, price: string, active = true): Market => {
    return { section, id, symbol, price, active }
  }
  return [
    market('spot', 'BTC_USDT', 'BTC/USDT', '60000.2'),
    market('spot', 'ETH_USDT', 'ETH/USDT', '3000.21'),
    market('spot', 'SOL_USDT', 'SOL/USDT', '150.22'),
    market('spot', 'ETH_BTC', 'ETH/BTC', '0.05002'),
    market('spot', 'BTC_USDC', 'BTC/USDC', '60002.3'),
    market('spot', 'PEPE_USDT', 'PEPE/USDT', '0.000008124'),
    // Other exchanges call Gate's GTC GAMECOM.
    market('spot', 'GTC_USDT', 'GAMECOM/USDT', '0.0021'),
    market('spot', 'LUNARLENS_USDT', 'LUNARLENS/USDT', '0.01', false),
    market('futures/usdt', 'BTC_USDT', 'BTC/USDT:USDT', '60011.4'),
    market('futures/usdt', 'ETH_USDT', 'ETH/USDT:USDT', '3001.35'),
    market('futures/usdt', 'SOL_USDT', 'SOL/USDT:USDT', '150.36'),
    market('futures/usdt', 'FTT_USDT', 'FTT/USDT:USDT', '1.2', false),
    market('futures/btc', 'BTC_USD', 'BTC/USD:BTC', '60006.1'),
    {
      ...market('delivery/usdt', '', `BTC/USDT:USDT-${yymmdd(end)}`, '60520.5'),
      id: `BTC_USDT_20${yymmdd(end)}`,
      endsAt: end,
    },
  ]
}

function rest({ path, query }: RestCall, exchange: Exchange<Market>) {
  if (!path.startsWith('/api/v4/')) return undefined
  const parts = path.slice('/api/v4/'.length).split('/')
  const resource = parts.pop()
  const section = parts.join('/')
  const listed = exchange.markets.filter((market) => market.section === section)
  if (path === '/api/v4/spot/time') return { json: { server_time: exchange.now() } }
  if (path === '/api/v4/margin/currency_pairs') return { json: [marginPair] }
  if (resource === 'currency_pairs' && section === 'spot') return { json: listed.map(currencyPair) }
  if (listed.length === 0 && section !== 'delivery/btc') return undefined
  if (resource === 'candlesticks') return candlesticks(section, listed, query, exchange)
  if (resource === 'contracts') return { json: listed.map((market) => contract(market, exchange)) }
  if (resource !== 'tickers') return undefined
  const asked = query.get(section === 'spot' ? 'currency_pair' : 'contract')
  const wanted = asked === null ? listed : listed.filter(({ id }) => id === asked)
  if (asked !== null && wanted.length === 0) return { status: 400, json: unknown(section, asked) }
  return { json: wanted.map((market) => dayTicker(market, exchange.quote(market))) }
}

/**
 * As in Gate's documentation (Market K-line chart, Futures market K-line chart). Its limits are those in its messages,
 * as ccxt's issue 17464 and freqtrade's issue 12814 quote them.
 */
function candlesticks(
  section: string,
  listed: Market[],
  query: URLSearchParams,
  exchange: Exchange<Market>,
): Reply {
  const isSpot = section === 'spot'
  const id = query.get(isSpot ? 'currency_pair' : 'contract') ?? ''
  const market = listed.find((one) => one.id === id)
  if (market === undefined) return { status: 400, json: unknown(section, id) }
  const refuse = (message: string) => ({ status: 400, json: { label: 'INVALID_PARAM_VALUE', message } })
  const durationMs = durationOf(query.get('interval'))
  if (durationMs === undefined) return refuse('Invalid interval')
  const moment = (name: string) => (query.has(name) ? Number(query.get(name)) * 1_000 : undefined)
  const [since, until, limit] = [moment('from'), moment('to') ?? exchange.now(), query.get('limit')]
  if (limit !== null && (since !== undefined || query.has('to')))
    return refuse('limit conflicts with from and to')
  const most = isSpot ? 1_000 : 2_000
  const points = since === undefined ? Number(limit ?? 100) : Math.floor((until - since) / durationMs) + 1
  if (points > most)
    return refuse(`Candlestick range too broad. Maximum ${most} data points are allowed per request`)
  if (since !== undefined && (exchange.now() - since) / durationMs > 10_000)
    return refuse('Candlestick too long ago. Maximum 10000 points recently are allowed')
  const rows = candlesOf(market, exchange, { durationMs, since, until, limit: points })
  return {
    json: rows.map(({ at, open, high, low, last, volume }) => {
      const [t, isOver] = [at / 1_000, at + durationMs <= exchange.now()]
      if (isSpot) return [String(t), '1000000', last, high, low, open, volume, String(isOver)]
      return { t, v: Number(volume), c: last, h: high, l: low, o: open, sum: '1000000' }
    }),
  }
}

function unknown(section: string, id: string) {
  return section === 'spot'
    ? { label: 'INVALID_CURRENCY_PAIR', message: `Invalid currency pair ${id}` }
    : { label: 'CONTRACT_NOT_FOUND', message: 'CONTRACT_NOT_FOUND' }
}

const marginPair = {
  id: 'BTC_USDT',
  base: 'BTC',
  quote: 'USDT',
  leverage: 10,
  min_base_amount: '0.0001',
  min_quote_amount: '1',
  max_quote_amount: '5000000',
  status: 1,
}

function currencyPair({ id, active }: Market) {
  const [base, quote] = id.split('_')
  return {
    id,
    base,
    base_name: base,
    quote,
    quote_name: quote,
    fee: '0.2',
    min_base_amount: '0.0001',
    min_quote_amount: '3',
    max_quote_amount: '5000000',
    amount_precision: 6,
    precision: 9,
    trade_status: active === false ? 'untradable' : 'tradable',
    sell_start: 1_607_313_600,
    buy_start: 1_700_492_400,
    type: 'normal',
    trade_url: `https://www.gate.com/trade/${id}`,
  }
}

function contract(market: Market, exchange: Exchange<Market>) {
  const { price } = exchange.quote(market)
  const { id, active, endsAt, section } = market
  return {
    name: id,
    type: section === 'futures/btc' ? 'inverse' : 'direct',
    // Gate writes 0 for contracts with a value of one dollar.
    quanto_multiplier: section === 'futures/btc' ? '0' : '0.0001',
    mark_type: 'index',
    last_price: price,
    mark_price: price,
    index_price: price,
    order_price_round: '0.1',
    mark_price_round: '0.01',
    order_price_deviate: '0.2',
    order_size_min: 1,
    order_size_max: 1_000_000,
    leverage_min: '1',
    leverage_max: '100',
    maintenance_rate: '0.005',
    maker_fee_rate: '-0.0001',
    taker_fee_rate: '0.00075',
    orders_limit: 100,
    in_delisting: active === false,
    ...(endsAt === undefined
      ? { status: active === false ? 'suspend' : 'trading', funding_rate: '0.0001', funding_interval: 28_800 }
      : { underlying: 'BTC_USDT', cycle: 'QUARTERLY', expire_time: endsAt.getTime() / 1000 }),
  }
}

function dayTicker({ section, id }: Market, { price }: StandInQuote) {
  const day = { last: price, change_percentage: '-1.18', high_24h: price, low_24h: price }
  if (section === 'spot') {
    const volumes = { base_volume: '1219.053687865', quote_volume: '8807.40299875455' }
    return { currency_pair: id, lowest_ask: price, highest_bid: price, ...day, ...volumes }
  }
  return {
    contract: id,
    ...day,
    total_size: '32323904',
    volume_24h: '184040233284',
    volume_24h_base: '28613220',
    volume_24h_quote: '184040233284',
    volume_24h_settle: '28613220',
    mark_price: price,
    funding_rate: '0.0001',
    funding_rate_indicative: '0.0001',
    index_price: price,
    quanto_base_rate: '',
    lowest_ask: price,
    highest_bid: price,
  }
}

/** Frames of dated futures have the same channel names as perpetual futures. */
function channelOf(section: string): string {
  return section === 'spot' ? 'spot.tickers' : 'futures.tickers'
}

function head(exchange: Exchange<Market>) {
  return { time: Math.floor(exchange.now() / 1000), time_ms: exchange.now() }
}

function message(connection: Connection, text: string, exchange: Exchange<Market>): void {
  const section = sockets[connection.path] as string
  const { id, channel, event, payload } = parseFrame(text) ?? {}
  const echo = { ...head(exchange), id, conn_id: 'fac539b443fd7002', channel, event, payload }
  const fail = (code: number, what: string) =>
    connection.send({ ...echo, error: { code, message: what }, result: { status: 'fail' } })
  if (channel === `${section.split('/')[0]}.ping` || channel === 'futures.ping') {
    connection.send({
      ...head(exchange),
      channel: String(channel).replace('ping', 'pong'),
      event: '',
      result: null,
    })
    return
  }
  if (channel !== channelOf(section)) {
    fail(1, `unknown channel ${String(channel)}`)
    return
  }
  const ids = Array.isArray(payload) ? payload.map(String) : []
  const found = ids.map((one) =>
    exchange.markets.find((market) => market.section === section && market.id === one),
  )
  if (found.includes(undefined)) {
    const missing = ids[found.indexOf(undefined)]
    fail(2, `unknown ${section === 'spot' ? 'currency pair:' : 'contract'} ${missing}`)
    return
  }
  connection.send({ ...echo, result: { status: 'success' } })
  for (const market of found as Market[]) {
    if (event === 'subscribe') connection.subscribe(market.id, market.symbol)
    else connection.unsubscribe(market.id)
    connection.sendSnapshot(market.id)
  }
}

/** The frame has the time. The ticker itself has none. */
function ticker(market: Market, quote: StandInQuote): string {
  const row = dayTicker(market, quote)
  return JSON.stringify({
    time: Math.floor(quote.at / 1000),
    time_ms: quote.at,
    channel: channelOf(market.section),
    event: 'update',
    result: market.section === 'spot' ? row : [row],
  })
}
