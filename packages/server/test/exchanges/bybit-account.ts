import Big from 'big.js'
import {
  answerSigned,
  type BybitMarket,
  type Clock,
  failure,
  parametersOf,
  type Sent,
  success,
} from './bybit-requests.ts'
import type { HeldPosition } from './positions.ts'
import type { Exchange, Reply, RestCall } from './stand-in.ts'
import type { AccountBook } from './trading.ts'

const windowMs = 7 * 86_400_000
const logPage = 50

/** What Bybit says about an account and its key. */
export function accountRest(
  call: RestCall,
  exchange: Exchange<BybitMarket>,
  book: AccountBook,
): Reply | undefined {
  const sent = parametersOf(call)
  const answer = answerOf(call, sent, exchange, book)
  return answer === undefined ? undefined : answerSigned(call, exchange, book, 'question', answer)
}

function answerOf(
  { path, headers }: RestCall,
  sent: Sent,
  exchange: Exchange<BybitMarket>,
  book: AccountBook,
): (() => Reply) | undefined {
  switch (path) {
    case '/v5/user/query-api':
      return () => success(exchange, keyInfo(String(headers['x-bapi-api-key']), book))
    case '/v5/account/info':
      return () => success(exchange, accountInfo(book))
    case '/v5/account/wallet-balance':
      return () => wallet(sent, exchange, book)
    case '/v5/position/list':
      return () => positions(sent, exchange, book)
    case '/v5/position/set-leverage':
      return () => setLeverage(sent, exchange, book)
    case '/v5/account/transaction-log':
      return () => transactions(sent, exchange, book)
    default:
      return undefined
  }
}

/** Source: `isUnifiedEnabled` in ccxt's bybit.js, https://bybit-exchange.github.io/docs/v5/user/apikey-info. */
function keyInfo(apiKey: string, book: AccountBook) {
  const key = book.keys.get(apiKey)
  const isUnified = book.mode.account === 'unified'
  return {
    id: '13770661',
    note: 'tickwright',
    apiKey,
    readOnly: key?.mayTrade === false ? 1 : 0,
    secret: '',
    permissions: {
      ContractTrade: ['Order', 'Position'],
      Spot: ['SpotTrade'],
      Wallet: ['AccountTransfer', ...(key?.mayWithdraw === true ? ['Withdraw'] : [])],
      Options: [],
      Derivatives: ['DerivativesTrade'],
      CopyTrading: [],
      BlockTrade: [],
      Exchange: [],
      NFT: [],
    },
    ips: ['*'],
    type: 1,
    deadlineDay: 83,
    expiredAt: '2026-12-31T03:21:05Z',
    createdAt: '2026-10-16T02:24:40Z',
    unified: 0,
    uta: isUnified ? 1 : 0,
    userID: 24600000,
    inviterID: 0,
    vipLevel: 'No VIP',
    mktMakerLevel: '0',
    affiliateID: 0,
    rsaPublicKey: '',
    isMaster: false,
  }
}

/** Source: `isUnifiedEnabled` in ccxt's bybit.js. */
function accountInfo({ mode }: AccountBook) {
  return {
    marginMode: mode.margin === 'cross' ? 'REGULAR_MARGIN' : 'ISOLATED_MARGIN',
    updatedTime: '1697078946000',
    unifiedMarginStatus: mode.account === 'unified' ? 5 : 1,
    dcpStatus: 'OFF',
    timeWindow: 10,
    smpGroup: 0,
    isMasterTrader: false,
    spotHedgingStatus: 'OFF',
  }
}

/** Source: `parseBalance` in ccxt's bybit.js, https://bybit-exchange.github.io/docs/v5/account/wallet-balance. */
function wallet({ accountType }: Sent, clock: Clock, book: AccountBook): Reply {
  if (accountType !== 'UNIFIED' || book.mode.account !== 'unified') {
    return failure(clock, 10001, 'accountType only support the type of this account')
  }
  const coin = book.balances().map(([asset, amount]) => ({
    availableToBorrow: '',
    bonus: '0',
    accruedInterest: '0',
    availableToWithdraw: '',
    totalOrderIM: '0',
    equity: amount,
    totalPositionMM: '0',
    usdValue: amount,
    unrealisedPnl: '0',
    borrowAmount: '0',
    totalPositionIM: '0',
    walletBalance: amount,
    locked: book.locked(asset),
    cumRealisedPnl: '0',
    coin: asset,
  }))
  const totalEquity = book.equity('USDT')
  const list = [{ totalEquity, accountIMRate: '0.0101', accountType, totalPerpUPL: '0', coin }]
  return success(clock, { list })
}

/** With a symbol, Bybit lists its positions even if they are empty. */
function positions(
  { category, symbol, settleCoin }: Sent,
  exchange: Exchange<BybitMarket>,
  book: AccountBook,
): Reply {
  const listed = exchange.markets.filter((market) => market.category === category)
  const held = book.positions()
  const sides = book.mode.position === 'hedge' ? (['long', 'short'] as const) : ([undefined] as const)
  const all = listed
    .filter(
      ({ id, symbol: name }) =>
        (symbol ?? id) === id && (settleCoin === undefined || name.endsWith(`:${settleCoin}`)),
    )
    .flatMap((market) =>
      sides.map((side) => {
        const found = held.find((one) => one.symbol === market.symbol && (side ?? one.side) === one.side)
        return { market, side, found }
      }),
    )
  const shown = symbol === undefined ? all.filter(({ found }) => found !== undefined) : all
  const list = shown.map(({ market, side, found }) => ({
    ...positionOf(market, side, found),
    leverage: book.leverageOf(market.symbol),
  }))
  return success(exchange, { nextPageCursor: '', category, list })
}

/** Source: https://bybit-exchange.github.io/docs/v5/position/leverage. In one-way mode, both must be the same. */
function setLeverage(sent: Sent, exchange: Exchange<BybitMarket>, book: AccountBook): Reply {
  const { category, symbol, buyLeverage = '', sellLeverage } = sent
  const market = exchange.markets.find((one) => one.category === category && one.id === symbol)
  if (market === undefined || buyLeverage !== sellLeverage)
    return failure(exchange, 10001, 'params error: leverage invalid')
  if (!(Number(buyLeverage) >= 1 && Number(buyLeverage) <= 100))
    return failure(exchange, 110013, 'Cannot set leverage due to risk limit level')
  const isNew = book.setLeverage(market.symbol, buyLeverage)
  return isNew ? success(exchange, {}) : failure(exchange, 110043, 'Set leverage not modified')
}

/** Source: `parsePosition` in ccxt's bybit.js. */
function positionOf(market: BybitMarket, side: 'long' | 'short' | undefined, held: HeldPosition | undefined) {
  return {
    symbol: market.id,
    avgPrice: held?.entryPrice ?? '0',
    liqPrice:
      held === undefined ? '' : new Big(held.entryPrice).times(side === 'long' ? '0.8' : '1.2').toFixed(),
    riskLimitValue: '200000',
    takeProfit: '',
    positionValue: '',
    tpslMode: 'Full',
    riskId: 41,
    trailingStop: '0',
    unrealisedPnl: held?.unrealised ?? '',
    markPrice: market.price,
    cumRealisedPnl: '0.48805876',
    positionMM: '0',
    createdTime: '1672121182216',
    positionIdx: side === undefined ? 0 : side === 'long' ? 1 : 2,
    positionIM: '0',
    updatedTime: '1672279322668',
    side: held === undefined ? '' : held.side === 'long' ? 'Buy' : 'Sell',
    bustPrice: '',
    size: held?.size ?? '0',
    positionStatus: 'Normal',
    stopLoss: '',
    tradeMode: 0,
  }
}

/** Source: `fetchLedger` in ccxt's bybit.js. Here, a payment by the account is negative. */
function transactions(sent: Sent, exchange: Exchange<BybitMarket>, book: AccountBook): Reply {
  const { type, currency, startTime, endTime, cursor, limit = '20' } = sent
  if (Number(endTime) - Number(startTime) > windowMs) {
    return failure(exchange, 10001, 'The time range between startTime and endTime cannot exceed 7 days')
  }
  const rows = type === 'SETTLEMENT' ? book.fundingPayments().toSorted((a, b) => b.at - a.at) : []
  const start = Number(cursor ?? 0)
  const list = rows
    .filter(({ asset, at }) => asset === currency && at >= Number(startTime) && at <= Number(endTime))
    .slice(start, start + Math.min(Number(limit), logPage))
    .map(({ id, symbol, amount, at }) => ({
      id: `592324_${id}`,
      symbol: exchange.markets.find((market) => market.symbol === symbol)?.id,
      side: 'Buy',
      funding: amount,
      orderLinkId: '',
      orderId: `1672128000-8-592324-1-${id}`,
      fee: '0.00000000',
      change: amount,
      cashFlow: '0',
      transactionTime: String(at),
      type: 'SETTLEMENT',
      feeRate: '0.0001',
      size: '100',
      qty: '100',
      cashBalance: book.balance(currency ?? ''),
      currency,
      category: 'linear',
      tradePrice: '0.3676',
      tradeId: `534c0003-${id}`,
    }))
  const nextPageCursor = list.length === 0 ? '' : `${start + list.length}`
  return success(exchange, { nextPageCursor, list })
}
