import Big from 'big.js'
import type { Exchange, Reply, StandInMarket } from './stand-in.ts'
import type { AccountBook, BookOrder, Key } from './trading.ts'

export type BinanceMarket = StandInMarket & {
  kind: 'spot' | 'linear' | 'inverse'
  base: string
  quote: string
}
type Context = { sent: URLSearchParams; exchange: Exchange<BinanceMarket>; book: AccountBook; key: Key }

const dayMs = 86_400_000
/** The longest time between `startTime` and `endTime`. */
const windowMs = { spot: dayMs, linear: 7 * dayMs, inverse: 7 * dayMs }

/**
 * Answers about an account and its key. The shapes are those of the examples in Binance's documentation: spot "Account
 * information", wallet "Get API Key Permission", "Account info" and "Query User Wallet Balance", and USD-M futures "Get
 * Current Position Mode", "Position Information V3", "Get Income History", "User's Force Orders" and "Account
 * Information V3".
 */
export const accountAnswers: Record<string, (context: Context) => Reply> = {
  'GET /api/v3/account': ({ book, exchange }) => ({ json: spotAccount(book, exchange) }),
  'GET /sapi/v1/account/apiRestrictions': ({ key }) => ({ json: restrictions(key) }),
  'GET /sapi/v1/account/info': ({ book }) => ({
    json: {
      vipLevel: 0,
      isMarginEnabled: true,
      isFutureEnabled: true,
      isOptionsEnabled: true,
      isPortfolioMarginRetailEnabled: book.mode.account === 'portfolio',
    },
  }),
  'GET /sapi/v1/asset/wallet/balance': ({ sent, book }) => ({
    json: [
      { activate: true, balance: book.balance(sent.get('quoteAsset') ?? 'BTC'), walletName: 'Spot' },
      { activate: true, balance: '0', walletName: 'Funding' },
    ],
  }),
  'GET /fapi/v1/positionSide/dual': ({ book }) => ({
    json: { dualSidePosition: book.mode.position === 'hedge' },
  }),
  'GET /fapi/v3/account': ({ book }) => ({ json: futuresAccount(book) }),
  'GET /fapi/v3/positionRisk': ({ book, exchange }) => ({ json: positionRisk(book, exchange) }),
  'GET /fapi/v1/symbolConfig': symbolConfig,
  'POST /fapi/v1/leverage': setLeverage,
  'POST /fapi/v1/marginType': setMarginType,
  'GET /fapi/v1/income': income,
  'GET /fapi/v1/forceOrders': forceOrders,
}

function restrictions(key: Key) {
  const mayTrade = key.mayTrade !== false
  return {
    ipRestrict: key.ips !== undefined,
    createTime: 1_623_840_271_000,
    enableReading: true,
    enableWithdrawals: key.mayWithdraw === true,
    enableInternalTransfer: false,
    enableMargin: false,
    enableFutures: mayTrade,
    permitsUniversalTransfer: false,
    enableVanillaOptions: false,
    enableFixApiTrade: false,
    enableFixReadOnly: true,
    enableSpotAndMarginTrading: mayTrade,
    enablePortfolioMarginTrading: false,
  }
}

function spotAccount(book: AccountBook, exchange: Exchange<BinanceMarket>) {
  return {
    makerCommission: 10,
    takerCommission: 10,
    canTrade: true,
    canWithdraw: false,
    canDeposit: true,
    updateTime: exchange.now(),
    accountType: 'SPOT',
    balances: book.balances().map(([asset, total]) => {
      const locked = book.locked(asset)
      return { asset, free: new Big(total).minus(locked).toFixed(), locked }
    }),
    permissions: ['SPOT'],
    uid: 354_937_868,
  }
}

function futuresAccount(book: AccountBook) {
  const unrealised = book.positions().reduce((sum, one) => sum.plus(one.unrealised), new Big(0))
  const assets = book.balances().map(([asset, balance]) => ({
    asset,
    walletBalance: balance,
    unrealizedProfit: asset === 'USDT' ? unrealised.toFixed() : '0.00000000',
    marginBalance: asset === 'USDT' ? book.equity(asset) : balance,
    maintMargin: '0.00000000',
    initialMargin: '0.00000000',
    crossWalletBalance: balance,
    availableBalance: balance,
    maxWithdrawAmount: balance,
  }))
  return {
    totalWalletBalance: book.balance('USDT'),
    totalUnrealizedProfit: unrealised.toFixed(),
    totalMarginBalance: book.equity('USDT'),
    availableBalance: book.balance('USDT'),
    assets,
    positions: [],
  }
}

/** Only symbols with a position or an open order are listed. */
function positionRisk(book: AccountBook, { markets, quote }: Exchange<BinanceMarket>) {
  return book.positions().flatMap(({ symbol, side, size, entryPrice, unrealised }) => {
    const market = markets.find((one) => one.kind === 'linear' && one.symbol === symbol)
    if (market === undefined) return []
    const { price } = quote(market)
    const amount = side === 'long' ? new Big(size) : new Big(size).neg()
    const isIsolated = book.mode.margin === 'isolated'
    return {
      symbol: market.id,
      positionSide: book.mode.position === 'hedge' ? side.toUpperCase() : 'BOTH',
      positionAmt: amount.toFixed(),
      entryPrice,
      breakEvenPrice: entryPrice,
      markPrice: price,
      unRealizedProfit: unrealised,
      liquidationPrice: new Big(entryPrice).times(side === 'long' ? '0.8' : '1.2').toFixed(),
      isolatedMargin: isIsolated ? new Big(size).times(entryPrice).div(20).toFixed() : '0',
      notional: amount.times(price).toFixed(),
      marginAsset: market.quote,
      isolatedWallet: '0',
      initialMargin: '0',
      maintMargin: '0',
      positionInitialMargin: '0',
      openOrderInitialMargin: '0',
      adl: 2,
      bidNotional: '0',
      askNotional: '0',
      updateTime: Date.now(),
    }
  })
}

/** Of all symbols, or of one. Source: the page "Symbol Configuration" of the USD-M futures. */
function symbolConfig({ sent, book, exchange }: Context): Reply {
  const wanted = sent.get('symbol')
  const listed = exchange.markets.filter(({ kind, id }) => kind === 'linear' && (wanted ?? id) === id)
  return {
    json: listed.map(({ id, symbol }) => ({
      symbol: id,
      marginType: book.mode.margin === 'cross' ? 'CROSSED' : 'ISOLATED',
      isAutoAddMargin: false,
      leverage: Number(book.leverageOf(symbol)),
      maxNotionalValue: '1000000',
    })),
  }
}

/** Source: the page "Change Initial Leverage". */
function setLeverage({ sent, book, exchange }: Context): Reply {
  const market = linearOf(sent, exchange)
  const wanted = sent.get('leverage') ?? ''
  if (market === undefined) return failure(-1121, 'Invalid symbol.')
  if (!(Number(wanted) >= 1 && Number(wanted) <= 125))
    return failure(-4028, `Leverage ${wanted} is not valid`)
  book.setLeverage(market.symbol, wanted)
  return { json: { leverage: Number(wanted), maxNotionalValue: '1000000', symbol: market.id } }
}

/** Source: the page "Change Margin Type". */
function setMarginType({ sent, book, exchange }: Context): Reply {
  const market = linearOf(sent, exchange)
  const wanted = sent.get('marginType') === 'CROSSED' ? 'cross' : 'isolated'
  if (market === undefined) return failure(-1121, 'Invalid symbol.')
  if (wanted === book.mode.margin) return failure(-4046, 'No need to change margin type.')
  if (book.positions().some(({ symbol }) => symbol === market.symbol))
    return failure(-4048, 'Margin type cannot be changed if there exists position.')
  book.setMargin(wanted)
  return { json: { code: 200, msg: 'success' } }
}

function linearOf(sent: URLSearchParams, { markets }: Exchange<BinanceMarket>): BinanceMarket | undefined {
  return markets.find(({ kind, id }) => kind === 'linear' && id === sent.get('symbol'))
}

function income({ sent, book, exchange }: Context): Reply {
  const market = exchange.markets.find((one) => one.kind === 'linear' && one.id === sent.get('symbol'))
  const limit = Number(sent.get('limit') ?? 100)
  const page = Number(sent.get('page') ?? 1)
  const paid = book
    .fundingPayments()
    .filter(({ symbol, at }) => symbol === market?.symbol && at >= Number(sent.get('startTime') ?? 0))
    .slice((page - 1) * limit, page * limit)
  return {
    json: paid.map(({ id, asset, amount, at }) => ({
      symbol: market?.id,
      incomeType: 'FUNDING_FEE',
      income: amount,
      asset,
      info: 'FUNDING_FEE',
      time: at,
      tranId: Number(id),
      tradeId: '',
    })),
  }
}

function forceOrders({ sent, book, exchange }: Context): Reply {
  const market = exchange.markets.find((one) => one.kind === 'linear' && one.id === sent.get('symbol'))
  const forced = book
    .findAll(({ symbol, kind }) => symbol === market?.symbol && kind !== 'order')
    .filter(({ at }) => at >= Number(sent.get('startTime') ?? 0))
    .slice(0, Number(sent.get('limit') ?? 50))
  return {
    json: forced.map((order) => ({
      orderId: Number(order.id),
      symbol: market?.id,
      status: 'FILLED',
      clientOrderId: order.kind === 'adl' ? 'adl_autoclose' : `autoclose-${order.at}0000020`,
      price: '0',
      avgPrice: order.trades[0]?.price,
      origQty: order.size,
      executedQty: order.size,
      timeInForce: 'IOC',
      type: 'LIMIT',
      reduceOnly: false,
      closePosition: false,
      side: order.side.toUpperCase(),
      positionSide: 'BOTH',
      time: order.at,
      updateTime: order.at,
    })),
  }
}

function failure(code: number, msg: string): Reply {
  return { status: 400, json: { code, msg } }
}

/** The rules for times and ids are those of "Account trade list" of both markets. */
export function trades(market: BinanceMarket, sent: URLSearchParams, book: AccountBook): Reply {
  const id = sent.get('orderId')
  const from = sent.get('fromId')
  const start = sent.get('startTime')
  const limit = Number(sent.get('limit') ?? 500)
  const span = windowMs[market.kind]
  if (limit > 1_000) return failure(-1130, "Data sent for parameter 'limit' is not valid.")
  if (from !== null && start !== null) {
    return failure(-1128, 'Combination of optional parameters invalid.')
  }
  const end = Number(sent.get('endTime') ?? Number(start ?? 0) + span)
  if (start !== null && end - Number(start) > span) {
    return failure(-1127, `More than ${span / 3_600_000} hours between startTime and endTime.`)
  }
  const done = book
    .trades((one) => one.symbol === market.symbol && (id === null || one.id === id))
    .filter(({ trade }) => Number(trade.id) >= Number(from ?? 0))
    .filter(({ trade }) => start === null || (trade.at >= Number(start) && trade.at <= end))
  // Without a time or an id, the latest trades count.
  const listed = from === null && start === null ? done.slice(-limit) : done.slice(0, limit)
  return { json: listed.map(({ order, trade }) => told(market, order, trade, book)) }
}

function told(
  market: BinanceMarket,
  { id: orderId, side, positionSide }: BookOrder,
  trade: BookOrder['trades'][number],
  book: AccountBook,
) {
  const inHedgeMode = book.mode.position === 'hedge' && positionSide !== undefined
  return {
    symbol: market.id,
    id: Number(trade.id),
    orderId: Number(orderId),
    price: trade.price,
    qty: trade.size,
    quoteQty: new Big(trade.size).times(trade.price).toFixed(),
    commission: trade.fee,
    commissionAsset: trade.feeAsset,
    time: trade.at,
    ...(market.kind === 'spot'
      ? { isBuyer: side === 'buy', isMaker: false, isBestMatch: true }
      : {
          buyer: side === 'buy',
          maker: false,
          side: side.toUpperCase(),
          positionSide: inHedgeMode ? positionSide.toUpperCase() : 'BOTH',
          realizedPnl: '0',
        }),
  }
}
