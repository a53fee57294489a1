import { accountRest } from './bybit-account.ts'
import type { BybitMarket } from './bybit-requests.ts'
import { bybitStops } from './bybit-stops.ts'
import { tradingRest } from './bybit-trading.ts'
import {
  type Exchange,
  type Protocol,
  type RestCall,
  type StandIn,
  type StandInOptions,
  startStandIn,
} from './stand-in.ts'
import type { StopBook } from './stops.ts'
import { AccountBook, type Trading } from './trading.ts'

/**
 * Bybit: spot and perpetual futures, with a unified trading account. It has no WebSocket. All answers have the shape of
 * the samples in ccxt's bybit.js, which ccxt took from Bybit's documentation and from real answers.
 */
export async function startBybit(options?: StandInOptions): Promise<StandIn & { trading: Trading }> {
  const book = new AccountBook({
    price: (symbol) => standIn.price(symbol),
    feeFromBought: true,
    sizeStep: '0.001',
  })
  const stops = bybitStops(book)
  const standIn: StandIn = await startStandIn(bybit(book, stops), options)
  stops.belongTo(standIn)
  const trading = book.control({ apiKey: 'bybit-stand-in-key', secret: 'bybit-stand-in-secret' })
  trading.setMode({ account: 'unified' })
  return Object.assign(standIn, { trading })
}

function bybit(book: AccountBook, stops: StopBook): Protocol<BybitMarket> {
  return {
    markets: markets(),
    // Source: https://bybit-exchange.github.io/docs/v5/rate-limit
    rateLimited: { status: 200, body: '{"retCode":10006,"retMsg":"Too many visits!","result":{}}' },
    rest: (call, exchange) =>
      tradingRest(call, exchange, { book, stops }) ??
      accountRest(call, exchange, book) ??
      rest(call, exchange),
    accepts: () => false,
    message: () => undefined,
    ticker: () => '',
  }
}

function markets(): BybitMarket[] {
  const market = (
    category: BybitMarket['category'],
    symbol: string,
    price: string,
    id?: string,
  ): BybitMarket => {
    const [base = '', quote = ''] = symbol.split(/[/:]/)
    return { category, id: id ?? `${base}${quote}`, symbol, price, base, quote }
  }
  return [
    market('spot', 'BTC/USDT', '60000.33'),
    market('spot', 'ETH/USDT', '3000.34'),
    market('spot', 'ETH/BTC', '0.05003'),
    market('linear', 'BTC/USDT:USDT', '60012.3'),
    market('linear', 'ETH/USDT:USDT', '3001.41'),
    market('linear', 'BTC/USDC:USDC', '60013.4', 'BTCPERP'),
    market('inverse', 'BTC/USD:BTC', '60007.2'),
  ]
}

function rest({ path, query }: RestCall, exchange: Exchange<BybitMarket>) {
  const category = query.get('category')
  const symbol = query.get('symbol')
  const listed = exchange.markets.filter(
    (market) => market.category === category && (symbol === null || market.id === symbol),
  )
  const success = (result: unknown) => ({
    json: { retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: exchange.now() },
  })
  switch (path) {
    case '/v5/market/time': {
      const seconds = Math.floor(exchange.now() / 1_000)
      return success({ timeSecond: String(seconds), timeNano: `${exchange.now()}000000` })
    }
    case '/v5/market/instruments-info': {
      const list = query.get('status') === 'PreLaunch' ? [] : listed
      return success({
        category,
        list: list.map((one) => (category === 'spot' ? spotInstrument(one) : contractInstrument(one))),
        ...(category === 'spot' ? {} : { nextPageCursor: '' }),
      })
    }
    case '/v5/market/tickers':
      return success({ category, list: listed.map((market) => ticker(market, exchange)) })
    default:
      return undefined
  }
}

/** Source: `fetchSpotMarkets` in ccxt's bybit.js. */
function spotInstrument({ id, base, quote }: BybitMarket) {
  return {
    symbol: id,
    baseCoin: base,
    quoteCoin: quote,
    innovation: '0',
    status: 'Trading',
    marginTrading: 'both',
    lotSizeFilter: {
      basePrecision: '0.000001',
      quotePrecision: '0.00000001',
      minOrderQty: '0.00004',
      maxOrderQty: '63.01197227',
      minOrderAmt: '1',
      maxOrderAmt: '100000',
    },
    priceFilter: { tickSize: '0.01' },
  }
}

/** Source: `fetchFutureMarkets` in ccxt's bybit.js. */
function contractInstrument({ id, base, quote, category, symbol }: BybitMarket) {
  return {
    symbol: id,
    contractType: category === 'linear' ? 'LinearPerpetual' : 'InversePerpetual',
    status: 'Trading',
    baseCoin: base,
    quoteCoin: quote,
    launchTime: '1585526400000',
    deliveryTime: '0',
    deliveryFeeRate: '',
    priceScale: '2',
    leverageFilter: { minLeverage: '1', maxLeverage: '100.00', leverageStep: '0.01' },
    priceFilter: { minPrice: '0.50', maxPrice: '999999.00', tickSize: '0.50' },
    lotSizeFilter: {
      maxOrderQty: '100.000',
      minOrderQty: '0.001',
      qtyStep: '0.001',
      postOnlyMaxOrderQty: '1000.000',
      minNotionalValue: '5',
    },
    unifiedMarginTrade: true,
    fundingInterval: 480,
    settleCoin: symbol.split(':')[1],
  }
}

/** Source: `parseTicker` in ccxt's bybit.js. */
function ticker(market: BybitMarket, exchange: Exchange<BybitMarket>) {
  const { price } = exchange.quote(market)
  return {
    symbol: market.id,
    bid1Price: price,
    bid1Size: '2',
    ask1Price: price,
    ask1Size: '1.862172',
    lastPrice: price,
    prevPrice24h: price,
    price24hPcnt: '0.0068',
    highPrice24h: price,
    lowPrice24h: price,
    turnover24h: '243765620.65899866',
    volume24h: '11801.27771',
  }
}
