import { createHmac } from 'node:crypto'
import Big from 'big.js'
import type { Exchange, Reply, RestCall, StandInMarket } from './stand-in.ts'
import { type AccountBook, answerOrFail, type BookOrder, filledOf, type Key } from './trading.ts'

export type BinanceMarket = StandInMarket & {
  kind: 'spot' | 'linear' | 'inverse'
  base: string
  quote: string
}
type Kind = BinanceMarket['kind']

const places: Record<string, Kind> = {
  '/api/v3/': 'spot',
  '/fapi/v1/': 'linear',
  '/fapi/v2/': 'linear',
  '/fapi/v3/': 'linear',
}
const lotStep = '0.00001'
const leastNotional = 5
const usualWindowMs = 5_000

/** The signed requests of Binance that market orders need. */
export function privateRest(
  call: RestCall,
  exchange: Exchange<BinanceMarket>,
  book: AccountBook,
): Reply | undefined {
  const prefix = Object.keys(places).find((start) => call.path.startsWith(start))
  if (prefix === undefined) return undefined
  const kind = places[prefix] as Kind
  const what = `${call.method} ${call.path.slice(prefix.length)}`
  const sent = new URLSearchParams([call.search, call.body].filter((part) => part !== '').join('&'))
  const answer = answerOf(what, kind, sent, exchange, book)
  if (answer === undefined) return undefined
  const checked = () => refuseSignature(call, sent, exchange, book, what) ?? answer()
  return answerOrFail(book, what === 'POST order' ? 'order' : 'question', checked, {
    broken: failure(-1000, 'An unknown error occurred while processing the request.', 503),
    reject: failure(-2010, 'This action is disabled on this account.'),
    rateLimit: failure(-1003, 'Too much request weight used.', 429),
  })
}

function answerOf(
  what: string,
  kind: Kind,
  sent: URLSearchParams,
  exchange: Exchange<BinanceMarket>,
  book: AccountBook,
): (() => Reply) | undefined {
  const market = exchange.markets.find((one) => one.kind === kind && one.id === sent.get('symbol'))
  const ofMarket = (answer: (market: BinanceMarket) => Reply) => () =>
    market === undefined ? failure(-1121, 'Invalid symbol.') : answer(market)
  switch (what) {
    case 'GET account':
      return () => ({ json: kind === 'spot' ? spotAccount(book, exchange) : futuresAccount(book) })
    case 'GET balance':
      return kind === 'linear' ? () => ({ json: futuresAccount(book).assets }) : undefined
    case 'GET positionRisk':
      return kind === 'linear' ? () => ({ json: positions(book, exchange) }) : undefined
    case 'GET leverageBracket':
      return kind === 'linear' ? () => ({ json: [] }) : undefined
    case 'GET income':
      return kind === 'linear' ? () => ({ json: income(market, sent, book) }) : undefined
    case 'POST order':
      return ofMarket((one) => place(one, sent, exchange, book))
    case 'GET order':
      return ofMarket((one) => order(one, sent, book))
    case 'DELETE order':
      return ofMarket((one) => cancel(one, sent, book))
    case 'GET openOrders':
      return ofMarket((one) => openOrders(one, book))
    case 'GET myTrades':
    case 'GET userTrades':
      return ofMarket((one) => trades(one, sent, book))
    default:
      return undefined
  }
}

function failure(code: number, msg: string, status = 400): Reply {
  return { status, json: { code, msg } }
}

/** Checks in the order of Binance: key, time, signature, permission. */
function refuseSignature(
  { search, body, headers }: RestCall,
  sent: URLSearchParams,
  exchange: Exchange<BinanceMarket>,
  book: AccountBook,
  what: string,
): Reply | undefined {
  const name = headers['x-mbx-apikey']
  if (typeof name !== 'string' || name === '') return failure(-2014, 'API-key format invalid.', 401)
  const key: Key | undefined = book.keys.get(name)
  const notThisKey = failure(-2015, 'Invalid API-key, IP, or permissions for action.', 401)
  if (key === undefined) return notThisKey
  const timestamp = Number(sent.get('timestamp') ?? Number.NaN)
  if (!Number.isInteger(timestamp)) {
    return failure(-1102, "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed.")
  }
  const age = exchange.now() - timestamp
  if (age <= -1_000)
    return failure(-1021, "Timestamp for this request was 1000ms ahead of the server's time.")
  if (age > Number(sent.get('recvWindow') ?? usualWindowMs)) {
    return failure(-1021, 'Timestamp for this request is outside of the recvWindow.')
  }
  const signed = `${search}${body}`.replace(/&?signature=[^&]*/, '')
  const signature = createHmac('sha256', key.secret).update(signed).digest('hex')
  if (sent.get('signature') !== signature) return failure(-1022, 'Signature for this request is not valid.')
  return key.mayTrade === false && what === 'POST order' ? notThisKey : undefined
}

function place(
  market: BinanceMarket,
  sent: URLSearchParams,
  exchange: Exchange<BinanceMarket>,
  book: AccountBook,
): Reply {
  const { kind } = market
  const size = sent.get('quantity') ?? '0'
  const reduceOnly = sent.get('reduceOnly')?.toLowerCase() === 'true'
  const clientOrderId = sent.get('newClientOrderId') ?? ''
  const side = sent.get('side') === 'BUY' ? 'buy' : 'sell'
  if (sent.get('type') !== 'MARKET') return failure(-1116, 'Invalid orderType.')
  if (market.active === false) return failure(-2010, 'Market is closed.')
  if (new Big(size).lte(0) || !new Big(size).mod(lotStep).eq(0)) {
    return kind === 'spot'
      ? failure(-1013, 'Filter failure: LOT_SIZE')
      : failure(-1111, 'Precision is over the maximum defined for this asset.')
  }
  if (!reduceOnly && new Big(size).times(exchange.quote(market).price).lt(leastNotional)) {
    return kind === 'spot'
      ? failure(-1013, 'Filter failure: NOTIONAL')
      : failure(-4164, "Order's notional must be no smaller than 5 (unless you choose reduce only).")
  }
  // Ids are unique among open orders only. The id of a filled order can be used again.
  if (book.openWith(clientOrderId) !== undefined) {
    return kind === 'spot'
      ? failure(-2010, 'Duplicate order sent.')
      : failure(-4116, 'ClientOrderId is duplicated.')
  }
  const isContract = kind !== 'spot'
  const placed = book.place({ ...market, isContract }, { clientOrderId, side, size, reduceOnly })
  if (placed === 'reduce-only') return failure(-2022, 'ReduceOnly Order is rejected.')
  if (typeof placed === 'string') {
    return kind === 'spot'
      ? failure(-2010, 'Account has insufficient balance for requested action.')
      : failure(-2019, 'Margin is insufficient.')
  }
  return { json: kind === 'spot' ? { ...told(market, placed), fills: fills(placed) } : told(market, placed) }
}

function fills({ trades: done }: BookOrder) {
  return done.map(({ id, size, price, fee, feeAsset }) => ({
    price,
    qty: size,
    commission: fee,
    commissionAsset: feeAsset,
    tradeId: Number(id),
  }))
}

function told(market: BinanceMarket, placed: BookOrder) {
  const { id, clientOrderId, side, size, reduceOnly, at, status, trades: done } = placed
  const filled = filledOf(placed)
  const isPartial = status === 'open' && done.length > 0
  const common = {
    symbol: market.id,
    orderId: Number(id),
    clientOrderId,
    price: '0.00000000',
    origQty: size,
    executedQty: filled.size,
    status: isPartial ? 'PARTIALLY_FILLED' : { open: 'NEW', filled: 'FILLED', canceled: 'EXPIRED' }[status],
    timeInForce: 'GTC',
    type: 'MARKET',
    side: side.toUpperCase(),
    time: at,
    updateTime: done.at(-1)?.at ?? at,
  }
  if (market.kind === 'spot') {
    return {
      ...common,
      orderListId: -1,
      cummulativeQuoteQty: filled.worth,
      transactTime: at,
      isWorking: true,
      selfTradePreventionMode: 'EXPIRE_MAKER',
    }
  }
  const closing = { reduceOnly, closePosition: false, positionSide: 'BOTH', workingType: 'CONTRACT_PRICE' }
  return { ...common, ...closing, avgPrice: filled.average, cumQuote: filled.worth, cumQty: filled.size }
}

function order(market: BinanceMarket, sent: URLSearchParams, book: AccountBook): Reply {
  const clientOrderId = sent.get('origClientOrderId')
  const found = book.find(
    (one) =>
      one.symbol === market.symbol &&
      (clientOrderId === null ? one.id === sent.get('orderId') : one.clientOrderId === clientOrderId),
  )
  return found === undefined ? failure(-2013, 'Order does not exist.') : { json: told(market, found) }
}

function cancel(market: BinanceMarket, sent: URLSearchParams, book: AccountBook): Reply {
  const ended = book.cancel(({ symbol, id }) => symbol === market.symbol && id === sent.get('orderId'))
  return ended === undefined ? failure(-2011, 'Unknown order sent.') : { json: told(market, ended) }
}

function openOrders(market: BinanceMarket, book: AccountBook): Reply {
  const found = book.find((one) => one.symbol === market.symbol && one.status === 'open')
  return { json: found === undefined ? [] : [told(market, found)] }
}

function trades(market: BinanceMarket, sent: URLSearchParams, book: AccountBook): Reply {
  const id = sent.get('orderId')
  const from = Number(sent.get('fromId') ?? 0)
  const done = book
    .trades((one) => one.symbol === market.symbol && (id === null || one.id === id))
    .filter(({ trade }) => Number(trade.id) >= from)
    .slice(0, Number(sent.get('limit') ?? 500))
  return {
    json: done.map(({ order: { id: orderId, side }, trade }) => ({
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
            positionSide: 'BOTH',
            realizedPnl: '0',
          }),
    })),
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
    balances: book.balances().map(([asset, free]) => ({ asset, free, locked: '0.00000000' })),
    permissions: ['SPOT'],
  }
}

function futuresAccount(book: AccountBook) {
  const assets = book.balances().map(([asset, balance]) => ({
    asset,
    balance,
    walletBalance: balance,
    availableBalance: balance,
    marginBalance: balance,
    crossWalletBalance: balance,
    maxWithdrawAmount: balance,
    unrealizedProfit: '0',
    initialMargin: '0',
    maintMargin: '0',
  }))
  return { totalWalletBalance: book.balance('USDT'), canTrade: true, assets, positions: [] }
}

/** The fields of https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Position-Information-V3 */
function positions(book: AccountBook, exchange: Exchange<BinanceMarket>) {
  return book.positions().flatMap((held) => {
    const market = exchange.markets.find(({ kind, symbol }) => kind === 'linear' && symbol === held.symbol)
    if (market === undefined) return []
    const size = held.side === 'long' ? held.size : `-${held.size}`
    return {
      symbol: market.id,
      positionSide: 'BOTH',
      positionAmt: size,
      entryPrice: held.entryPrice,
      breakEvenPrice: held.entryPrice,
      markPrice: exchange.quote(market).price,
      unRealizedProfit: held.unrealised,
      liquidationPrice: '0',
      isolatedMargin: '0',
      notional: new Big(size).times(exchange.quote(market).price).toFixed(),
      marginAsset: 'USDT',
      isolatedWallet: '0',
      initialMargin: '0',
      maintMargin: '0',
      positionInitialMargin: '0',
      openOrderInitialMargin: '0',
      adl: 2,
      bidNotional: '0',
      askNotional: '0',
      updateTime: exchange.now(),
    }
  })
}

/** The fields of the sample in ccxt's `parseIncome` for Binance. */
function income(market: BinanceMarket | undefined, sent: URLSearchParams, book: AccountBook) {
  const from = Number(sent.get('startTime') ?? 0)
  return book
    .fundingPayments()
    .filter(({ symbol, at }) => symbol === market?.symbol && at >= from)
    .map(({ id, asset, amount, at }) => ({
      symbol: market?.id,
      incomeType: 'FUNDING_FEE',
      income: amount,
      asset,
      time: at,
      info: 'FUNDING_FEE',
      tranId: Number(id),
      tradeId: '',
    }))
}
