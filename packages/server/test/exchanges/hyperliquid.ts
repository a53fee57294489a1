import { candlesOf, durationOf } from './candles.ts'
import { HyperliquidStops } from './hyperliquid-stops.ts'
import { HyperliquidAccount, type OrderStates } from './hyperliquid-trading.ts'
import {
  type Connection,
  type Exchange,
  type Protocol,
  parseFrame,
  type RestCall,
  type StandIn,
  type StandInMarket,
  type StandInOptions,
  type StandInQuote,
  startStandIn,
} from './stand-in.ts'
import { AccountBook, type Trading } from './trading.ts'

/** `id` is Hyperliquid's name of the coin: `BTC` for perpetuals, `@2` or `PURR/USDC` on spot. */
type Market = StandInMarket & { service: 'spot' | 'perps'; token: string }

const wallet = '0x1111111111111111111111111111111111111111'

type Hyperliquid = StandIn & { trading: Trading; nameStates(states: Partial<OrderStates>): void }

/** Hyperliquid: spot and perpetuals, with an account on both. */
export async function startHyperliquid(options?: StandInOptions): Promise<Hyperliquid> {
  const book = new AccountBook({
    price: (symbol) => standIn.price(symbol),
    feeFromBought: true,
    sizeStep: '0.00001',
  })
  const stops = new HyperliquidStops(book)
  const account = new HyperliquidAccount(traded(), book, stops, wallet)
  const standIn: StandIn = await startStandIn(hyperliquid(account), options)
  stops.belongTo(standIn)
  const trading = book.control({ apiKey: '', secret: '' })
  // A valid key of no real account.
  const credentials = { walletAddress: wallet, privateKey: `0x${'22'.repeat(32)}` }
  const nameStates = (states: Partial<OrderStates>) => account.nameStates(states)
  return Object.assign(standIn, { trading: { ...trading, credentials }, nameStates })
}

function traded() {
  const number = (market: Market) =>
    markets.filter(({ service }) => service === market.service).indexOf(market)
  return markets.map((market) => {
    const isContract = market.service === 'perps'
    const asset = isContract ? number(market) : 10_000 + number(market)
    return { ...market, isContract, asset, sizeDecimals: sizeDecimalsOf(market.id) }
  })
}

function hyperliquid(account: HyperliquidAccount): Protocol<Market> {
  return {
    markets,
    rateLimited: { status: 429, body: 'null' },
    rest: (call, exchange) => privateRest(call, account) ?? rest(call, exchange),
    accepts: (path) => path === '/ws',
    open: (connection) => connection.send('Websocket connection established.'),
    message,
    ticker: (market, quote, key, exchange) => {
      if (key === 'allMids') {
        const mids = { ...allMids(exchange), [market.id]: quote.price }
        return JSON.stringify({ channel: 'allMids', data: { mids } })
      }
      const channel = market.service === 'spot' ? 'activeSpotAssetCtx' : 'activeAssetCtx'
      return JSON.stringify({ channel, data: { coin: market.id, ctx: context(market, quote) } })
    },
  }
}

function perp(coin: string, price: string, active = true): Market {
  const base = coin.toUpperCase()
  return { service: 'perps', id: coin, token: coin, symbol: `${base}/USDC:USDC`, price, active }
}

function spot(id: string, token: string, symbol: string, price: string): Market {
  return { service: 'spot', id, token, symbol, price }
}

const markets: Market[] = [
  perp('BTC', '60014.5'),
  perp('ETH', '3001.55'),
  perp('SOL', '150.51'),
  perp('kPEPE', '0.008125'),
  perp('MATIC', '0.3776', false),
  // Wrapped coins have the names of the coins. They are in the order of their numbers.
  spot('PURR/USDC', 'PURR', 'PURR/USDC', '0.14'),
  spot('@1', 'HYPE', 'HYPE/USDC', '38.12'),
  spot('@2', 'UBTC', 'BTC/USDC', '60004.0'),
  spot('@3', 'UETH', 'ETH/USDC', '3000.9'),
  spot('@4', 'USOL', 'SOL/USDC', '150.05'),
]

function privateRest({ method, path, body }: RestCall, account: HyperliquidAccount) {
  const sent = method === 'POST' ? parseFrame(body) : undefined
  if (sent === undefined) return undefined
  if (path === '/exchange') return account.exchange(sent)
  return path === '/info' ? account.info(sent) : undefined
}

function rest({ method, path, body }: RestCall, exchange: Exchange<Market>) {
  if (path !== '/info' || method !== 'POST') return undefined
  const perps = exchange.markets.filter(({ service }) => service === 'perps')
  const spots = exchange.markets.filter(({ service }) => service === 'spot')
  const contexts = (listed: Market[]) => listed.map((market) => context(market, exchange.quote(market)))
  switch (parseFrame(body)?.type) {
    case 'meta':
      return { json: meta(perps) }
    case 'metaAndAssetCtxs':
      return { json: [meta(perps), contexts(perps)] }
    case 'spotMeta':
      return { json: spotMeta(spots) }
    case 'spotMetaAndAssetCtxs':
      return { json: [spotMeta(spots), contexts(spots)] }
    case 'perpDexs':
      return { json: [null] }
    case 'allMids':
      return { json: allMids(exchange) }
    case 'l2Book': {
      const coin = parseFrame(body)?.coin
      const market = exchange.markets.find(({ id }) => id === coin)
      if (market === undefined) return { json: null }
      const { price: px, at } = exchange.quote(market)
      return { json: { coin, time: at, levels: [[{ px, sz: '7.6', n: 17 }], [{ px, sz: '2.1', n: 9 }]] } }
    }
    case 'candleSnapshot':
      return candleSnapshot(parseFrame(body)?.req, exchange)
    default:
      return { status: 422, text: 'Failed to deserialize the JSON body into the target type' }
  }
}

/** "Only the most recent 5000 candles are available", as in Hyperliquid's documentation: Info endpoint, Candle snapshot. */
function candleSnapshot(request: unknown, exchange: Exchange<Market>) {
  const { coin, interval, startTime, endTime } = (request ?? {}) as Record<string, unknown>
  const market = exchange.markets.find(({ id }) => id === coin)
  const durationMs = durationOf(interval)
  if (market === undefined) return { status: 500, json: null }
  if (durationMs === undefined || typeof startTime !== 'number') {
    return { status: 422, text: 'Failed to deserialize the JSON body into the target type' }
  }
  const window = { durationMs, until: typeof endTime === 'number' ? endTime : exchange.now(), limit: 5_000 }
  const rows = candlesOf(market, exchange, window).filter(({ at }) => at >= startTime)
  return {
    json: rows.map(({ at, open, high, low, last, volume }) => ({
      ...{ t: at, T: at + durationMs - 1, s: coin, i: interval },
      ...{ o: open, c: last, h: high, l: low, v: volume, n: 46 },
    })),
  }
}

/** Of a perpetual, or of the base of a pair on spot. */
function sizeDecimalsOf(id: string): number {
  return id === 'BTC' || id === '@2' ? 5 : 2
}

function meta(perps: Market[]) {
  const universe = perps.map(({ id, active }) => ({
    name: id,
    szDecimals: sizeDecimalsOf(id),
    maxLeverage: 40,
    marginTableId: 50,
    ...(active === false ? { isDelisted: true } : {}),
  }))
  return { universe, marginTables: [], collateralToken: 0 }
}

function spotMeta(spots: Market[]) {
  const tokens = ['USDC', ...spots.map(({ token }) => token)].map((name, index) => ({
    name,
    szDecimals: name === 'UBTC' ? 5 : 2,
    weiDecimals: 8,
    index,
    tokenId: `0x${index.toString(16).padStart(32, '0')}`,
    isCanonical: index < 2,
    evmContract: null,
    fullName: null,
  }))
  const universe = spots.map(({ id }, index) => ({
    name: id,
    tokens: [index + 1, 0],
    index,
    isCanonical: index === 0,
  }))
  return { universe, tokens }
}

function allMids(exchange: Exchange<Market>) {
  return Object.fromEntries(exchange.markets.map((market) => [market.id, exchange.quote(market).price]))
}

function context({ service, id }: Market, { price }: StandInQuote) {
  const common = { dayNtlVlm: '1169046.29406', prevDayPx: price, markPx: price, midPx: price }
  if (service === 'spot') return { ...common, circulatingSupply: '998949190.03400207', coin: id }
  return {
    ...common,
    oraclePx: price,
    funding: '0.0000125',
    openInterest: '688.11',
    premium: '0.00031774',
    impactPxs: [price, price],
    dayBaseVlm: '19.4',
  }
}

function message(connection: Connection, text: string, exchange: Exchange<Market>): void {
  const fail = (data: string) => connection.send({ channel: 'error', data })
  const request = parseFrame(text)
  const method = request?.method
  if (method === 'ping') {
    connection.send({ channel: 'pong' })
    return
  }
  if (request === undefined || (method !== 'subscribe' && method !== 'unsubscribe')) {
    fail(`Error parsing JSON into valid websocket request: ${text}`)
    return
  }
  const subscription = (request.subscription ?? {}) as { type?: unknown; coin?: unknown }
  const spelled = JSON.stringify(subscription)
  const all = subscription.type === 'allMids'
  const market = exchange.markets.find(({ id }) => id === subscription.coin)
  if (!all && (subscription.type !== 'activeAssetCtx' || market === undefined)) {
    fail(`Invalid subscription ${spelled}`)
    return
  }
  const key = all ? 'allMids' : String(subscription.coin)
  if (connection.subscriptions.has(key) === (method === 'subscribe')) {
    fail(`Already ${method}d: ${spelled}`)
    return
  }
  connection.send({ channel: 'subscriptionResponse', data: { method, subscription } })
  if (method === 'subscribe') connection.subscribe(key, market?.symbol ?? '*')
  else connection.unsubscribe(key)
  connection.sendSnapshot(key)
}
