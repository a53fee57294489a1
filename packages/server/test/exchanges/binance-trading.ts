import { createHmac } from 'node:crypto'
import Big from 'big.js'
import { accountAnswers, type BinanceMarket, trades } from './binance-account.ts'
import { type AlgoAccount, algoAnswer } from './binance-algo.ts'
import { ocoAnswer } from './binance-oco.ts'
import type { Exchange, Reply, RestCall } from './stand-in.ts'
import type { StopBook } from './stops.ts'
import {
  type AccountBook,
  answerOrFail,
  type BookOrder,
  type FailureKind,
  filledOf,
  type Key,
} from './trading.ts'

type Kind = BinanceMarket['kind']

const places: Record<string, Kind> = {
  '/api/v3/': 'spot',
  '/fapi/v1/': 'linear',
  '/fapi/v2/': 'linear',
  '/fapi/v3/': 'linear',
}
const lotStep = '0.00001'
const tick = '0.00000001'
const leastNotional = 5
const usualWindowMs = 5_000

/** The signed requests of Binance that market orders need. */
export function privateRest(
  call: RestCall,
  exchange: Exchange<BinanceMarket>,
  book: AccountBook,
  stops: StopBook,
): Reply | undefined {
  const prefix = Object.keys(places).find((start) => call.path.startsWith(start)) ?? ''
  const what = `${call.method} ${call.path.slice(prefix.length)}`
  const sent = new URLSearchParams([call.search, call.body].filter((part) => part !== '').join('&'))
  const aboutAccount = accountAnswers[`${call.method} ${call.path}`]
  const key = book.keys.get(String(call.headers['x-mbx-apikey']))
  const answer =
    aboutAccount === undefined
      ? (ofAlgo(prefix, what, sent, exchange, { book, stops }) ??
        answerOf(what, places[prefix], sent, exchange, book))
      : () => aboutAccount({ sent, exchange, book, key: key as Key })
  if (answer === undefined) return undefined
  const checked = () => refuseSignature(call, sent, exchange, book, what) ?? answer()
  return answerOrFail(book, kindOf(what, sent), checked, {
    broken: failure(-1000, 'An unknown error occurred while processing the request.', 503),
    reject: failure(-2010, 'This action is disabled on this account.'),
    rateLimit: failure(-1003, 'Too much request weight used.', 429),
    maintenance: failure(1, 'System is under maintenance.', 503),
  })
}

function kindOf(what: string, sent: URLSearchParams): FailureKind {
  if (what === 'POST algoOrder') return 'stop'
  if (what === 'POST orderList/oco') return 'stop'
  if (what.startsWith('DELETE ')) return 'cancel'
  if (what !== 'POST order') return 'question'
  return sent.get('type') === 'STOP_LOSS' ? 'stop' : 'order'
}

function ofAlgo(
  prefix: string,
  what: string,
  sent: URLSearchParams,
  exchange: Exchange<BinanceMarket>,
  account: AlgoAccount,
): (() => Reply) | undefined {
  return prefix === '/fapi/v1/' ? algoAnswer(what, sent, exchange, account) : undefined
}

function answerOf(
  what: string,
  kind: Kind | undefined,
  sent: URLSearchParams,
  exchange: Exchange<BinanceMarket>,
  book: AccountBook,
): (() => Reply) | undefined {
  if (kind === undefined) return undefined
  const market = exchange.markets.find((one) => one.kind === kind && one.id === sent.get('symbol'))
  const ofMarket = (answer: (market: BinanceMarket) => Reply) => () =>
    market === undefined ? failure(-1121, 'Invalid symbol.') : answer(market)
  switch (what) {
    case 'POST order':
      return ofMarket((one) => place(one, sent, exchange, book))
    case 'POST orderList/oco':
      return kind === 'spot' ? ofMarket((one) => ocoAnswer(one, sent, book)) : undefined
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
  const side = sent.get('side') === 'BUY' ? ('buy' as const) : ('sell' as const)
  const mismatch = kind === 'spot' ? undefined : refuseMode(sent, book)
  if (mismatch !== undefined) return mismatch
  const type = sent.get('type')
  const stopPrice = sent.get('stopPrice')
  const isStop = kind === 'spot' && type === 'STOP_LOSS'
  const limit = sent.get('price')
  const inForce = sent.get('timeInForce')
  const isMaker = kind === 'spot' && type === 'LIMIT_MAKER'
  const isLimit = type === 'LIMIT' || isMaker
  if (type !== 'MARKET' && !isStop && !isLimit) return failure(-1116, 'Invalid orderType.')
  const postOnly = isMaker || inForce === 'GTX'
  if (isLimit && (limit === null || (inForce === null) !== isMaker)) {
    return failure(-1102, 'A mandatory parameter was not sent, was empty/null, or malformed.')
  }
  if (isLimit && !(isMaker || inForce === 'GTC' || (kind === 'linear' && inForce === 'GTX')))
    return failure(-1115, 'Invalid timeInForce.')
  if (!isLimit && (limit !== null || inForce !== null))
    return failure(-1106, "Parameter 'price' sent when not required.")
  if (isStop !== (stopPrice !== null)) {
    return isStop
      ? failure(-1102, "Mandatory parameter 'stopPrice' was not sent, was empty/null, or malformed.")
      : failure(-1106, "Parameter 'stopPrice' sent when not required.")
  }
  if (!new Big(stopPrice ?? limit ?? '0').mod(tick).eq(0))
    return failure(-1013, 'Filter failure: PRICE_FILTER')
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
  // Ids are unique among open orders only. The id of a filled order can be used again: see `newClientOrderId` of "New order".
  if (book.openWith(clientOrderId) !== undefined) {
    return kind === 'spot'
      ? failure(-2010, 'Duplicate order sent.')
      : failure(-4116, 'ClientOrderId is duplicated.')
  }
  const isContract = kind !== 'spot'
  const positionSide = { LONG: 'long', SHORT: 'short' }[sent.get('positionSide') ?? ''] as 'long' | 'short'
  // In hedge mode, an order against the named position only reduces it.
  const reduces = (positionSide === 'long') === (side === 'sell')
  const named =
    isContract && positionSide !== undefined ? { positionSide, reduceOnly: reduces } : { reduceOnly }
  const wanted = {
    ...{ clientOrderId, side, size, ...named },
    ...(stopPrice !== null && { stopPrice }),
    ...(isLimit && limit !== null && { limit, postOnly }),
  }
  const placed = book.place({ ...market, isContract }, wanted)
  if (placed === 'beyond') return failure(-2010, 'Order would trigger immediately.')
  if (placed === 'takes') {
    return kind === 'spot'
      ? failure(-2010, 'Order would immediately match and take.')
      : failure(
          -5022,
          'Due to the order could not be executed as maker, the Post Only order will be rejected.',
        )
  }
  if (placed === 'reduce-only') return failure(-2022, 'ReduceOnly Order is rejected.')
  if (placed === 'price-band') {
    return kind === 'spot'
      ? failure(-1013, 'Filter failure: PERCENT_PRICE_BY_SIDE')
      : failure(-4131, "The counterparty's best price does not meet the PERCENT_PRICE filter limit.")
  }
  if (typeof placed === 'string') {
    return kind === 'spot'
      ? failure(-2010, 'Account has insufficient balance for requested action.')
      : failure(-2019, 'Margin is insufficient.')
  }
  if (sent.get('newOrderRespType') === 'ACK') return { json: acknowledged(market, placed) }
  return { json: kind === 'spot' ? { ...told(market, placed), fills: fills(placed) } : told(market, placed) }
}

/** The codes are those of the page "Error Code" of USD-M futures. */
function refuseMode(sent: URLSearchParams, book: AccountBook): Reply | undefined {
  const isHedge = book.mode.position === 'hedge'
  const namesPosition = ['LONG', 'SHORT'].includes(sent.get('positionSide') ?? 'BOTH')
  if (isHedge !== namesPosition) {
    return failure(-4061, "Order's position side does not match user's setting.")
  }
  return isHedge && sent.has('reduceOnly')
    ? failure(-1106, "Parameter 'reduceonly' sent when not required.")
    : undefined
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

function acknowledged({ id: symbol }: BinanceMarket, { id, clientOrderId, at }: BookOrder) {
  return { symbol, orderId: Number(id), orderListId: -1, clientOrderId, transactTime: at }
}

function told(market: BinanceMarket, placed: BookOrder) {
  const { id, clientOrderId, side, size, reduceOnly, at, status, stop, limit, trades: done } = placed
  const { postOnly = false, endedAs } = placed
  const isMaker = postOnly && market.kind === 'spot'
  const byOwner = stop?.isTriggered === false || limit !== undefined
  const filled = filledOf(placed)
  const isPartial = status === 'open' && done.length > 0
  const common = {
    symbol: market.id,
    orderId: Number(id),
    clientOrderId,
    price: limit ?? '0.00000000',
    origQty: size,
    executedQty: filled.size,
    status: isPartial
      ? 'PARTIALLY_FILLED'
      : { open: 'NEW', filled: 'FILLED', canceled: endedAs ?? (byOwner ? 'CANCELED' : 'EXPIRED') }[status],
    timeInForce: postOnly && !isMaker ? 'GTX' : 'GTC',
    type: typeOf(placed, isMaker),
    ...(stop && { stopPrice: stop.price }),
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
      isWorking: stop?.isTriggered !== false,
      workingTime: stop?.isTriggered === false ? -1 : at,
      selfTradePreventionMode: 'EXPIRE_MAKER',
    }
  }
  const closing = {
    reduceOnly,
    closePosition: false,
    positionSide: (placed.positionSide ?? 'both').toUpperCase(),
    workingType: 'CONTRACT_PRICE',
  }
  return { ...common, ...closing, avgPrice: filled.average, cumQuote: filled.worth, cumQty: filled.size }
}

function typeOf({ limit, stop }: BookOrder, isMaker: boolean): string {
  if (limit !== undefined) return isMaker ? 'LIMIT_MAKER' : 'LIMIT'
  if (stop === undefined) return 'MARKET'
  return stop.isTarget === true ? 'TAKE_PROFIT' : 'STOP_LOSS'
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
  const clientOrderId = sent.get('origClientOrderId')
  const ended = book.cancel(
    (one) =>
      one.symbol === market.symbol &&
      (clientOrderId === null ? one.id === sent.get('orderId') : one.clientOrderId === clientOrderId),
  )
  return ended === undefined ? failure(-2011, 'Unknown order sent.') : { json: told(market, ended) }
}

function openOrders(market: BinanceMarket, book: AccountBook): Reply {
  const open = book.openOrders().filter(({ symbol }) => symbol === market.symbol)
  return { json: open.map((one) => told(market, one)) }
}
