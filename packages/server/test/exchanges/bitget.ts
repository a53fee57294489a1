import { privateRest } from './bitget-private.ts'
import { candlesOf, durationOf } from './candles.ts'
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

/** `product` is Bitget's name for a kind of market: `SPOT`, `USDT-FUTURES`, `COIN-FUTURES`, `USDC-FUTURES`. */
type Market = StandInMarket & { product: string; base: string; quote: string; endsAt?: Date }

/** Bitget: spot, and futures settled in USDT, USDC and coins, with an account on spot and USDT futures. */
export async function startBitget(options?: StandInOptions): Promise<StandIn & { trading: Trading }> {
  const book = new AccountBook({
    price: (symbol) => standIn.price(symbol),
    feeFromBought: true,
    sizeStep: '0.0001',
  })
  const stops = new StopBook(book)
  const standIn: StandIn = await startStandIn(bitget(book, stops), options)
  stops.belongTo(standIn)
  const secrets = { secret: 'bitget-stand-in-secret', password: 'bitget-stand-in-passphrase' }
  return Object.assign(standIn, { trading: book.control({ apiKey: 'bitget-stand-in-key', ...secrets }) })
}

function bitget(book: AccountBook, stops: StopBook): Protocol<Market> {
  return {
    markets: markets(),
    rateLimited: {
      status: 429,
      body: '{"code":"429","msg":"Too many requests","requestTime":1700111073740,"data":null}',
    },
    rest: (call, exchange) =>
      privateRest(call, exchange.markets, exchange, book, stops) ?? rest(call, exchange),
    accepts: (path) => path === '/v2/ws/public',
    message,
    ticker: (market, quote, _key, exchange) => {
      const data = [{ instId: market.id, ...dayTicker(market, quote) }]
      return JSON.stringify({ action: 'snapshot', arg: argument(market), data, ts: exchange.now() })
    },
  }
}

function markets(): Market[] {
  const end = quarterEnd()
  const spot = (base: string, quote: string, price: string, changes: Partial<Market> = {}): Market => {
    const pair = { product: 'SPOT', base, quote, price }
    return { ...pair, id: `${base}${quote}`, symbol: `${base}/${quote}`, ...changes }
  }
  const future = (product: string, id: string, symbol: string, price: string, endsAt?: Date): Market => {
    const [base = '', quote = ''] = symbol.split(/[/:]/)
    return { product, id, symbol, price, base, quote, ...(endsAt === undefined ? {} : { endsAt }) }
  }
  return [
    spot('BTC', 'USDT', '60000.33'),
    spot('ETH', 'USDT', '3000.34'),
    spot('SOL', 'USDT', '150.35'),
    spot('ETH', 'BTC', '0.05003'),
    spot('BTC', 'USDC', '60003.36'),
    // Bitget's APX is another coin than elsewhere.
    spot('APX', 'USDT', '0.00112', { symbol: 'AstroPepeX/USDT' }),
    spot('QLC', 'USDT', '0.0201', { active: false }),
    future('USDT-FUTURES', 'BTCUSDT', 'BTC/USDT:USDT', '60012.3'),
    future('USDT-FUTURES', 'ETHUSDT', 'ETH/USDT:USDT', '3001.41'),
    future('USDT-FUTURES', 'SOLUSDT', 'SOL/USDT:USDT', '150.42'),
    { ...future('USDT-FUTURES', 'SRMUSDT', 'SRM/USDT:USDT', '0.31'), active: false },
    future('USDC-FUTURES', 'BTCPERP', 'BTC/USDC:USDC', '60013.4'),
    future('COIN-FUTURES', 'BTCUSD', 'BTC/USD:BTC', '60007.2'),
    future('COIN-FUTURES', 'BTCUSDZ26', `BTC/USD:BTC-${yymmdd(end)}`, '60607.2', end),
  ]
}

function rest({ path, query }: RestCall, exchange: Exchange<Market>) {
  const product = query.get('productType')?.toUpperCase() ?? 'SPOT'
  const listed = exchange.markets.filter((market) => market.product === product)
  const success = (data: unknown) => ({
    json: { code: '00000', msg: 'success', requestTime: exchange.now(), data },
  })
  const row = (market: Market) => ({ symbol: market.id, ...dayTicker(market, exchange.quote(market)) })
  switch (path) {
    case '/api/v2/public/time':
      return success({ serverTime: String(exchange.now()) })
    case '/api/v2/spot/public/symbols':
      return success(listed.map(spotSymbol))
    case '/api/v2/margin/currencies':
      return success([{ symbol: 'BTCUSDT', baseCoin: 'BTC', quoteCoin: 'USDT', isBorrowable: true }])
    case '/api/v2/mix/market/contracts':
      return success(listed.map(contract))
    case '/api/v2/mix/market/tickers':
      return success(listed.map(row))
    case '/api/v2/spot/market/tickers':
    case '/api/v2/mix/market/ticker': {
      const symbol = query.get('symbol')
      const wanted = symbol === null ? listed : listed.filter(({ id }) => id === symbol)
      if (wanted.length > 0) return success(wanted.map(row))
      const msg = `Parameter ${symbol} does not exist`
      return { status: 400, json: { code: '40034', msg, requestTime: exchange.now(), data: null } }
    }
    default:
      return candles(path, query, listed, exchange)
  }
}

const dayMs = 86_400_000

/**
 * As in Bitget's documentation (Get Candle Data and Get History Candle Data, spot and contract), with the limits that
 * ccxt has found by testing (`options.fetchOHLCV` of its bitget.js): what one answer holds, and how far back it reaches.
 */
function candles(path: string, query: URLSearchParams, listed: Market[], exchange: Exchange<Market>) {
  const [, kind, which] = /^\/api\/v2\/(spot|mix)\/market\/(candles|history-candles)$/.exec(path) ?? []
  if (kind === undefined) return undefined
  const refuse = (code: string, msg: string) => ({
    ...{ status: 400, json: { code, msg, requestTime: exchange.now(), data: null } },
  })
  const market = listed.find(({ id }) => id === query.get('symbol'))
  if (market === undefined) return refuse('40034', `Parameter ${query.get('symbol')} does not exist`)
  const durationMs = durationOf(query.get('granularity'))
  if (durationMs === undefined) return refuse('400171', 'Parameter verification failed')
  const moment = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
  const [since = Number.NEGATIVE_INFINITY, until = exchange.now()] = [moment('startTime'), moment('endTime')]
  const mostOfContract = Math.max(1, Math.floor((90 * dayMs) / durationMs))
  const most = Math.min(which === 'candles' ? 1_000 : 200, kind === 'mix' ? mostOfContract : Infinity)
  const limit = Number(query.get('limit') ?? 100)
  if (!(limit >= 1 && limit <= (which === 'candles' ? 1_000 : 200)))
    return refuse('40017', 'Parameter verification failed limit')
  if (kind === 'mix' && which !== 'candles' && until - since > 90 * dayMs)
    return refuse('40017', 'The time range must not be greater than 90 days')
  const window = { durationMs, until: until - 1, limit: Math.min(limit, most) }
  const rows = candlesOf(market, exchange, window).filter(({ at }) => at >= since)
  const data = rows.map(({ at, open, high, low, last, volume }) => [
    ...[String(at), open, high, low, last, volume, '1000000'],
    ...(kind === 'spot' ? ['1000000'] : []),
  ])
  return { json: { code: '00000', msg: 'success', requestTime: exchange.now(), data } }
}

function spotSymbol({ id, base, quote, active }: Market) {
  return {
    symbol: id,
    baseCoin: base,
    quoteCoin: quote,
    minTradeAmount: '0',
    maxTradeAmount: '10000000000',
    takerFeeRate: '0.002',
    makerFeeRate: '0.002',
    pricePrecision: '6',
    quantityPrecision: '4',
    quotePrecision: '6',
    status: active === false ? 'offline' : 'online',
    minTradeUSDT: '5',
    buyLimitPriceRatio: '0.05',
    sellLimitPriceRatio: '0.05',
  }
}

function contract({ id, base, quote, product, active, endsAt }: Market) {
  return {
    symbol: id,
    baseCoin: base,
    quoteCoin: quote,
    buyLimitPriceRatio: '0.01',
    sellLimitPriceRatio: '0.01',
    feeRateUpRatio: '0.005',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    openCostUpRatio: '0.01',
    supportMarginCoins: product === 'COIN-FUTURES' ? ['BTC', 'ETH', 'USDC', 'XRP'] : [quote],
    minTradeNum: '0.001',
    priceEndStep: '1',
    volumePlace: '3',
    pricePlace: '1',
    sizeMultiplier: '0.001',
    symbolType: endsAt === undefined ? 'perpetual' : 'delivery',
    minTradeUSDT: '5',
    symbolStatus: active === false ? 'off' : 'normal',
    offTime: '-1',
    limitOpenTime: '-1',
    deliveryTime: endsAt === undefined ? '' : String(endsAt.getTime()),
    deliveryPeriod: endsAt === undefined ? '' : 'this_quarter',
    launchTime: '',
    fundInterval: '8',
    minLever: '1',
    maxLever: '125',
  }
}

function dayTicker({ product }: Market, { price, at }: StandInQuote) {
  return {
    lastPr: price,
    askPr: price,
    bidPr: price,
    bidSz: '0.0334',
    askSz: '0.1917',
    high24h: price,
    low24h: price,
    ts: String(at),
    change24h: '0.03879',
    baseVolume: '15002.4216',
    quoteVolume: '648006446.7164',
    openUtc: price,
    changeUtc24h: '-0.01232',
    open24h: price,
    ...(product === 'SPOT'
      ? {}
      : { markPrice: price, indexPrice: price, fundingRate: '0.000096', holdingAmount: '50670.787' }),
  }
}

function argument({ product, id }: Market) {
  return { instType: product, channel: 'ticker', instId: id }
}

function message(connection: Connection, text: string, exchange: Exchange<Market>): void {
  if (text === 'ping') {
    connection.send('pong')
    return
  }
  const request = parseFrame(text)
  const op = request?.op
  if (op !== 'subscribe' && op !== 'unsubscribe') {
    connection.send({ event: 'error', code: 30003, msg: `INVALID op:${String(op)}` })
    return
  }
  const args = Array.isArray(request?.args) ? (request.args as Record<string, unknown>[]) : []
  for (const arg of args) {
    const { instType, channel, instId } = arg
    const market = exchange.markets.find(({ product, id }) => product === instType && id === instId)
    if (market === undefined || channel !== 'ticker') {
      const msg = `instType:${instType},channel:${channel},instId:${instId} doesn't exist`
      connection.send({ event: 'error', arg, code: 30001, msg, op })
      continue
    }
    const key = `${instType}:${instId}`
    connection.send({ event: op, arg: argument(market) })
    if (op === 'subscribe') connection.subscribe(key, market.symbol)
    else connection.unsubscribe(key)
    connection.sendSnapshot(key)
  }
}
