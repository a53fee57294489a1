import { candlesOf, durationOf } from './candles.ts'
import {
  type Connection,
  jsonNumber,
  parseFrame,
  quarterEnd,
  type RestCall,
  type StandInQuote,
  yymmdd,
} from './stand-in.ts'

export type FuturesMarket = {
  kind: 'futures'
  symbol: string
  id: string
  price: string
  active?: boolean
  type: 'flexible_futures' | 'futures_inverse' | 'spot index'
  endsAt?: Date
}

/** The part of the exchange that Kraken Futures needs. */
type Clock = { now(): number; quote(market: FuturesMarket): StandInQuote }

export function markets(): FuturesMarket[] {
  const end = quarterEnd()
  const day = yymmdd(end)
  const market = (id: string, symbol: string, type: FuturesMarket['type'], price: string): FuturesMarket => {
    return { kind: 'futures', id, symbol, type, price }
  }
  return [
    market('PF_XBTUSD', 'BTC/USD:USD', 'flexible_futures', '60010'),
    market('PF_ETHUSD', 'ETH/USD:USD', 'flexible_futures', '3001.1'),
    market('PF_SOLUSD', 'SOL/USD:USD', 'flexible_futures', '150.31'),
    { ...market('PF_LUNAUSD', 'LUNA/USD:USD', 'flexible_futures', '0.4211'), active: false },
    market('PI_XBTUSD', 'BTC/USD:BTC', 'futures_inverse', '60005.5'),
    { ...market(`FI_XBTUSD_${day}`, `BTC/USD:BTC-${day}`, 'futures_inverse', '60505'), endsAt: end },
    { ...market(`FF_XBTUSD_${day}`, `BTC/USD:USD-${day}`, 'flexible_futures', '60510'), endsAt: end },
    { ...market('in_xbtusd', 'in_xbtusd', 'spot index', '60008.3'), active: false },
  ]
}

export const feeSchedule = '723888f7-0a8e-4183-8648-f920a22339e3'

/** Anyone may ask for the schedules. */
const feeSchedules = {
  result: 'success',
  feeSchedules: [
    {
      uid: feeSchedule,
      name: 'Linear Fees',
      tiers: [
        { makerFee: 0.02, takerFee: 0.05, usdVolume: 0 },
        { makerFee: 0.0175, takerFee: 0.045, usdVolume: 5_000_000 },
        { makerFee: 0.01, takerFee: 0.03, usdVolume: 10_000_000 },
      ],
    },
  ],
}

export function rest({ path, query }: RestCall, clock: Clock, listed: FuturesMarket[]) {
  const chart = /^\/api\/charts\/v1\/trade\/([^/]+)\/([^/]+)$/.exec(path)
  if (chart !== null) return candles(chart[1]!, chart[2]!, query, clock, listed)
  const base = '/derivatives/api/v3/'
  if (!path.startsWith(base)) return undefined
  const serverTime = new Date(clock.now()).toISOString()
  const [resource, id] = path.slice(base.length).split('/')
  if (resource === 'instruments' && id === undefined) {
    return { json: { result: 'success', instruments: listed.map(instrument), serverTime } }
  }
  if (resource === 'feeschedules' && id === undefined) return { json: { ...feeSchedules, serverTime } }
  if (resource !== 'tickers') return undefined
  if (id === undefined) {
    return {
      json: { result: 'success', tickers: listed.map((market) => dayTicker(market, clock)), serverTime },
    }
  }
  const market = listed.find((one) => one.id.toLowerCase() === id.toLowerCase())
  if (market === undefined) return { json: { result: 'error', error: 'contractNotFound', serverTime } }
  return { json: { result: 'success', ticker: dayTicker(market, clock), serverTime } }
}

/** As in Kraken's documentation: docs.kraken.com/api, Futures, Market candles. Prices are texts, `volume` too. */
function candles(
  id: string,
  interval: string,
  query: URLSearchParams,
  clock: Clock,
  listed: FuturesMarket[],
) {
  const market = listed.find((one) => one.id === id)
  const durationMs = durationOf(interval)
  if (market === undefined || durationMs === undefined) {
    return {
      status: 404,
      json: { errors: [{ severity: 'error', error_class: 'general', type: 'not_found' }] },
    }
  }
  const moment = (name: string) => (query.has(name) ? Number(query.get(name)) * 1_000 : undefined)
  const most = 2_000
  const window = { durationMs, since: moment('from'), until: moment('to') ?? clock.now() }
  const found = candlesOf(market, { ...clock, markets: listed }, { ...window, limit: most + 1 })
  const rows = found.slice(0, most).map(({ at, open, high, low, last, volume }) => ({
    ...{ time: at, open, high, low, close: last, volume },
  }))
  return { json: { candles: rows, more_candles: found.length > most } }
}

function instrument({ id, type, active, endsAt }: FuturesMarket) {
  const tradeable = active !== false
  if (type === 'spot index') return { symbol: id, type, tradeable }
  return {
    symbol: id,
    type,
    underlying: `rr_${id.split('_')[1]?.toLowerCase()}`,
    ...(endsAt === undefined ? {} : { lastTradingTime: endsAt.toISOString() }),
    tickSize: 0.5,
    contractSize: 1,
    tradeable,
    impactMidSize: 1,
    maxPositionSize: 1_000_000,
    openingDate: '2022-03-22T14:25:41.000Z',
    marginLevels: [{ contracts: 0, initialMargin: 0.02, maintenanceMargin: 0.01 }],
    fundingRateCoefficient: 8,
    maxRelativeFundingRate: 0.0025,
    contractValueTradePrecision: type === 'flexible_futures' ? 4 : 0,
    postOnly: false,
    feeScheduleUid: feeSchedule,
    tags: [],
  }
}

function pairOf(id: string): string {
  const pair = id.split('_')[1] ?? ''
  return `${pair.slice(0, -3)}:${pair.slice(-3)}`.toUpperCase()
}

function dayTicker(market: FuturesMarket, clock: Clock) {
  const { price, at } = clock.quote(market)
  const last = jsonNumber(price)
  const lastTime = new Date(at).toISOString()
  if (market.type === 'spot index') return { symbol: market.id, last, lastTime }
  return {
    tag: market.endsAt === undefined ? 'perpetual' : 'quarter',
    pair: pairOf(market.id),
    symbol: market.id,
    markPrice: last,
    bid: last,
    bidSize: 0.0776,
    ask: last,
    askSize: 0.4929,
    vol24h: 8309.2546,
    openInterest: 1950.5966,
    open24h: last,
    indexPrice: last,
    last,
    lastTime,
    lastSize: 0.0114,
    suspended: false,
  }
}

export function open(connection: Connection): void {
  connection.send({ event: 'info', version: 1 })
}

export function message(connection: Connection, text: string, listed: FuturesMarket[]): void {
  const request = parseFrame(text)
  const event = request?.event
  if (request === undefined) {
    connection.send({ event: 'error', message: 'Json Error' })
  } else if (event !== 'subscribe' && event !== 'unsubscribe') {
    connection.send({ event: 'error', message: 'Invalid event' })
  } else if (request.feed !== 'ticker') {
    connection.send({ event: 'error', message: 'Invalid feed' })
  } else {
    const ids = Array.isArray(request.product_ids) ? request.product_ids.map(String) : []
    for (const id of ids) {
      const market = listed.find((one) => one.id === id.toUpperCase())
      if (market === undefined) {
        connection.send({ event: 'error', message: 'Invalid product id' })
        continue
      }
      const again = event === 'subscribe' && connection.subscriptions.has(id)
      if (again) connection.send({ event: 'alert', message: 'Already subscribed to feed, re-requesting' })
      connection.send({ event: `${event}d`, feed: 'ticker', product_ids: [id] })
      if (event === 'subscribe') connection.subscribe(id, market.symbol)
      else connection.unsubscribe(id)
      connection.sendSnapshot(id)
    }
  }
}

export function ticker(market: FuturesMarket, { price, at }: StandInQuote): string {
  const last = jsonNumber(price)
  return JSON.stringify({
    time: at,
    product_id: market.id,
    funding_rate: 7.792297e-12,
    relative_funding_rate: 2.18013888889e-7,
    next_funding_rate_time: at + 3_600_000,
    feed: 'ticker',
    bid: last,
    ask: last,
    bid_size: 2844,
    ask_size: 1902,
    volume: 19_628_180,
    dtm: 0,
    leverage: '50x',
    index: last,
    premium: 0,
    last,
    change: -0.7710945651981715,
    suspended: false,
    tag: market.endsAt === undefined ? 'perpetual' : 'quarter',
    pair: pairOf(market.id),
    openInterest: 28_875_946,
    markPrice: last,
    maturityTime: market.endsAt?.getTime() ?? 0,
    post_only: false,
    volumeQuote: 19_628_180,
  })
}
