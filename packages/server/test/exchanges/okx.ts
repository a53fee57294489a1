import { accountRest } from './okx-account.ts'
import { contractSize, type OkxMarket } from './okx-requests.ts'
import { tradingRest } from './okx-trading.ts'
import {
  type Exchange,
  type Protocol,
  type RestCall,
  type StandIn,
  type StandInOptions,
  startStandIn,
} from './stand-in.ts'
import { StopBook } from './stops.ts'
import { AccountBook, type Trading } from './trading.ts'

/**
 * OKX: spot and perpetual futures, with one account for both, in futures mode. It has no WebSocket. All answers have the
 * shape of the samples in ccxt's okx.js, which ccxt took from OKX's documentation and from real answers.
 */
export async function startOkx(options?: StandInOptions): Promise<StandIn & { trading: Trading }> {
  const book = new AccountBook({
    price: (symbol) => standIn.price(symbol),
    feeFromBought: true,
    sizeStep: '0.001',
  })
  const stops = new StopBook(book)
  const standIn: StandIn = await startStandIn(okx(book, stops), options)
  stops.belongTo(standIn)
  const secrets = { secret: 'okx-stand-in-secret', password: 'okx-stand-in-passphrase' }
  const trading = book.control({ apiKey: 'okx-stand-in-key', ...secrets })
  trading.setMode({ account: '2' })
  return Object.assign(standIn, { trading })
}

function okx(book: AccountBook, stops: StopBook): Protocol<OkxMarket> {
  return {
    markets: markets(),
    rateLimited: { status: 429, body: '{"code":"50011","data":[],"msg":"Too Many Requests"}' },
    rest: (call, exchange) =>
      tradingRest(call, exchange, { book, stops }) ??
      accountRest(call, exchange, book) ??
      rest(call, exchange),
    accepts: () => false,
    message: () => undefined,
    ticker: () => '',
  }
}

function markets(): OkxMarket[] {
  const market = (instType: OkxMarket['instType'], symbol: string, price: string): OkxMarket => {
    const [base = '', quote = ''] = symbol.split(/[/:]/)
    const id = instType === 'SPOT' ? `${base}-${quote}` : `${base}-${quote}-SWAP`
    return { instType, id, symbol, price, base, quote }
  }
  return [
    market('SPOT', 'BTC/USDT', '60000.33'),
    market('SPOT', 'ETH/USDT', '3000.34'),
    market('SPOT', 'ETH/BTC', '0.05003'),
    market('SWAP', 'BTC/USDT:USDT', '60012.3'),
    market('SWAP', 'ETH/USDT:USDT', '3001.41'),
    market('SWAP', 'BTC/USDC:USDC', '60013.4'),
    market('SWAP', 'BTC/USD:BTC', '60007.2'),
  ]
}

function rest({ path, query }: RestCall, exchange: Exchange<OkxMarket>) {
  const success = (data: unknown) => ({ json: { code: '0', data, msg: '' } })
  const listed = exchange.markets.filter(({ instType }) => instType === query.get('instType'))
  switch (path) {
    case '/api/v5/public/time':
      return success([{ ts: String(exchange.now()) }])
    case '/api/v5/public/instruments':
      return success(listed.map(instrument))
    case '/api/v5/market/tickers':
      return success(listed.map((market) => ticker(market, exchange)))
    case '/api/v5/market/ticker':
      return success(
        exchange.markets
          .filter(({ id }) => id === query.get('instId'))
          .map((market) => ticker(market, exchange)),
      )
    default:
      return undefined
  }
}

/** Source: `parseMarket` in ccxt's okx.js. */
function instrument({ id, instType, base, quote, symbol }: OkxMarket) {
  const isSpot = instType === 'SPOT'
  return {
    alias: '',
    baseCcy: isSpot ? base : '',
    category: '1',
    ctMult: isSpot ? '' : '1',
    ctType: isSpot ? '' : quote === 'USD' ? 'inverse' : 'linear',
    ctVal: isSpot ? '' : contractSize,
    ctValCcy: isSpot ? '' : base,
    expTime: '',
    instId: id,
    instType,
    lever: isSpot ? '10' : '100',
    listTime: '1548133413000',
    lotSz: isSpot ? '0.00000001' : '0.01',
    minSz: isSpot ? '0.0001' : '0.01',
    optType: '',
    quoteCcy: isSpot ? quote : '',
    settleCcy: isSpot ? '' : symbol.split(':')[1],
    state: 'live',
    stk: '',
    tickSz: '0.1',
    uly: isSpot ? '' : `${base}-${quote}`,
  }
}

/** Source: `parseTicker` in ccxt's okx.js. */
function ticker(market: OkxMarket, exchange: Exchange<OkxMarket>) {
  const { price, at } = exchange.quote(market)
  return {
    instType: market.instType,
    instId: market.id,
    last: price,
    lastSz: '0.07',
    askPx: price,
    askSz: '11',
    bidPx: price,
    bidSz: '5',
    open24h: price,
    high24h: price,
    low24h: price,
    volCcy24h: '1021',
    vol24h: '33',
    ts: String(at),
    sodUtc0: price,
    sodUtc8: price,
  }
}
